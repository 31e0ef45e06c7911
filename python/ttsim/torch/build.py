"""Helpers for conversions: values with shapes, and methods that add several nodes to a graph."""
from __future__ import annotations

import builtins
import math
from collections.abc import Sequence
from typing import Any

import numpy
import torch

from .._ttsim import ElementType, Value
from ..graph import Graph

_KINDS = {
    torch.bool: ElementType.Bool, torch.uint8: ElementType.U8, torch.int8: ElementType.I8,
    torch.int16: ElementType.I16, torch.int32: ElementType.I32, torch.int64: ElementType.I64,
    torch.float32: ElementType.F32, torch.float16: ElementType.F32, torch.bfloat16: ElementType.F32,
    torch.float64: ElementType.F32,
}
_INTEGERS = {_KINDS[dtype]: dtype for dtype in (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)}
_LARGEST = 1e38  # limit for larger numbers, so that sums of masks stay finite
_MATRIX = 1 << 24  # maximum elements of a selection matrix; larger selections gather rows by index


def element_type_of(dtype: torch.dtype) -> ElementType | None:
    """The element type of a graph for a torch dtype; all floats are F32. None for complex and quantized dtypes."""
    return _KINDS.get(dtype)


def finite(tensor: torch.Tensor) -> torch.Tensor:
    """Float32 values limited so that sums stay finite. Infinities stay: a softmax of infinities only is NaN."""
    return torch.where(tensor.isinf(), tensor, tensor.clamp(-_LARGEST, _LARGEST))


