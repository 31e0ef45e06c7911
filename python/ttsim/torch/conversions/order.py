"""Sorting: the position of each element is the number of elements before it."""
from __future__ import annotations

from typing import Any

import torch

from ..table import Op, Refused, Tensor, converts, known_kind

aten = torch.ops.aten
_MOST = 128  # maximum elements of the axis, since all are compared with all


def _ordered(op: Op, x: Tensor, axis: int, descending: bool, count: int) -> Any:
    """The first `count` elements and their indices, along the axis. Equal elements keep their order."""
    if x.rank == 0:
        return op.tensor(x, x.dtype), op.build.number(0, known_kind(torch.int64))
    axis, size, b = x.axis(axis), x.shape[x.axis(axis)], op.build
    if not x.dtype.is_floating_point and x.dtype != torch.bool:  # may exceed the integers that float32 represents
        values = b.add("top_k", op.tensor(x, x.dtype), axis=axis, k=count, largest=int(descending))
        return values, b.add("result", values, index=1)
    if size > _MOST:
        raise Refused(f"it sorts {size} elements; at most {_MOST} are supported")
    value = b.swap(op.float(x), axis, x.rank - 1)
    outer = list(b.shape(value))[:-1]
    here, there = b.reshape(value, [*outer, size, 1]), b.reshape(value, [*outer, 1, size])
    earlier = b.constant(torch.tril(torch.ones(size, size), -1), "earlier")
    ahead = b.float(b.add("greater" if descending else "less", there, here))
    same = b.add("multiply", b.float(b.add("equal", there, here)), earlier)
    place = b.reshape(b.sum(b.add("add", ahead, same), len(outer) + 1), [*outer, 1, size])
    wanted = b.constant(torch.arange(count, dtype=torch.float32).reshape(count, 1), "places")
    chosen = b.float(b.add("equal", place, wanted))
    numbers = b.constant(torch.arange(size, dtype=torch.float32).reshape(1, size), "numbers")

    def taken(of: Any) -> Any:
        found = b.sum(b.add("multiply", chosen, of), len(outer) + 1)
        return b.swap(b.reshape(found, [*outer, count]), axis, x.rank - 1)
    return b.cast(taken(there), known_kind(x.dtype)), b.cast(taken(numbers), known_kind(torch.int64))


@converts(aten.sort.default)
def sort(op: Op, x: Tensor, axis: Any = -1, descending: Any = False) -> Any:
    return _ordered(op, x, axis, descending, x.shape[x.axis(axis)] if x.rank else 1)


@converts(aten.sort.stable)
def sort_stable(op: Op, x: Tensor, *, stable: Any = None, dim: Any = -1, descending: Any = False) -> Any:
    return sort(op, x, dim, descending)


@converts(aten.topk.default)
def topk(op: Op, x: Tensor, k: Any, axis: Any = -1, largest: Any = True, sorted: Any = True) -> Any:  # noqa: A002 (torch's name)
    return _ordered(op, x, axis, largest, k)


@converts(aten.cumprod.default)
def cumprod(op: Op, x: Tensor, axis: Any, *, dtype: Any = None) -> Any:
    """By doubling: products of 2, 4, 8 ... neighbours."""
    value, b = op.tensor(x, op.result.dtype), op.build
    if x.rank == 0:
        return value
    axis, size = x.axis(axis), x.shape[x.axis(axis)]
    step = 1
    while step < size:
        ones = torch.zeros([size if k == axis else 1 for k in range(x.rank)])
        ones.narrow(axis, 0, step).fill_(1)
        moved = b.select(value, axis, [-1] * step + list(range(size - step)))
        neighbour = b.add("add", moved, b.cast(b.constant(ones, "ones"), known_kind(op.result.dtype)))
        value = b.add("multiply", value, neighbour)
        step *= 2
    return value
