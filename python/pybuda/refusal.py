"""Names of the vendor's PyBuda that are not implemented: importing them works, calling them raises an error with an
alternative."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn


def refusal(name: str, why: str, remedy: str) -> Callable[..., NoReturn]:
    """A function that raises NotImplementedError with the reason and an alternative."""
    def refused(*_: Any, **__: Any) -> NoReturn:
        raise NotImplementedError(f"{name}: {why}; {remedy}")
    refused.__name__ = refused.__qualname__ = name.rsplit(".", 1)[-1]
    refused.__doc__ = f"Raises NotImplementedError: {why}; {remedy}."
    return refused
