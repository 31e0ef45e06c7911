"""Values and shapes of what moves tiles in a netlist."""
from . import splice, tm

__all__ = ["splice", "tm"]
