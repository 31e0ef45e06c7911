"""Ops of the group experimental."""
from .ops import functions as _functions

globals().update(_functions("experimental", "ttnn.experimental"))
