"""Functions of higher layers that objects of lower layers offer as methods: Module.run(), tensor + tensor.

The higher layer registers them when it is imported, and the package imports all layers. So imports go in one direction
only (pyproject.toml has the layers)."""
from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])
_modules: dict[str, str] = {}  # of the functions, by name


def offered(function: Function) -> Function:
    """Decorator: registers a function of a module under its name."""
    _modules[function.__name__] = function.__module__
    return function


def call(name: str, *args: Any, **kwargs: Any) -> Any:
    """Calls the function that has this name in the module that registered it."""
    return getattr(sys.modules[_modules[name]], name)(*args, **kwargs)
