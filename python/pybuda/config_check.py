"""Checks the configuration before compilation; errors name the field."""
from __future__ import annotations

import contextlib
import enum
import os
from collections.abc import Iterator
from typing import Any

from .config_fields import FIELDS, Field

_ALSO: dict[type, tuple[type, ...]] = {bool: (int,), list: (tuple,), set: (frozenset, list, tuple)}


def check(config: Any) -> None:
    """RuntimeError for a field whose value has another type than its default."""
    for field in FIELDS:
        value, kinds = getattr(config, field.name), _kinds(field)
        if kinds and not isinstance(value, kinds):
            raise RuntimeError(f"{field.name} of the configuration is {value!r}; it must be {_described(kinds[0])}"
                               + (", or None" if field.make_default() is None else ""))


def _kinds(field: Field) -> tuple[type, ...]:
    """Valid types; (): any, for fields without an effect."""
    if field.effect.startswith("none"):
        return ()
    default = field.make_default()
    if default is None:
        return (field.kind, type(None)) if field.kind is not None else ()
    kind = type(default)
    if kind is str:
        return (str, enum.Enum) if field.group == "balancer" else (str, os.PathLike)
    return (kind, *_ALSO.get(kind, ()))


def _described(kind: type) -> str:
    if not issubclass(kind, enum.Enum):
        return {bool: "True or False", int: "an integer", str: "a name"}.get(kind, f"a {kind.__name__}")
    return f"a {kind.__name__}: {', '.join(kind.__members__)}"


@contextlib.contextmanager
def of_field(name: str, value: Any) -> Iterator[None]:
    """Adds the name of the field to errors while its value is read."""
    try:
        yield
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise RuntimeError(f"{name} of the configuration has an invalid value: {value!r} ({error}); use the "
                           "functions of pybuda.config to set it") from error
