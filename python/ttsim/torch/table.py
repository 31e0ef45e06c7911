"""The table of conversions: ATen overload -> function that adds the graph's ops."""
from __future__ import annotations

import builtins
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from .._ttsim import ElementType, Value
from .build import GraphBuilder, element_type_of


class Refused(Exception):
    """A conversion does not support an op; the text is the reason. The op then runs on the host."""


@dataclass
class Tensor:
    """An operand of the op being converted."""
    shape: tuple[int, ...]
    dtype: torch.dtype
    known: torch.Tensor | None  # its values if they do not depend on inputs or parameters
    get: Callable[[], Value]
    contiguous: bool = True  # in memory

    @property
    def value(self) -> Value:
        """The value in the graph."""
        return self.get()

    @property
    def rank(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    def axis(self, given: int) -> int:
        """The axis as a non-negative number."""
        return given + self.rank if given < 0 else given


@dataclass
class Op:
    """The ATen op being converted. Conversions get it as their first argument, followed by the op's arguments."""
    build: GraphBuilder
    target: Any
    result: Any  # shapes and dtypes of the results, as torch's fake tensors

    def tensor(self, given: Tensor | builtins.float | builtins.bool, dtype: torch.dtype) -> Value:
        """A tensor or a Python number in the element type of `dtype`."""
        kind = known_kind(dtype)
        if isinstance(given, Tensor):
            return self.build.cast(given.value, kind)
        if isinstance(given, bool) or abs(given) <= 1 << 24 or not isinstance(given, int):
            return self.build.number(given, kind)
        return self.build.constant(torch.tensor(given, dtype=dtype))

    def float(self, given: Tensor | builtins.float) -> Value:
        """A value as float32."""
        return self.tensor(given, torch.float32)

    def bool(self, given: Tensor | builtins.float) -> Value:
        """Whether a value is not 0."""
        return self.tensor(given, torch.bool)

    def float_of_bool(self, given: Tensor) -> Value:
        """1 if true or not 0, else 0."""
        return self.build.float(self.bool(given))

    def one(self, name: str, given: Tensor | builtins.float, **attributes: Any) -> Value:
        """An op on floats with one operand."""
        return self.build.add(name, self.float(given), **attributes)

    def pair(self, name: str, a: Tensor | builtins.float, b: Tensor | builtins.float, dtype: torch.dtype | None = None) -> Value:
        """An op on two operands in their promoted type; `dtype`: if it is another."""
        dtype = dtype or promoted(a, b)
        return self.build.add(name, self.tensor(a, dtype), self.tensor(b, dtype))


def promoted(a: Tensor | builtins.float, b: Tensor | builtins.float) -> torch.dtype:
    """The dtype in which torch computes two operands: tensors with axes have priority over those without, then
    numbers."""
    def sample(one: Tensor | builtins.float) -> torch.Tensor | float:
        return torch.empty([1] * min(one.rank, 1), dtype=one.dtype) if isinstance(one, Tensor) else one
    return torch.result_type(sample(a), sample(b))


def known_kind(dtype: torch.dtype) -> ElementType:
    """The element type of a graph for a torch dtype. Refused for a dtype without one."""
    kind = element_type_of(dtype)
    if kind is None:
        raise Refused(f"graphs have no element type {dtype}")
    return kind


Conversion = Callable[..., Any]
_conversions: dict[Any, Conversion] = {}


def converts(*targets: Any) -> Callable[[Conversion], Conversion]:
    """Adds a function to the table: f(op, *arguments of the ATen op) -> Value, or a sequence of them, with None for
    results that are not computed."""
    def put(conversion: Conversion) -> Conversion:
        for target in targets:
            if target in _conversions:
                raise ValueError(f"{target} has two conversions")
            _conversions[target] = conversion
        return conversion
    return put


def conversion_of(target: Any) -> Conversion | None:
    """The function of the table; None: there is none."""
    return _conversions.get(target)


def converted_ops() -> list[Any]:
    """The ATen overloads that the table has."""
    return sorted(_conversions, key=str)
