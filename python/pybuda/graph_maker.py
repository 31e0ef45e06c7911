"""Builds nodes of a ttsim.Graph for ops of a module: helpers shared by several ops.

The torch function itself determines where elements along an axis go (slices, pads, repeats, joins), when applied to
numbered positions, and which sums are taken (resizes, pools), when applied to the identity."""
from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
import ttsim
from ttsim.torch.build import GraphBuilder

from . import dtypes
from ._C import DataFormat

Value = Any  # ttsim.Value
_FLOATS = (ttsim.ElementType.F32, ttsim.ElementType.F16, ttsim.ElementType.BF16, ttsim.ElementType.F64)


def _places(size: int) -> torch.Tensor:
    """Positions of an axis from 1, as a column; 0: none."""
    return torch.arange(1, size + 1, dtype=torch.float64).reshape(size, 1)


class GraphMaker(GraphBuilder):
    """`name`: of the op that nodes are made for; `whole`: names of values that ops read as integers."""

    def __init__(self, training: bool = False) -> None:
        super().__init__(training)
        self.whole: set[str] = set()

    def add(self, op: str, *operands: Value, **attributes: Any) -> Value:
        """A node named after the op; operands read as integers are recorded."""
        if op != "cast" or attributes.get("to") not in ("f32", "float"):
            self.whole.update(self.graph.info(operand).name for operand in operands
                              if self.element_type(operand) not in _FLOATS)
        return super().add(op, *operands, **attributes)

    def dims(self, value: Value) -> list[int]:
        """Dimensions of a value."""
        return list(self.shape(value))

    def cast(self, value: Value, kind: ttsim.ElementType) -> Value:
        """Named after its operand, since the op's name is for the op itself."""
        before, self.name = self.name, self.graph.info(value).name or self.name
        made = super().cast(value, kind)
        self.name = before
        return made

    def as_float(self, value: Value) -> Value:
        """A value as float32."""
        return value if self.element_type(value) in _FLOATS else self.float(value)

    def as_bool(self, value: Value) -> Value:
        """Whether the value is not 0."""
        return self.cast(value, ttsim.ElementType.Bool)

    def as_integer(self, value: Value) -> Value:
        """Floats as 64-bit integers, other types unchanged."""
        return self.cast(value, ttsim.ElementType.I64) if self.element_type(value) in _FLOATS else value

    def with_number(self, op: str, value: Value, number: float) -> Value:
        """An op on a value and a number."""
        return self.add(op, self.as_float(value), self.number(number))

    def axis(self, value: Value, dim: int) -> int:
        """The axis as a non-negative number."""
        return dim % len(self.dims(value))

    def count(self, value: Value) -> int:
        """Elements of a value."""
        return math.prod(self.dims(value))

    def along(self, value: Value, dim: int, function: Callable[[torch.Tensor], torch.Tensor]) -> Value:
        """Applies a linear `function` on dim 0 of [n, columns] along `dim`."""
        return self.map_axis(self.as_float(value), dim, function(torch.eye(self.dims(value)[dim])))

    def picked(self, value: Value, dim: int, function: Callable[[torch.Tensor], torch.Tensor]) -> Value:
        """The same for a function that copies elements or inserts zeros."""
        places = function(_places(self.dims(value)[dim]))[:, 0].long() - 1
        return self.select(self.as_float(value), dim, places.tolist())

    def join(self, values: Sequence[Value], dim: int,
             function: Callable[[list[torch.Tensor]], torch.Tensor]) -> Value:
        """`function` of several values, which copies elements along dim 0 of [n, columns] of each: a sum of the parts
        at their positions."""
        sizes = [self.dims(value)[dim] for value in values]
        total = None
        for at, value in enumerate(values):
            def place(own: torch.Tensor, at: int = at) -> torch.Tensor:
                return function([own if k == at else torch.zeros(size, 1, dtype=own.dtype)
                                 for k, size in enumerate(sizes)])

            placed = self.picked(value, dim, place)
            total = placed if total is None else self.add("add", total, placed)
        return total

    def total(self, value: Value, dim: int, scale: float = 1.0) -> Value:
        """The sum along `dim`, which stays with size 1."""
        return self.map_axis(self.as_float(value), dim, torch.full((1, self.dims(value)[dim]), scale))

    def channels_first(self, value: Value) -> Value:
        """N..C to NC..."""
        rank = len(self.dims(value))
        return self.transpose(value, [0, rank - 1, *range(1, rank - 1)])

    def channels_last(self, value: Value) -> Value:
        """NC.. to N..C."""
        rank = len(self.dims(value))
        return self.transpose(value, [0, *range(2, rank), 1])


def element_type(data_format: Any) -> ttsim.ElementType:
    """Element type of a graph input with this format."""
    if data_format == DataFormat.Int8:
        return ttsim.ElementType.I8
    return ttsim.ElementType.I64 if dtypes.is_integer(data_format) else ttsim.ElementType.F32
