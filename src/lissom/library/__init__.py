"""Ready mechanisms, each a `Model`: for first tries, tests and benchmarks."""

from .chains import flexible_chain, rigid_chain, turned_chain
from .humanoids import humanoid
from .swinging import swinging_links

__all__ = ["flexible_chain", "humanoid", "rigid_chain", "swinging_links", "turned_chain"]
