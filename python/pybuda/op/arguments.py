"""Adds the op's name to errors about its arguments."""
from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Iterable
from typing import Any

from ..operand import Operand
from .errors import OpAssertionError, OpError

_OF_ARGUMENTS = (ArithmeticError, AssertionError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)


def name_errors(module: Any, names: Iterable[str]) -> None:
    """Wraps the functions of these names, in their own modules and in `module`."""
    for name in names:
        function = getattr(module, name)
        if inspect.isfunction(function):
            checked = _named(function)
            setattr(module, name, checked)
            setattr(sys.modules[function.__module__], name, checked)


def _named(function: Callable[..., Any]) -> Callable[..., Any]:
    signature = inspect.signature(function)

    @functools.wraps(function)
    def checked(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except _OF_ARGUMENTS as error:
            try:
                given = signature.bind(*args, **kwargs).arguments
            except TypeError:  # missing or unknown arguments: python's own error
                raise error from None
            name = str(given.get("name"))
            if isinstance(error, NotImplementedError) or _names(error, name):
                raise
            described = ", ".join(f"{key}={_described(value)}" for key, value in given.items() if key != "name")
            if isinstance(error, AssertionError):
                raise OpAssertionError(name, f"op '{name}' ({function.__name__}): {error}") from error
            raise OpError(name, f"op '{name}' ({function.__name__}) does not accept {described}: {error}") from error
    return checked


def _names(error: Exception, name: str) -> bool:
    """Whether the error names the op already, or one of its parts, whose names begin with its own."""
    return isinstance(error, (OpError, OpAssertionError)) and error.op.startswith(name)


def _described(value: Any) -> str:
    if isinstance(value, Operand):
        return f"{type(value).__name__} {list(value.shape.dims)}"
    if isinstance(value, (tuple, list)) and not all(isinstance(one, (int, float, str)) for one in value):
        return f"[{', '.join(map(_described, value))}]"
    if hasattr(value, "dtype") and hasattr(value, "shape"):  # torch or numpy
        return f"{type(value).__module__}.{type(value).__name__} {list(value.shape)}"
    return repr(value) if len(repr(value)) < 60 else type(value).__name__
