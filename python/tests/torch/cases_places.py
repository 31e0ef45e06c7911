"""Random arguments of ops that put elements in order or to other places, and of distances."""
import math

import torch
from draws import NUMBERS
from harness import case

aten = torch.ops.aten


def _some(d):
    return d.distinct(d.shape(0, 4, most=256, sides=(1, 2, 3, 5, 7)))


@case(aten.sort.default)
def ordered(d):
    a = _some(d)
    return [a, d.axis(a), d.flag()]


@case(aten.sort.stable)
def ordered_with_equals(d):
    a = d.values(d.shape(1, 4, most=256, sides=(1, 2, 5, 7)), torch.float32, -1, 1, 0.5)
    return [a], {"stable": True, "dim": d.axis(a), "descending": d.flag()}


@case(aten.topk.default)
def first_of_order(d):
    a = d.distinct(d.shape(1, 4, most=256, sides=(1, 2, 3, 5, 7)))
    axis = d.axis(a)
    return [a, d.integer(1, a.shape[axis]), axis, d.flag()]


@case(aten.cumprod.default)
def multiplied_so_far(d):
    a = d.values(d.shape(0, 4, most=256, sides=(1, 2, 3, 5)), torch.float32, -1.5, 1.5, 0.5)
    return [a, d.axis(a)]


@case(aten.as_strided.default)
def strided(d):
    a = d.tensor(NUMBERS, ranks=(1, 4))
    rows, columns = d.integer(1, 4), d.integer(1, 4)
    left = a.numel() - 1
    steps = [d.integer(0, left // (2 * side)) for side in (rows, columns)]
    return [a, [rows, columns], steps, d.integer(0, left // 4)]


@case(aten.diagonal.default)
def crossed(d):
    a = d.tensor(NUMBERS, ranks=(2, 4))
    return [a, d.integer(-1, 1) if min(a.shape[:2]) > 1 else 0, 0, 1 if d.flag() else -a.dim() + 1]


@case(aten.scatter_add.default)
def added_at_places(d):
    a = d.tensor(ranks=(1, 3))
    axis = d.axis(a)
    shape = list(a.shape)
    shape[axis] = d.integer(1, 5)
    return [a, axis, d.values(shape, torch.int64, 0, a.shape[axis] - 1), d.values(shape)]


@case(aten.scatter_reduce.two, refuses=("it reduces by",))
def reduced_at_places(d):
    return [*added_at_places(d), d.one("sum", "sum", "amax")]


@case(aten.col2im.default)
def folded(d):
    height, width = d.integer(3, 7), d.integer(3, 7)
    kernel, stride, padding = [d.integer(1, 3), d.integer(1, 3)], [d.integer(1, 2)] * 2, [d.integer(0, 1)] * 2
    windows = math.prod((size + 2 * pad - side) // step + 1 for size, side, pad, step
                        in zip((height, width), kernel, padding, stride, strict=True))
    channels = d.integer(1, 3)
    a = d.values([d.integer(1, 2), channels * math.prod(kernel), windows])
    return [a, [height, width], kernel, [1, 1], padding, stride]


@case(aten._cdist_forward.default)
def apart(d):
    rank = d.integer(0, 1)
    outer, width = [d.integer(1, 3)] * rank, d.one(1, 3, 17)
    a, b = d.values([*outer, d.one(1, 5, 7), width]), d.values([*outer, d.one(1, 2, 33), width])
    return [a, b, d.one(1.0, 2.0, math.inf), None]
