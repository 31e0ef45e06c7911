"""Elements selected by indices. Known indices become selections; others use the compiler's `take`."""
from __future__ import annotations

import math
from typing import Any

import torch

from ..table import Op, Refused, Tensor, converts

aten = torch.ops.aten


def _whole(known: torch.Tensor, size: int) -> list[int]:
    return [int(k) + size if k < 0 else int(k) for k in known.flatten().tolist()]


def _taken(op: Op, x: Tensor, value: Any, axis: int, ids: Tensor) -> Any:
    """Take along an axis of `value`; the axes of ids replace it."""
    shape = list(op.build.shape(value))
    if ids.known is not None:
        picked = op.build.select(value, axis, _whole(ids.known, shape[axis]))
        return op.build.reshape(picked, shape[:axis] + list(ids.shape) + shape[axis + 1:])
    return op.build.add("take", value, op.tensor(ids, ids.dtype), axis=axis)


@converts(aten.embedding.default)
def embedding(op: Op, weight: Tensor, ids: Tensor, padding: int = -1, scale_grad_by_freq: bool = False,
              sparse: bool = False) -> Any:
    """`padding`: in training, this row gets no gradient; -1: none."""
    if op.build.training and scale_grad_by_freq:
        raise Refused("gradients are divided by the number of equal ids")
    if op.build.training and padding >= 0:
        return op.build.add("take", op.float(weight), op.tensor(ids, ids.dtype), axis=0, padding_index=padding)
    return _taken(op, weight, op.float(weight), 0, ids)


_SUM, _MEAN, _MAX = range(3)  # modes of bags


@converts(aten.embedding_bag.padding_idx, aten.embedding_bag.default)
def embedding_bag(op: Op, weight: Tensor, ids: Tensor, offsets: Tensor, scale_grad_by_freq: Any = False, mode: Any = _SUM,
                  sparse: Any = False, factors: Tensor | None = None, with_end: Any = False, padding: Any = None) -> Any:
    """Sums, means or maxima of rows of a table. `offsets`: of the first row of each bag; `padding`: an id that counts
    as none."""
    if offsets.known is None:
        raise Refused("the sizes of bags are computed; give bags of one size, as rows of a matrix")
    if scale_grad_by_freq:
        raise Refused("gradients are divided by the number of equal ids")
    starts = offsets.known.tolist()
    ends = starts[1:] if with_end else [*starts[1:], ids.shape[0]]
    bags = [list(range(start, end)) for start, end in zip(starts, ends)]
    b, rows = op.build, _taken(op, weight, op.float(weight), 0, ids)
    if mode == _MAX:
        if padding is not None:
            raise Refused("a padding id among maxima")
        return [_maxima(op, rows, bags), None, None, None]
    counts: Any = None
    if factors is not None:
        rows = b.add("multiply", rows, b.reshape(op.float(factors), [ids.shape[0], 1]))
    bag_of = torch.zeros(len(bags), ids.shape[0])
    for bag, places in enumerate(bags):
        bag_of[bag, places] = 1
    if padding is not None:
        padded = b.add("equal", op.tensor(ids, ids.dtype), b.constant(torch.tensor(padding, dtype=ids.dtype)))
        there = b.reshape(b.add("subtract", b.number(1), b.float(padded)), [ids.shape[0], 1])
        rows, counts = b.add("multiply", rows, there), b.map_axis(there, 0, bag_of)
    elif mode == _MEAN:
        bag_of /= bag_of.sum(1, keepdim=True).clamp(min=1)
    sums = b.map_axis(rows, 0, bag_of)
    if mode == _MEAN and counts is not None:
        sums = b.add("divide", sums, b.add("maximum", counts, b.number(1)))
    return [sums, None, None, None]


def _maxima(op: Op, rows: Any, bags: list[list[int]]) -> Any:
    """Of the rows of each bag. Shorter bags repeat their last row; empty ones are zeros."""
    b, most = op.build, max(1, *(len(bag) for bag in bags))
    places = [bag[min(k, len(bag) - 1)] if bag else -1 for bag in bags for k in range(most)]
    wide = b.reshape(b.select(rows, 0, places), [len(bags), most, b.shape(rows)[1]])
    return b.reshape(b.add("reduce_max", wide, axis=1), op.result[0].shape)


