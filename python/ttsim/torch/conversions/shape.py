"""Changes of shape, order or element type."""
from __future__ import annotations

import math
from typing import Any

import torch

from ..table import Op, Refused, Tensor, converts

aten = torch.ops.aten


@converts(aten.view.default, aten._unsafe_view.default, aten._reshape_copy.default, aten.unsqueeze.default,
          aten.squeeze.default, aten.squeeze.dim, aten.squeeze.dims, aten.reshape.default, aten.flatten.using_ints,
          aten.unflatten.int, aten.view_as.default, aten.reshape_as.default)
def view(op: Op, x: Tensor, *rest: Any) -> Any:
    return op.build.reshape(op.tensor(x, x.dtype), op.result.shape)


@converts(aten.permute.default)
def permute(op: Op, x: Tensor, order: Any) -> Any:
    return op.build.transpose(op.tensor(x, x.dtype), [x.axis(axis) for axis in order])


@converts(aten.transpose.int, aten.swapaxes.default, aten.swapdims.default)
def transpose(op: Op, x: Tensor, a: Any, b: Any) -> Any:
    return op.build.swap(op.tensor(x, x.dtype), x.axis(a), x.axis(b)) if x.rank else op.tensor(x, x.dtype)


@converts(aten.t.default)
def matrix_transpose(op: Op, x: Tensor) -> Any:
    return op.build.swap(op.tensor(x, x.dtype), 0, 1) if x.rank == 2 else op.tensor(x, x.dtype)


@converts(aten.mT.default)
def matrices_transpose(op: Op, x: Tensor) -> Any:
    return op.build.swap(op.tensor(x, x.dtype), x.rank - 2, x.rank - 1)


@converts(aten.numpy_T.default)
def reverse(op: Op, x: Tensor) -> Any:
    """Reverses the order of the axes."""
    return op.build.transpose(op.tensor(x, x.dtype), list(range(x.rank))[::-1])


@converts(aten.movedim.int, aten.movedim.intlist)
def move(op: Op, x: Tensor, source: Any, destination: Any) -> Any:
    """Moves axes `source` to the positions `destination`; the others keep their order."""
    pairs = [source], [destination]
    if not isinstance(source, int):
        pairs = source, destination
    to = dict(zip(map(x.axis, pairs[1]), map(x.axis, pairs[0]), strict=True))
    others = iter(axis for axis in range(x.rank) if axis not in to.values())
    return op.build.transpose(op.tensor(x, x.dtype), [to[k] if k in to else next(others) for k in range(x.rank)])


@converts(aten.expand.default, aten.expand_as.default)
def expand(op: Op, x: Tensor, shape: Any, *, implicit: Any = False) -> Any:
    return op.build.broadcast(op.tensor(x, x.dtype), op.result.shape)


@converts(aten.repeat.default)
def repeat(op: Op, x: Tensor, times: Any) -> Any:
    value = op.build.reshape(op.tensor(x, x.dtype), [1] * (len(times) - x.rank) + list(x.shape))
    for axis, count in enumerate(times):
        size = op.build.shape(value)[axis]
        value = op.build.select(value, axis, [k % size for k in range(size * count)])
    return value


