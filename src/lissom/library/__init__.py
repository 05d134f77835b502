"""Ready mechanisms, each a `Model`: for first tries, tests and benchmarks."""

from .chains import flexible_chain, rigid_chain, turned_chain
from .humanoids import humanoid

__all__ = ["flexible_chain", "humanoid", "rigid_chain", "turned_chain"]