@converts(aten.index_select.default)
def index_select(op: Op, x: Tensor, axis: Any, ids: Tensor) -> Any:
    if x.rank == 0:
        return op.tensor(x, x.dtype)
    return op.build.reshape(_taken(op, x, op.tensor(x, x.dtype), x.axis(axis), ids), op.result.shape)


@converts(aten.index.Tensor, aten._unsafe_index.Tensor)
def index(op: Op, x: Tensor, indices: Any) -> Any:
    """One index on any axis, or several known indices on adjacent axes."""
    used = [k for k, one in enumerate(indices) if one is not None]
    if any(indices[k].dtype == torch.bool and indices[k].known is None for k in used):
        raise Refused("a computed mask selects a number of elements that is not known at compile time")
    value = op.tensor(x, x.dtype)
    if len(used) == 1 and indices[used[0]].dtype != torch.bool:
        return op.build.reshape(_taken(op, x, value, used[0], indices[used[0]]), op.result.shape)
    if any(indices[k].known is None for k in used):
        raise Refused("several indices, some of them computed")
    return _gathered(op, x, value, [None if one is None else one.known for one in indices])


def _gathered(op: Op, x: Tensor, value: Any, known: list[torch.Tensor | None]) -> Any:
    """Known indices: moves the indexed axes to the front and merges them; each element of the result selects a row."""
    places = torch.arange(math.prod(x.shape)).reshape(x.shape)
    axes: list[int] = []
    axis = 0
    for one in known:
        width = one.dim() if one is not None and one.dtype == torch.bool else 1
        axes += range(axis, axis + width) if one is not None else []
        axis += width
    others = [k for k in range(x.rank) if k not in axes]
    lead, rest = math.prod(x.shape[k] for k in axes), [x.shape[k] for k in others]
    at = [slice(None) if one is None else one for one in known]
    rows = places[tuple(at)]
    flat = op.build.reshape(op.build.transpose(value, [*axes, *others]), [lead, *rest])
    # the row is taken from the first element along the other axes
    first = places.permute(*axes, *others).reshape(lead, -1)
    row_of = {int(place): row for row, place in enumerate(first[:, 0].tolist())} if first.numel() else {}
    spread, start = _index_axes(known, x.rank)
    wanted = rows.movedim(list(range(start, start + spread)), list(range(spread))) if spread else rows
    lead_shape = list(wanted.shape[:spread])
    heads = wanted.reshape(math.prod(lead_shape), -1)[:, 0].tolist() if wanted.numel() else []
    picked = op.build.select(flat, 0, [row_of[int(head)] for head in heads])
    picked = op.build.reshape(picked, [*lead_shape, *rest])
    order = list(range(spread, spread + start)) + list(range(spread)) + list(range(spread + start, len(rows.shape)))
    return op.build.reshape(op.build.transpose(picked, order), op.result.shape)


def _index_axes(known: list[torch.Tensor | None], rank: int) -> tuple[int, int]:
    """Number of result axes from the indices, and their position: that of the first index, or 0 if the indexed axes are
    not adjacent."""
    shapes: list[torch.Size] = []
    at: list[int] = []
    axis = 0
    for one in known:
        width = one.dim() if one is not None and one.dtype == torch.bool else 1
        if one is not None:
            shapes.append(one.shape if one.dtype != torch.bool else one.nonzero()[:, 0].shape)
            at += range(axis, axis + width)
        axis += width
    together = at == list(range(at[0], at[0] + len(at)))
    spread = len(torch.broadcast_shapes(*shapes))  # type: ignore[no-untyped-call]
    return spread, at[0] if together else 0


@converts(aten.take_along_dim.default)
def take_along_dim(op: Op, x: Tensor, ids: Tensor, axis: Any = None) -> Any:
    """gather with broadcasting of axes of size 1."""
    if axis is None or [k for k in range(x.rank) if k != x.axis(axis) and ids.shape[k] != x.shape[k]]:
        raise Refused("without an axis, or with broadcast axes")
    return gather(op, x, axis, ids)


