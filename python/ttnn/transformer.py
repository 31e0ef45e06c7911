"""Attention."""
from typing import Any as _Any

from .ops import functions as _functions
from .refused import refused as _refused

globals().update(_functions("transformer", "ttnn.transformer"))


def __getattr__(name: str) -> _Any:
    return _refused(name, "ttnn.transformer", globals())
