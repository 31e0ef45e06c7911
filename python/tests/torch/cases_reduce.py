"""Random arguments of ops along axes."""
import math

import torch
from draws import ALL, NUMBERS
from harness import case

aten = torch.ops.aten


def partial_sums(a, axes=None, keep=False):
    """How large they are: terms of either sign that are added in any order come as far as the root of the sum of their
    squares, also where the last of them bring the sum back to 0."""
    if a.numel() == 0:
        return 0.0
    return torch.linalg.vector_norm(a.double(), dim=axes if a.dim() else None).max().item()


def partial_means(a, axes=None, keep=False):
    return partial_sums(a, axes) * a.mean(axes).numel() / max(a.numel(), 1)


@case(aten.sum.default, size=partial_sums)
def all_axes_added(d):
    return [d.tensor(NUMBERS)]


@case(aten.max.default, aten.min.default, aten.amax.default, aten.amin.default)
def all_axes(d):
    return [d.tensor(NUMBERS)]


@case(aten.mean.default, size=partial_means)
def all_axes_of_floats(d):
    return [d.tensor()]


@case(aten.any.default, aten.all.default)
def all_axes_of_truths(d):
    return [d.tensor(ALL)]


@case(aten.sum.dim_IntList, size=partial_sums)
def summed(d):
    a = d.tensor(ALL)
    return [a, d.axes(a) or None, d.flag()]


@case(aten.mean.dim, size=partial_means)
def averaged(d):
    a = d.tensor()
    return [a, d.axes(a) or None, d.flag()]


@case(aten.amax.default, aten.amin.default)
def extremes(d):
    a = d.tensor(NUMBERS)
    return [a, d.axes(a), d.flag()]


@case(aten.max.dim, aten.min.dim)
def extremes_with_places(d):
    a = d.distinct(d.shape(0, 5, most=256, sides=(1, 2, 3, 5, 7)))
    return [a, d.axis(a), d.flag()]


@case(aten.argmax.default, aten.argmin.default)
def places(d):
    a = d.distinct(d.shape(0, 5, most=256, sides=(1, 2, 3, 5, 7)))
    return [a, d.axis(a) if d.flag() else None, d.flag()]


@case(aten.any.dim, aten.all.dim)
def truths(d):
    a = d.tensor(ALL, low=-1, high=1)
    return [a, d.axis(a), d.flag()]


@case(aten.any.dims, aten.all.dims)
def truths_along_several(d):
    a = d.tensor(ALL, ranks=(1, 5))
    return [a, d.axes(a) or None, d.flag()]


@case(aten.prod.default, refuses=("1 to 256",))
def multiplied(d):
    return [d.values(d.shape(0, 3, most=12, sides=(1, 2, 3)), d.one(*NUMBERS), -1.5, 1.5, step=0.5)]


@case(aten.prod.dim_int)
def multiplied_along(d):
    a = d.values(d.shape(1, 4, most=200, sides=(1, 2, 3, 5)), d.one(*NUMBERS), -1.5, 1.5, step=0.5)
    return [a, d.axis(a), d.flag()]


@case(aten.var.correction, aten.std.correction, aten.var_mean.correction, refuses=("is not a number",))
def variances(d):
    a = d.tensor(ranks=(1, 5))
    return [a, d.axes(a) or None], {"correction": d.one(0, 1), "keepdim": d.flag()}


@case(aten.logsumexp.default)
def log_sums(d):
    a = d.tensor(ranks=(1, 5))
    return [a, d.axes(a) or [0], d.flag()]


@case(aten.linalg_vector_norm.default, refuses=("the norm of order",))
def norms(d):
    a = d.tensor(ranks=(1, 5))
    return [a, d.one(1, 2, math.inf, 3), d.axes(a) or None, d.flag()]


@case(aten.cumsum.default)
def running_sums(d):
    a = d.tensor(NUMBERS)
    return [a, d.axis(a)]


@case(aten.softmax.int, aten.log_softmax.int)
def soft(d):
    a = d.tensor()
    return [a, d.axis(a)]


@case(aten._softmax.default, aten._log_softmax.default)
def soft_of_core(d):
    a = d.tensor()
    return [a, d.axis(a), False]


@case(aten._safe_softmax.default)
def soft_and_safe(d):
    a = d.tensor(ranks=(1, 5))
    return [a, d.axis(a)]