@converts(aten.repeat_interleave.self_int)
def repeat_interleave(op: Op, x: Tensor, times: Any, axis: Any = None, *, output_size: Any = None) -> Any:
    value = op.tensor(x, x.dtype)
    if axis is None:
        value, axis = op.build.reshape(value, [math.prod(x.shape)]), 0
    axis = axis + len(op.build.shape(value)) if axis < 0 else axis
    size = op.build.shape(value)[axis]
    return op.build.select(value, axis, [k // times for k in range(size * times)])


@converts(aten.detach.default)
def detach(op: Op, x: Tensor) -> Any:
    """The operand itself; in training, gradients do not pass it."""
    value = op.tensor(x, x.dtype)
    stops = op.build.training and x.dtype.is_floating_point
    return op.build.add("scale_gradient", value, op.build.number(0)) if stops else value


@converts(aten.clone.default, aten.alias.default, aten.lift_fresh_copy.default, aten.contiguous.default)
def copy(op: Op, x: Tensor, *rest: Any, **named: Any) -> Any:
    """The operand itself."""
    return op.tensor(x, x.dtype)


@converts(aten.dropout.default, aten.native_dropout.default)
def dropout(op: Op, x: Tensor, p: float, train: bool | None) -> Any:
    """Random in training only; otherwise the operand itself."""
    active = p > 0 and train is not False
    if active and not op.build.training:
        raise Refused("dropout in training is random")
    value = op.build.dropout(op.float(x), p) if active else op.tensor(x, x.dtype)
    return (value, None) if op.target == aten.native_dropout.default else value


@converts(aten.feature_dropout.default)
def feature_dropout(op: Op, x: Tensor, p: float, train: bool) -> Any:
    """Drops whole channels, [n, channels, ...]."""
    if not train or p == 0:
        return op.tensor(x, x.dtype)
    if not op.build.training:
        raise Refused("dropout in training is random")
    ones = op.build.constant(torch.ones([*x.shape[:2], *(1 for _ in x.shape[2:])]))
    return op.build.add("multiply", op.float(x), op.build.dropout(ones, p))


@converts(aten._to_copy.default, aten.to.dtype, aten.to.device, aten.to.dtype_layout, aten.to.other,
          aten.type_as.default)
def to_copy(op: Op, x: Tensor, *rest: Any, **named: Any) -> Any:
    return op.tensor(x, op.result.dtype)


@converts(aten.copy.default)
def copied(op: Op, x: Tensor, source: Tensor, *rest: Any) -> Any:
    return op.build.broadcast(op.tensor(source, x.dtype), x.shape)


@converts(aten.flip.default)
def flip(op: Op, x: Tensor, axes: Any) -> Any:
    value = op.tensor(x, x.dtype)
    for axis in map(x.axis, axes):
        value = op.build.select(value, axis, range(x.shape[axis])[::-1])
    return value


@converts(aten.roll.default)
def roll(op: Op, x: Tensor, shifts: Any, axes: Any = ()) -> Any:
    value = op.tensor(x, x.dtype)
    if not axes:
        value = op.build.reshape(value, [math.prod(x.shape)])
    for shift, axis in zip(shifts, map(x.axis, axes or [0]), strict=True):
        size = op.build.shape(value)[axis]
        value = op.build.select(value, axis, [(k - shift) % size for k in range(size)])
    return op.build.reshape(value, x.shape)


@converts(aten.pixel_shuffle.default)
def pixel_shuffle(op: Op, x: Tensor, factor: Any) -> Any:
    """[.., channels * factor^2, h, w] -> [.., channels, h * factor, w * factor]"""
    *lead, channels, h, w = x.shape
    outer, n = channels // factor**2, len(lead)
    value = op.build.reshape(op.tensor(x, x.dtype), [*lead, outer, factor, factor, h, w])
    value = op.build.transpose(value, [*range(n), n, n + 3, n + 1, n + 4, n + 2])
    return op.build.reshape(value, op.result.shape)


@converts(aten.pixel_unshuffle.default)
def pixel_unshuffle(op: Op, x: Tensor, factor: Any) -> Any:
    *lead, channels, h, w = x.shape
    n = len(lead)
    value = op.build.reshape(op.tensor(x, x.dtype), [*lead, channels, h // factor, factor, w // factor, factor])
    value = op.build.transpose(value, [*range(n), n, n + 2, n + 4, n + 1, n + 3])
    return op.build.reshape(value, op.result.shape)


@converts(aten.channel_shuffle.default, aten.native_channel_shuffle.default)
def channel_shuffle(op: Op, x: Tensor, groups: Any) -> Any:
    size = x.shape[1]
    return op.build.select(op.tensor(x, x.dtype), 1, [k % groups * (size // groups) + k // groups for k in range(size)])
