"""Type checks of arguments, with messages that name the argument."""
from __future__ import annotations

import enum
import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import torch

Function = TypeVar("Function", bound=Callable[..., Any])
WHOLE = (int,)
LISTED = (list, tuple, Mapping)


def takes(**kinds: tuple[type, ...]) -> Callable[[Function], Function]:
    """RuntimeError for an argument of a wrong type; the default value is always valid. A type named _Name is described
    as Name."""
    def of_function(function: Function) -> Function:
        signature = inspect.signature(function)
        label = function.__qualname__.replace(".__init__", "")

        @functools.wraps(function)
        def checked(*args: Any, **kwargs: Any) -> Any:
            try:
                given = signature.bind(*args, **kwargs).arguments
            except TypeError:  # python's own message is best
                return function(*args, **kwargs)
            for name, value in given.items():
                if name in kinds and value is not signature.parameters[name].default:
                    check(f"{name} of {label}", value, kinds[name])
            return function(*args, **kwargs)
        return checked  # type: ignore[return-value]
    return of_function


def check(what: str, value: Any, kinds: tuple[type, ...]) -> None:
    """RuntimeError that names `what` if the value is of a wrong type."""
    if not isinstance(value, kinds):
        raise RuntimeError(f"{what} is {shown(value)}; it must be {' or '.join(map(_described, kinds))}")


def shown(value: Any) -> str:
    """Short."""
    if isinstance(value, torch.Tensor):
        return f"a torch tensor of shape {list(value.shape)}"
    text = repr(value)
    return text if len(text) < 60 and not text.startswith("<") else f"a {type(value).__name__}"


def _described(kind: type) -> str:
    if issubclass(kind, enum.Enum):
        return f"a {kind.__name__} ({', '.join(kind.__members__)})"
    return {int: "an integer", str: "a name", Mapping: "a mapping"}.get(kind, f"a {kind.__name__}")
