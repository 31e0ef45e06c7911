"""Pooling over windows, and adaptive pooling."""
from __future__ import annotations

import math
from typing import Any

import numpy
import torch

from ..table import Op, Refused, Tensor, converts

aten = torch.ops.aten


def _spread(values: Any, axes: int, otherwise: list[int]) -> list[int]:
    values = list(values) if isinstance(values, (list, tuple)) else [values]
    return [int(value) for value in (values * axes if len(values) == 1 else values)] or otherwise


def _batched(op: Op, x: Tensor, axes: int) -> Any:
    """x as [n, channels, ..]."""
    value = op.float(x)
    return value if x.rank == axes + 2 else op.build.reshape(value, [1, *x.shape])


def _max_pool(op: Op, x: Tensor, shape: Any, kernel: Any, stride: Any = (), padding: Any = 0, dilation: Any = 1, ceil_mode: Any = False) -> Any:
    axes = len(kernel)
    stride, padding, dilation = (_spread(stride, axes, kernel), _spread(padding, axes, [0] * axes),
                                 _spread(dilation, axes, [1] * axes))
    sizes = zip(x.shape[-axes:], shape[-axes:], kernel, stride, padding, dilation, strict=True)
    # padding at the end as needed for torch's number of windows
    behind = [max((out - 1) * step + (width - 1) * apart + 1 - size - pad, 0)
              for size, out, width, step, pad, apart in sizes]
    y = op.build.add("max_pool", _batched(op, x, axes), kernel=kernel, strides=stride, dilations=dilation,
                     pads=[*padding, *behind])
    return op.build.reshape(y, shape)


def _axes(op: Op) -> int:
    return int(str(op.target).split("pool")[1][0])


@converts(aten.max_pool1d.default, aten.max_pool2d.default, aten.max_pool3d.default)
def max_pool(op: Op, x: Tensor, kernel: Any, *window: Any, **named: Any) -> Any:
    return _max_pool(op, x, op.result.shape, _spread(kernel, _axes(op), []), *window, **named)


@converts(aten.max_pool2d_with_indices.default, aten.max_pool3d_with_indices.default)
def max_pool_with_places(op: Op, x: Tensor, kernel: Any, *window: Any, **named: Any) -> Any:
    """The maxima only; their indices are not computed."""
    return _max_pool(op, x, op.result[0].shape, _spread(kernel, _axes(op), []), *window, **named), None


@converts(aten.avg_pool1d.default, aten.avg_pool2d.default, aten.avg_pool3d.default)
def average_pool(op: Op, x: Tensor, kernel: Any, stride: Any = (), padding: Any = 0, ceil_mode: Any = False, count_include_pad: Any = True,
                 divisor_override: Any = None) -> Any:
    axes = _axes(op)
    kernel = _spread(kernel, axes, [])
    stride, padding = _spread(stride, axes, kernel), _spread(padding, axes, [0] * axes)
    if divisor_override is not None and ceil_mode:
        raise Refused("divisor_override with ceil_mode, which may cut off windows")
    y = _batched(op, x, axes)
    counted = count_include_pad or divisor_override is not None
    y = op.build.add("average_pool", y, kernel=kernel, strides=stride, pads=[*padding, *padding],
                     ceil_mode=int(ceil_mode), count_include_pad=int(counted))
    if math.prod(op.build.shape(y)) != math.prod(op.result.shape):
        raise Refused("with ceil_mode a last window would be entirely in the padding, which torch omits")
    if divisor_override is not None:
        y = op.build.scaled(y, math.prod(kernel) / divisor_override)
    return op.build.reshape(y, op.result.shape)


@converts(aten.adaptive_avg_pool1d.default, aten.adaptive_avg_pool2d.default, aten._adaptive_avg_pool2d.default,
          aten.adaptive_avg_pool3d.default, aten._adaptive_avg_pool3d.default)
def adaptive_average_pool(op: Op, x: Tensor, sizes: Any) -> Any:
    """Means of parts of each axis, which overlap if their number does not divide the size."""
    value = op.float(x)
    for axis, parts in zip(range(x.rank - len(sizes), x.rank), op.result.shape[x.rank - len(sizes):], strict=True):
        value = op.build.map_axis(value, axis, _means(x.shape[axis], parts))
    return value


def _means(size: int, parts: int) -> numpy.ndarray:
    matrix = numpy.zeros((parts, size), numpy.float32)
    for part in range(parts):
        start, end = part * size // parts, -(-(part + 1) * size // parts)
        matrix[part, start:end] = 1 / (end - start)
    return matrix


@converts(aten.adaptive_max_pool2d.default, aten.adaptive_max_pool3d.default)
def adaptive_max_pool(op: Op, x: Tensor, sizes: Any) -> Any:
    """Of parts that divide each axis; the indices of the maxima are not computed."""
    axes, result = len(sizes), op.result[0].shape
    inside, outside = x.shape[-axes:], result[-axes:]
    if any(size % parts for size, parts in zip(inside, outside, strict=True)):
        raise Refused(f"{list(inside)} divided into {list(outside)} gives parts of different sizes")
    kernel = [size // parts for size, parts in zip(inside, outside, strict=True)]
    return _max_pool(op, x, result, kernel), None
