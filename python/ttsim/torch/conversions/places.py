"""Strided views and scattered sums; distances between rows."""
from __future__ import annotations

import math
from typing import Any

import torch
import torch.nn.functional as F

from ..table import Op, Refused, Tensor, converts

aten = torch.ops.aten
_MOST = 1 << 16  # maximum pairs of elements compared along an axis


def _moved(op: Op, x: Tensor, places: torch.Tensor) -> Any:
    """Selects elements by their indices in a contiguous tensor."""
    flat = op.build.reshape(op.tensor(x, x.dtype), [math.prod(x.shape)])
    return op.build.reshape(op.build.select(flat, 0, places.flatten().tolist()), op.result.shape)


@converts(aten.as_strided.default)
def as_strided(op: Op, x: Tensor, size: Any, stride: Any, offset: Any = None) -> Any:
    if not x.contiguous:
        raise Refused("its operand is not contiguous")
    return _moved(op, x, torch.arange(math.prod(x.shape)).as_strided(size, stride, offset or 0))


@converts(aten.diagonal.default)
def diagonal(op: Op, x: Tensor, offset: Any = 0, axis1: Any = 0, axis2: Any = 1) -> Any:
    return _moved(op, x, torch.arange(math.prod(x.shape)).reshape(x.shape).diagonal(offset, axis1, axis2))


@converts(aten.scatter_add.default)
def scatter_add(op: Op, x: Tensor, axis: Any, ids: Tensor, added: Tensor) -> Any:
    """Multiplies by a matrix of zeros and ones for each row, which maps elements to positions."""
    b = op.build
    if x.rank == 0:
        return b.add("add", op.tensor(x, x.dtype), b.reshape(op.tensor(added, x.dtype), []))
    axis = x.axis(axis)
    size, count = x.shape[axis], ids.shape[axis]
    if any(x.shape[k] != ids.shape[k] or ids.shape[k] != added.shape[k] for k in range(x.rank) if k != axis):
        raise Refused("the indices or elements are smaller than another axis")
    if not x.dtype.is_floating_point:  # may exceed the integers that float32 represents
        elements = op.tensor(added, x.dtype)
        for k in range(x.rank):
            elements = b.select(elements, k, range(ids.shape[k]))
        return b.add("scatter_elements", op.tensor(x, x.dtype), op.tensor(ids, ids.dtype), elements, axis=axis,
                     reduction="add")
    if size * count > _MOST:
        raise Refused(f"{count} elements are scattered to {size} positions; at most {_MOST} pairs are supported")
    places, elements = (b.swap(op.float(one), axis, x.rank - 1) for one in (ids, added))
    if added.shape[axis] != count:
        elements = b.select(elements, x.rank - 1, range(count))
    outer = list(b.shape(places))[:-1]
    rows = b.constant(torch.arange(size, dtype=torch.float32).reshape(size, 1), "rows")
    there = b.float(b.add("equal", b.reshape(places, [*outer, 1, count]), rows))
    sums = b.sum(b.add("multiply", there, b.reshape(elements, [*outer, 1, count])), len(outer) + 1)
    sums = b.swap(b.reshape(sums, [*outer, size]), axis, x.rank - 1)
    return b.add("add", op.tensor(x, x.dtype), op.build.cast(sums, op.build.element_type(op.tensor(x, x.dtype))))


@converts(aten.scatter_reduce.two)
def scatter_reduce(op: Op, x: Tensor, axis: Any, ids: Tensor, added: Tensor, reduce: Any, *, include_self: Any = True) -> Any:
    if reduce != "sum" or not include_self:
        old = "" if include_self else " without the old values"
        raise Refused(f"it reduces by '{reduce}'{old}; only 'sum' is supported")
    return scatter_add(op, x, axis, ids, added)


@converts(aten.col2im.default)
def col2im(op: Op, x: Tensor, output_size: Any, kernel_size: Any, dilation: Any, padding: Any, stride: Any) -> Any:
    """Adds windows at their positions, by one matrix for each channel."""
    b = op.build
    taps, windows = math.prod(kernel_size), x.shape[-1]
    channels = x.shape[-2] // taps
    if taps * windows * math.prod(output_size) > 1 << 22:
        raise Refused(f"its matrix has {taps * windows} columns and {math.prod(output_size)} rows")
    matrix = F.fold(torch.eye(taps * windows).reshape(-1, taps, windows), output_size, kernel_size, dilation, padding,
                    stride).flatten(1).t()
    value = b.reshape(op.float(x), [math.prod(x.shape[:-2]), channels, taps * windows])
    return b.reshape(b.map_axis(value, 2, matrix), op.result.shape)


@converts(aten._cdist_forward.default)
def distances(op: Op, x: Tensor, y: Tensor, order: Any, mode: Any = None) -> Any:
    b = op.build
    if order not in (1, 2, math.inf) or x.shape[-1] == 0:
        raise Refused(f"the distance of order {order}; 1, 2 and infinity are supported")
    apart = b.add("subtract", b.reshape(op.float(x), [*x.shape[:-1], 1, x.shape[-1]]),
                  b.reshape(op.float(y), [*y.shape[:-2], 1, *y.shape[-2:]]))
    axis = len(b.shape(apart)) - 1
    if order == 2:
        total = b.add("sqrt", b.sum(b.add("square", apart), axis))
    elif order == 1:
        total = b.sum(b.add("abs", apart), axis)
    else:
        total = b.add("reduce_max", b.add("abs", apart), axis=axis)
    return b.reshape(total, op.result.shape)
