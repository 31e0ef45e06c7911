"""Attention."""
from .ops import functions as _functions

globals().update(_functions("transformer", "ttnn.transformer"))