class GraphBuilder:
    """Adds nodes to a graph. `name`: prefix of the names of the nodes and their constants. `training`: the graph is
    trained, so its dropouts are random."""

    def __init__(self, training: bool = False) -> None:
        self.graph = Graph()
        self.training = training
        self.name = ""
        self._names: dict[str, int] = {}
        self._numbers: dict[tuple[float, ElementType], Value] = {}

    def unique_name(self, stem: str) -> str:
        """`stem`, with a number appended from the second use on."""
        count = self._names.get(stem, 0)
        self._names[stem] = count + 1
        return stem if count == 0 else self.unique_name(f"{stem}_{count}")

    def shape(self, value: Value) -> tuple[int, ...]:
        """The shape of a value."""
        return tuple(self.graph.info(value).shape)

    def element_type(self, value: Value) -> ElementType:
        """The element type of a value."""
        return self.graph.info(value).type

    def add(self, op: str, *operands: Value, **attributes: Any) -> Value:
        """A node of `op`, named after the op that is converted. InputError for operands that it does not accept."""
        return self.graph.add(op, operands, attributes, self.name)

    def dropout(self, value: Value, p: float, seed: int = 0) -> Value:
        """0 for a random share `p` of the elements, 1 / (1 - p) times the others."""
        return self.add("dropout", value, p=float(p), seed=int(seed)) if p else value

    def constant(self, values: Any, suffix: str = "constant") -> Value:
        """A constant of numpy or torch values. Floats become F32."""
        if isinstance(values, torch.Tensor):
            values = finite(values.float()) if values.is_floating_point() else values
        return self.graph.constant(self.unique_name(f"{self.name}.{suffix}"), values)

    def number(self, value: float, kind: ElementType = ElementType.F32) -> Value:
        """A scalar. Integers that float32 does not represent exactly are constants."""
        if isinstance(value, int) and abs(value) > 1 << 24 and kind in _INTEGERS:
            return self.constant(torch.tensor(value, dtype=_INTEGERS[kind]))
        value = float(value)
        if math.isfinite(value):
            value = max(-_LARGEST, min(_LARGEST, value))
        if (value, kind) not in self._numbers:
            self._numbers[value, kind] = self.cast(self.graph.number(value), kind)
        return self._numbers[value, kind]

    def cast(self, value: Value, kind: ElementType) -> Value:
        """Casts to an element type; returns the value itself if it has that type."""
        names = {"Bool": "bool"}
        name = kind.name.lower()
        return value if self.element_type(value) == kind else self.add("cast", value, to=names.get(kind.name, name))

    def float(self, value: Value) -> Value:
        """As float32."""
        return self.cast(value, ElementType.F32)

    def reversed(self, value: Value) -> Value:
        """A value that sorts in reverse order: negated floats; for integers, whose minimum has no negation, minimum
        plus maximum of the type minus the value."""
        kind = self.element_type(value)
        if kind not in _INTEGERS:
            return self.add("neg", value)
        limits = torch.iinfo(_INTEGERS[kind])
        return self.add("subtract", self.number(limits.min + limits.max, kind), value)

    def scaled(self, value: Value, factor: builtins.float) -> Value:
        """Multiplied by a number."""
        return value if factor == 1 else self.add("multiply", value, self.number(factor, self.element_type(value)))

    def shifted(self, value: Value, by: builtins.float) -> Value:
        """With a number added to each element."""
        return value if by == 0 else self.add("add", value, self.number(by, self.element_type(value)))

    def reshape(self, value: Value, shape: Sequence[int]) -> Value:
        """Reshapes to a shape with the same number of elements."""
        return value if self.shape(value) == tuple(shape) else self.add("reshape", value, dims=list(shape))

    def transpose(self, value: Value, order: Sequence[int]) -> Value:
        """Permutes the axes to this order."""
        return value if list(order) == sorted(order) else self.add("transpose", value, perm=list(order))

    def swap(self, value: Value, a: int, b: int) -> Value:
        """Exchanges two axes."""
        order = list(range(len(self.shape(value))))
        order[a], order[b] = order[b], order[a]
        return self.transpose(value, order)

    def map_axis(self, value: Value, axis: int, matrix: Any) -> Value:
        """Multiplies by `matrix` [out, in] along an axis."""
        matrix = numpy.asarray(matrix, numpy.float32)
        if matrix.shape[0] == matrix.shape[1] and (matrix == numpy.eye(matrix.shape[0])).all():
            return value
        return self.add("map_axis", value, self.constant(matrix, "matrix"), axis=axis)

    def select(self, value: Value, axis: int, positions: Sequence[int]) -> Value:
        """Selects positions along an axis; -1: zeros."""
        shape = self.shape(value)
        size, wanted = shape[axis], len(positions)
        if list(positions) == list(range(size)):
            return value
        rows = numpy.asarray(positions, numpy.int64)
        if size * wanted <= _MATRIX:
            matrix = numpy.zeros((wanted, size), numpy.float32)
            there = rows >= 0
            matrix[numpy.arange(wanted)[there], rows[there]] = 1
            return self.map_axis(value, axis, matrix)
        flat = self.reshape(value, [math.prod(shape[:axis]), size, math.prod(shape[axis + 1:])])
        picked = self.add("gather_rows", flat, self.constant(rows.astype(numpy.int32)[None], "rows"))
        return self.reshape(picked, [*shape[:axis], wanted, *shape[axis + 1:]])

    def sum(self, value: Value, axis: int) -> Value:
        """Sum along an axis, which stays with size 1."""
        return self.map_axis(value, axis, numpy.ones((1, self.shape(value)[axis])))

    def broadcast(self, value: Value, shape: Sequence[int]) -> Value:
        """Broadcasts to a shape of the same or a higher rank."""
        value = self.reshape(value, [1] * (len(shape) - len(self.shape(value))) + list(self.shape(value)))
        for axis, size in enumerate(shape):
            if self.shape(value)[axis] != size:
                value = self.map_axis(value, axis, numpy.ones((size, 1)))
        return value

    def safe_softmax(self, value: Value, axis: int) -> Value:
        """Softmax with zeros where all elements along the axis are minus infinity, as in torch's attention."""
        most = self.add("reduce_max", value, axis=axis)
        masked = self.add("equal", most, self.number(-math.inf))
        return self.add("where", masked, self.number(0), self.add("softmax", value, axis=axis))

    def channels(self, value: Value, rank: int, axis: int = 1) -> Value:
        """[channels] reshaped to broadcast along one axis of a tensor of that rank."""
        shape = [1] * rank
        shape[axis] = math.prod(self.shape(value))
        return self.reshape(value, shape)

    def concat(self, values: Sequence[Value], axis: int) -> Value:
        """Concatenates, as a sum of values padded with zeros. Values without elements along the axis are omitted."""
        values = [value for value in values if self.shape(value)[axis] > 0] or list(values[:1])
        sizes = [self.shape(value)[axis] for value in values]
        total, start = sum(sizes), 0
        result: Value | None = None
        for value, size in zip(values, sizes, strict=True):
            rows = [-1] * start + list(range(size)) + [-1] * (total - start - size)
            placed = self.select(value, axis, rows)
            result = placed if result is None else self.add("add", result, placed)
            start += size
        assert result is not None, "concat needs at least one value with elements"
        return result
