"""+, - and * of tensors and parameters."""
from __future__ import annotations

from typing import Any


def _apply(kind: str, a: Any, b: Any) -> Any:
    from .op import eltwise_binary
    return getattr(eltwise_binary, kind)("", a, b)


class Operators:
    """Either operand may be a number, which becomes a constant."""

    def __add__(self, other: Any) -> Any:
        return _apply("Add", self, other)

    def __radd__(self, other: Any) -> Any:
        return _apply("Add", other, self)

    def __sub__(self, other: Any) -> Any:
        return _apply("Subtract", self, other)

    def __rsub__(self, other: Any) -> Any:
        return _apply("Subtract", other, self)

    def __mul__(self, other: Any) -> Any:
        return _apply("Multiply", self, other)

    def __rmul__(self, other: Any) -> Any:
        return _apply("Multiply", other, self)
