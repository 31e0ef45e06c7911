"""Slices along an axis, concatenation and padding."""
from __future__ import annotations

from typing import Any

import torch

from ..table import Op, Refused, Tensor, converts

aten = torch.ops.aten


def _places(size: int, start: Any, end: Any, step: Any) -> range:
    return range(size)[slice(start, end, step)]


@converts(aten.slice.Tensor)
def part(op: Op, x: Tensor, axis: Any = 0, start: Any = None, end: Any = None, step: Any = 1) -> Any:
    axis = x.axis(axis)
    return op.build.select(op.tensor(x, x.dtype), axis, _places(x.shape[axis], start, end, step))


@converts(aten.narrow.default)
def narrow(op: Op, x: Tensor, axis: Any, start: Any, length: Any) -> Any:
    axis = x.axis(axis)
    start = start + x.shape[axis] if start < 0 else start
    return op.build.select(op.tensor(x, x.dtype), axis, range(start, start + length))


@converts(aten.select.int)
def select(op: Op, x: Tensor, axis: Any, index: Any) -> Any:
    axis = x.axis(axis)
    picked = op.build.select(op.tensor(x, x.dtype), axis, [range(x.shape[axis])[index]])
    return op.build.reshape(picked, op.result.shape)


def _parts(op: Op, x: Tensor, axis: int, sizes: list[int]) -> Any:
    value, start, parts = op.tensor(x, x.dtype), 0, []
    for size in sizes:
        parts.append(op.build.select(value, axis, range(start, start + size)))
        start += size
    return parts


@converts(aten.split.Tensor, aten.split_with_sizes.default, aten.split.sizes, aten.chunk.default,
          aten.tensor_split.sections, aten.tensor_split.indices)
def split(op: Op, x: Tensor, size: Any, axis: Any = 0) -> Any:
    axis = x.axis(axis)
    return _parts(op, x, axis, [part.shape[axis] for part in op.result])


@converts(aten.unbind.int)
def unbind(op: Op, x: Tensor, axis: Any = 0) -> Any:
    axis = x.axis(axis)
    parts = _parts(op, x, axis, [1] * x.shape[axis])
    return [op.build.reshape(one, result.shape) for one, result in zip(parts, op.result, strict=True)]


@converts(aten.cat.default)
def cat(op: Op, parts: Any, axis: Any = 0) -> Any:
    """Empty vectors with tensors of higher rank are omitted, as in torch."""
    rank = len(op.result.shape)
    values = [op.tensor(one, op.result.dtype) for one in parts if one.rank == rank]
    return op.build.concat(values, axis + rank if axis < 0 else axis)


@converts(aten.stack.default)
def stack(op: Op, parts: Any, axis: Any = 0) -> Any:
    rank = len(op.result.shape)
    axis = axis + rank if axis < 0 else axis
    one = [size if k != axis else 1 for k, size in enumerate(op.result.shape)]
    return op.build.concat([op.build.reshape(op.tensor(p, op.result.dtype), one) for p in parts], axis)


def _replaced(op: Op, x: Tensor, source: Any, axis: int, places: list[int]) -> Any:
    """x with `source` [.., len(places), ..] at these positions of an axis."""
    b, size = op.build, x.shape[axis]
    into = [-1] * size
    for k, place in enumerate(places):
        into[place] = k
    keep = torch.tensor([float(place < 0) for place in into], dtype=torch.float32)
    shape = [1] * x.rank
    shape[axis] = size
    mask = b.constant(keep.reshape(shape).to(x.dtype))
    kept = b.add("multiply", b.cast(op.tensor(x, x.dtype), b.element_type(mask)), mask)
    return b.add("add", kept, b.select(source, axis, into))


@converts(aten.slice_scatter.default)
def slice_scatter(op: Op, x: Tensor, source: Tensor, axis: Any = 0, start: Any = None, end: Any = None, step: Any = 1) -> Any:
    axis = x.axis(axis)
    places = list(_places(x.shape[axis], start, end, step))
    if x.dtype == torch.bool:
        raise Refused("slices of bool are not replaced")
    return _replaced(op, x, op.tensor(source, x.dtype), axis, places) if places else op.tensor(x, x.dtype)


@converts(aten.select_scatter.default)
def select_scatter(op: Op, x: Tensor, source: Tensor, axis: Any, index: Any) -> Any:
    axis = x.axis(axis)
    if x.dtype == torch.bool:
        raise Refused("slices of bool are not replaced")
    one = [size if k != axis else 1 for k, size in enumerate(x.shape)]
    value = op.build.reshape(op.tensor(source, x.dtype), one)
    return _replaced(op, x, value, axis, [range(x.shape[axis])[index]])


@converts(aten.constant_pad_nd.default)
def pad(op: Op, x: Tensor, pads: Any, value: Any = 0) -> Any:
    """Negative pads crop."""
    y, inside = op.tensor(x, x.dtype), torch.ones(x.shape)
    inside = aten.constant_pad_nd(inside, pads, 0)
    for k in range(len(pads) // 2):
        axis, size = x.rank - 1 - k, x.shape[x.rank - 1 - k]
        rows = [r if 0 <= r < size else -1 for r in range(-pads[2 * k], size + pads[2 * k + 1])]
        y = op.build.select(y, axis, rows)
    if value:
        border = torch.full(inside.shape, value).masked_fill(inside.bool(), 0)
        y = op.build.add("add", y, op.build.constant(border.to(x.dtype)))
    return y


def _mirrored(op: Op, x: Tensor, pads: Any, source: Any) -> Any:
    y = op.tensor(x, x.dtype)
    for k in range(len(pads) // 2):
        axis, size = x.rank - 1 - k, x.shape[x.rank - 1 - k]
        y = op.build.select(y, axis, [source(r, size) for r in range(-pads[2 * k], size + pads[2 * k + 1])])
    return y


@converts(aten.reflection_pad1d.default, aten.reflection_pad2d.default, aten.reflection_pad3d.default)
def reflection_pad(op: Op, x: Tensor, pads: Any) -> Any:
    return _mirrored(op, x, pads, lambda r, size: size - 1 - abs(size - 1 - abs(r)))


@converts(aten.replication_pad1d.default, aten.replication_pad2d.default, aten.replication_pad3d.default)
def replication_pad(op: Op, x: Tensor, pads: Any) -> Any:
    return _mirrored(op, x, pads, lambda r, size: min(max(r, 0), size - 1))


@converts(aten.pad.default)
def pad_by_name(op: Op, x: Tensor, pads: Any, mode: Any = "constant", value: Any = None) -> Any:
    if mode == "constant":
        return pad(op, x, pads, value or 0)
    if mode not in ("reflect", "replicate"):
        raise Refused(f"padding mode '{mode}'")
    return (reflection_pad if mode == "reflect" else replication_pad)(op, x, pads)


@converts(aten.tril.default, aten.triu.default)
def triangle(op: Op, x: Tensor, diagonal: Any = 0) -> Any:
    ones = torch.ones(x.shape[-2:])
    mask = (ones.tril if op.target == aten.tril.default else ones.triu)(diagonal)
    if x.dtype == torch.bool:
        return op.build.add("and", op.bool(x), op.build.constant(mask.bool()))
    return op.build.add("multiply", op.tensor(x, x.dtype), op.build.constant(mask.to(x.dtype)))