@converts(aten.gather.default)
def gather(op: Op, x: Tensor, axis: Any, ids: Tensor, *, sparse_grad: Any = False) -> Any:
    """Gathers along an axis, by an index for each element: known indices select, others are compared with each
    position."""
    if x.rank == 0:
        return op.tensor(x, x.dtype)
    axis, b, value = x.axis(axis), op.build, op.tensor(x, x.dtype)
    if ids.known is not None:
        places = torch.arange(math.prod(x.shape)).reshape(x.shape).gather(axis, ids.known)
        flat = b.reshape(value, [math.prod(x.shape)])
        return b.reshape(b.select(flat, 0, places.flatten().tolist()), op.result.shape)
    if not x.dtype.is_floating_point and x.dtype != torch.bool:  # may exceed the integers that float32 represents
        return b.add("gather_elements", value, op.tensor(ids, ids.dtype), axis=axis)
    for k in range(x.rank):  # ids may be smaller along other axes
        if k != axis and ids.shape[k] != x.shape[k]:
            value = b.select(value, k, range(ids.shape[k]))
    size, last = x.shape[axis], x.rank
    wide = b.reshape(b.float(ids.value), [*ids.shape, 1])
    hit = b.float(b.add("equal", wide, b.constant(torch.arange(size, dtype=torch.float32))))
    order = [k for k in range(last) if k != axis] + [axis]
    lead = [size for k, size in enumerate(b.shape(value)) if k != axis]
    rows = b.reshape(b.transpose(b.float(value), order), [*lead[:axis], 1, *lead[axis:], size])
    return b.reshape(b.sum(b.add("multiply", hit, rows), last), op.result.shape)


@converts(aten.index_put.default, aten._unsafe_index_put.default)
def index_put(op: Op, x: Tensor, indices: Any, values: Tensor, accumulate: Any = False) -> Any:
    """At known positions only."""
    if accumulate or any(one is not None and one.known is None for one in indices) or x.dtype == torch.bool:
        raise Refused("computed positions, accumulation and bool are not supported")
    b, size = op.build, math.prod(x.shape)
    at = tuple(slice(None) if one is None else one.known for one in indices)
    places = torch.arange(size).reshape(x.shape)[at]
    given = b.broadcast(op.tensor(values, x.dtype), places.shape)
    return _placed(op, x, places, given)


def _placed(op: Op, x: Tensor, places: torch.Tensor, given: Any) -> Any:
    b, size = op.build, math.prod(x.shape)
    into = [-1] * size
    for k, place in enumerate(places.flatten().tolist()):
        into[place] = k
    keep = torch.tensor([place < 0 for place in into]).to(x.dtype)
    kept = b.add("multiply", b.reshape(op.tensor(x, x.dtype), [size]), b.constant(keep))
    put = b.select(b.reshape(given, [places.numel()]), 0, into)
    return b.reshape(b.add("add", kept, put), x.shape)


@converts(aten.scatter.src, aten.scatter.value)
def scatter(op: Op, x: Tensor, axis: Any, ids: Tensor, source: Any) -> Any:
    if ids.known is None or x.dtype == torch.bool:
        raise Refused("computed positions and bool are not supported")
    places = torch.arange(math.prod(x.shape)).reshape(x.shape).gather(x.axis(axis), ids.known) if x.rank else \
        torch.zeros((), dtype=torch.int64)
    b = op.build
    if not isinstance(source, Tensor):
        return _placed(op, x, places, b.broadcast(op.tensor(source, x.dtype), places.shape))
    value = op.tensor(source, x.dtype)
    for k, size in enumerate(ids.shape):
        value = b.select(value, k, range(size))
    return _placed(op, x, places, value)


@converts(aten.one_hot.default)
def one_hot(op: Op, ids: Tensor, classes: Any = -1) -> Any:
    if classes < 1:
        raise Refused("without a number of classes, the shape depends on values")
    b = op.build
    wide = b.reshape(op.tensor(ids, ids.dtype), [*ids.shape, 1])
    return b.add("equal", wide, b.constant(torch.arange(classes)))
