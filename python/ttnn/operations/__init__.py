"""Groups of ops. An unknown one raises AttributeError with the names that there are."""
from typing import Any as _Any

from . import moreh as moreh


def __getattr__(name: str) -> _Any:
    raise AttributeError(f"module 'ttnn.operations' has no attribute '{name}'; its group is moreh, other ops are ttnn.NAME (docs/ttnn.md)")
