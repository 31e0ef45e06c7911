"""Ops of the group experimental."""
from typing import Any as _Any

from .ops import functions as _functions
from .refused import refused as _refused

globals().update(_functions("experimental", "ttnn.experimental"))


def __getattr__(name: str) -> _Any:
    return _refused(name, "ttnn.experimental", globals())
