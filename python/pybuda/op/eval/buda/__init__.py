"""Values and shapes of data movement ops in netlists."""
from . import splice, tm

__all__ = ["splice", "tm"]
