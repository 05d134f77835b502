"""Many states and many runs of a mechanism at once, on the cores of a CPU or on a GPU."""

from .batch import Batch, batch
from .runs import Runs
from .simulate_batch import simulate_batch

__all__ = ["Batch", "Runs", "batch", "simulate_batch"]
