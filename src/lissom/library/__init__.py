"""Ready-made mechanisms, each a `Model`, for first experiments, tests and benchmarks."""

from .chains import flexible_chain, rigid_chain, turned_chain
from .humanoids import humanoid
from .order_n import order_n, order_n_platform
from .order_n_run import order_n_loads, order_n_start
from .swinging import swinging_links

__all__ = [
    "flexible_chain",
    "humanoid",
    "order_n",
    "order_n_loads",
    "order_n_platform",
    "order_n_start",
    "rigid_chain",
    "swinging_links",
    "turned_chain",
]
