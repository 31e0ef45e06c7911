"""Nodes of a ttsim.Graph for an op of a module: what several ops are made of.

A place of data along an axis (slices, pads, repeats, sums, resizes, joins) is one constant matrix along that axis; the
matrix is what the torch function gives for the identity."""
from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy
import torch
import ttsim

from . import dtypes

Value = Any  # ttsim.Value
_FLOATS = (ttsim.ElementType.F32, ttsim.ElementType.F16, ttsim.ElementType.BF16, ttsim.ElementType.F64)


class GraphMaker:
    """`name`: of the op that nodes are made for."""

    def __init__(self) -> None:
        self.graph = ttsim.Graph()
        self.name = ""
        self.training = False

    def dims(self, value: Value) -> list[int]:
        return list(self.graph.info(value).shape)

    def is_float(self, value: Value) -> bool:
        return self.graph.info(value).type in _FLOATS

    def add(self, op: str, *operands: Value, **attributes: Any) -> Value:
        return self.graph.add(op, list(operands), attributes, self.name)

    def number(self, value: float) -> Value:
        return self.graph.number(float(value))

    def constant(self, name: str, values: torch.Tensor) -> Value:
        return self.graph.constant(name, values.detach())

    def as_float(self, value: Value) -> Value:
        return value if self.is_float(value) else self.add("cast", value, to="f32")

    def as_integer(self, value: Value) -> Value:
        return self.add("cast", value, to="i64") if self.is_float(value) else value

    def with_number(self, op: str, value: Value, number: float) -> Value:
        return self.add(op, self.as_float(value), self.number(number))

    def reshape(self, value: Value, dims: Sequence[int]) -> Value:
        dims = [int(dim) for dim in dims]
        return value if dims == self.dims(value) else self.add("reshape", value, dims=dims)

    def permute(self, value: Value, order: Sequence[int]) -> Value:
        order = list(order)
        return value if order == sorted(order) else self.add("transpose", value, perm=order)

    def swap(self, value: Value, a: int, b: int) -> Value:
        order = list(range(len(self.dims(value))))
        order[a], order[b] = order[b], order[a]
        return self.permute(value, order)

    def axis(self, value: Value, dim: int) -> int:
        return dim % len(self.dims(value))

    def along(self, value: Value, dim: int, function: Callable[[torch.Tensor], torch.Tensor]) -> Value:
        """`function`, which is linear and works along dim 0 of [n, columns], along `dim`."""
        size = self.dims(value)[dim]
        return self.matrix(value, dim, function(torch.eye(size)))

    def matrix(self, value: Value, dim: int, matrix: torch.Tensor) -> Value:
        """out[o] = sum of matrix[o, i] * value[i] along `dim`."""
        if matrix.shape[0] == matrix.shape[1] and torch.equal(matrix, torch.eye(matrix.shape[0])):
            return value
        given = self.graph.constant(f"{self.name}.matrix{self._next()}", numpy.asarray(matrix, numpy.float32))
        return self.add("map_axis", self.as_float(value), given, axis=self.axis(value, dim))

    def join(self, values: Sequence[Value], dim: int,
             function: Callable[[list[torch.Tensor]], torch.Tensor]) -> Value:
        """`function` of several, linear, along dim 0 of [n, columns] of each: the sum of where each one goes."""
        sizes = [self.dims(value)[dim] for value in values]
        total = None
        for at, value in enumerate(values):
            parts = [torch.eye(size) if k == at else torch.zeros(size, sizes[at]) for k, size in enumerate(sizes)]
            placed = self.matrix(value, dim, function(parts))
            total = placed if total is None else self.add("add", total, placed)
        return total

    def total(self, value: Value, dim: int, scale: float = 1.0) -> Value:
        """The sum along `dim`, which stays with size 1."""
        return self.along(value, dim, lambda x: x.sum(0, keepdim=True) * scale)

    def expand(self, value: Value, dims: Sequence[int]) -> Value:
        """Of axes of size 1 to `dims`; ranks are equal."""
        for dim, size in enumerate(dims):
            if self.dims(value)[dim] != size:
                value = self.along(value, dim, lambda x, size=size: x.expand(size, -1))
        return value

    def channels_first(self, value: Value) -> Value:
        rank = len(self.dims(value))
        return self.permute(value, [0, rank - 1, *range(1, rank - 1)])

    def channels_last(self, value: Value) -> Value:
        rank = len(self.dims(value))
        return self.permute(value, [0, *range(2, rank), 1])

    def count(self, value: Value) -> int:
        return math.prod(self.dims(value))

    def _next(self) -> str:
        self._matrices = getattr(self, "_matrices", 0) + 1
        return str(self._matrices)


def element_type(data_format: Any) -> ttsim.ElementType:
    """Of a graph's input in this format."""
    return ttsim.ElementType.I64 if dtypes.is_integer(data_format) else ttsim.ElementType.F32
