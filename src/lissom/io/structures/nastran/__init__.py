"""Files of Nastran: bulk data, and matrices in DMIG and OP4 form."""

from .body import read_nastran
from .bulk import Bulk, read_bulk
from .op4 import read_op4

__all__ = ["Bulk", "read_bulk", "read_nastran", "read_op4"]
