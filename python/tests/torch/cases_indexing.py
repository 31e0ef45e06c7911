"""Random arguments of ops that pick elements by number."""
import math

import torch
from draws import NUMBERS, known
from harness import case

aten = torch.ops.aten


def _ids(d, shape, size, negative=False):
    return d.values(shape, torch.int64, -size if negative else 0, size - 1)


def _sometimes_known(d, ids):
    return d.one(known(ids), ids)


@case(aten.embedding.default)
def words(d):
    rows = d.one(1, 5, 33)
    return [d.values([rows, d.one(1, 7, 16)]), _sometimes_known(d, _ids(d, d.shape(0, 3, most=40), rows))]


def _bags(d):
    rows, count, mode = d.one(2, 5, 33), d.one(1, 4, 7), d.one(0, 1, 2)
    starts = known(torch.tensor([0, d.integer(0, count), d.integer(0, count)]).sort().values)
    factors = d.values([count]) if mode == 0 and d.flag() else None
    ids = _sometimes_known(d, _ids(d, [count], rows))
    return [d.values([rows, d.one(1, 7, 16)]), ids, starts, False, mode, False, factors, False]


@case(aten.embedding_bag.default, results=(0,))
def bags(d):
    return _bags(d)


@case(aten.embedding_bag.padding_idx, results=(0,), refuses=("a padding id",))
def bags_with_padding(d):
    return [*_bags(d), d.one(None, 1)]


@case(aten.index_select.default)
def selected(d):
    a = d.values(d.shape(0, 4, most=800), d.one(*NUMBERS))
    axis = d.axis(a)
    return [a, axis, _sometimes_known(d, _ids(d, [d.one(1, 2, 5) if a.dim() else 1], a.shape[axis] if a.dim() else 1))]


@case(aten.index.Tensor, aten._unsafe_index.Tensor)
def one_index(d):
    a = d.values(d.shape(1, 4, most=800), d.one(*NUMBERS))
    axis = d.integer(0, a.dim() - 1)
    ids = _ids(d, d.shape(0, 3, most=12, sides=(1, 2, 3)), a.shape[axis], negative=True)
    return [a, [None] * axis + [_sometimes_known(d, ids)]]


@case(aten.index.Tensor, aten._unsafe_index.Tensor, refuses=("several indices",))
def several_indices(d):
    a = d.values(d.shape(2, 4, most=800), d.one(*NUMBERS))
    shape = d.shape(0, 2, most=12, sides=(1, 2, 3))
    used = [d.flag() for _ in a.shape]
    if not any(used):
        used[0] = True
    indices = []
    for size, take in zip(a.shape, used, strict=True):
        thin = [1 if d.integer(0, 3) == 0 else side for side in shape]
        indices.append(known(_ids(d, thin, size, negative=True)) if take else None)
    if d.integer(0, 4) == 0:
        indices = [one if one is None else one.as_subclass(torch.Tensor) for one in indices]
    return [a, indices]


@case(aten.index.Tensor, refuses=("a computed mask",))
def masked(d):
    a = d.values(d.shape(1, 3, most=300), d.one(*NUMBERS))
    mask = d.values(a.shape[:d.integer(1, a.dim())], torch.bool)
    mask.view(-1)[0] = True
    return [a, [known(mask) if d.integer(0, 4) else mask]]


@case(aten.take_along_dim.default, refuses=("without an axis",))
def taken_along(d):
    a, axis, ids = gathered(d)
    return [a, ids, axis if a.dim() and d.integer(0, 4) else None]


@case(aten.gather.default)
def gathered(d):
    a = d.values(d.shape(0, 4, most=300))
    axis = d.axis(a)
    shape = [side if k == axis % max(a.dim(), 1) else side for k, side in enumerate(a.shape)]
    if a.dim():
        shape[axis] = d.one(1, 2, 5)
    ids = _ids(d, shape, a.shape[axis] if a.dim() else 1)
    return [a, axis, _sometimes_known(d, ids)]


@case(aten.gather.default)
def gathered_in_part(d):
    a = d.values(d.shape(1, 4, most=300))
    axis = d.axis(a)
    ids = _ids(d, [d.integer(1, side) for side in a.shape], a.shape[axis])
    return [a, axis, _sometimes_known(d, ids)]


def _places(d, shape, count):
    """Of `count` distinct elements, as an index for each axis."""
    flat = torch.randperm(math.prod(shape), generator=torch.Generator().manual_seed(d.integer(0, 1 << 20)))[:count]
    return [known(one) for one in torch.unravel_index(flat, shape)]


@case(aten.index_put.default, aten._unsafe_index_put.default, refuses=("computed positions",))
def put(d):
    a = d.values(d.shape(1, 4, most=300), d.one(*NUMBERS))
    places = _places(d, list(a.shape), d.integer(1, min(a.numel(), 7)))
    values = d.values(d.one([], [places[0].numel()]), a.dtype)
    return [a, places, values, d.integer(0, 5) == 0]


@case(aten.scatter.src, refuses=("computed positions",))
def scattered(d):
    a = d.values(d.shape(1, 3, most=200), d.one(*NUMBERS))
    axis = d.axis(a)
    shape = [d.integer(1, side) for side in a.shape]
    order = torch.rand(shape[:axis % a.dim()] + [a.shape[axis]] + shape[axis % a.dim() + 1:],
                       generator=torch.Generator().manual_seed(d.integer(0, 1 << 20))).argsort(axis)
    ids = order.narrow(axis, 0, shape[axis]).contiguous()
    return [a, axis, known(ids) if d.integer(0, 4) else ids, d.values(a.shape, a.dtype)]


@case(aten.scatter.value)
def scattered_number(d):
    a = d.values(d.shape(1, 3, most=200), d.one(*NUMBERS))
    axis = d.axis(a)
    return [a, axis, known(_ids(d, [d.integer(1, side) for side in a.shape], a.shape[axis])), d.one(0, 2)]


@case(aten.one_hot.default, refuses=("without a number of classes",))
def one_hot(d):
    size = d.one(1, 5, 9)
    return [_ids(d, d.shape(0, 3, most=40), size), d.one(size, size, -1)]
