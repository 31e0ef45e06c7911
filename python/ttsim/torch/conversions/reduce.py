"""Reductions along axes: sums, means, maxima and functions of them."""
from __future__ import annotations

import math
from typing import Any

import torch

from ..table import Op, Refused, Tensor, converts, known_kind

aten = torch.ops.aten


def _axes(x: Tensor, axes: Any) -> list[int]:
    """The axes as a list, from a list or one axis; None: all."""
    if axes is None or (isinstance(axes, (list, tuple)) and not axes):
        return list(range(x.rank))
    given = axes if isinstance(axes, (list, tuple)) else [axes]
    return sorted({x.axis(axis) for axis in given}) if x.rank else []


def _over(op: Op, value: Any, axes: list[int], name: str) -> Any:
    """Sums ("sum") or maxima ("reduce_max") that keep the axes with size 1."""
    for axis in axes:
        value = op.build.sum(value, axis) if name == "sum" else op.build.add("reduce_max", value, axis=axis)
    return value


def _count(x: Tensor, axes: list[int]) -> int:
    return math.prod(x.shape[axis] for axis in axes)


def _done(op: Op, value: Any, result: Any = None) -> Any:
    """Without the axes that torch removes."""
    return op.build.reshape(value, (op.result if result is None else result).shape)


@converts(aten.sum.default, aten.sum.dim_IntList)
def total(op: Op, x: Tensor, axes: Any = None, keepdim: Any = False, *, dtype: Any = None) -> Any:
    return _done(op, _over(op, op.tensor(x, op.result.dtype), _axes(x, axes), "sum"))


@converts(aten.mean.default, aten.mean.dim)
def mean(op: Op, x: Tensor, axes: Any = None, keepdim: Any = False, *, dtype: Any = None) -> Any:
    axes = _axes(x, axes)
    return _done(op, op.build.scaled(_over(op, op.float(x), axes, "sum"), 1 / _count(x, axes)))


def _maximum(op: Op, x: Tensor, axes: Any, sign: int) -> Any:
    """The maximum, of bool as of numbers; the minimum is the maximum of the reversed order."""
    if any(x.shape[axis] == 0 for axis in axes):
        raise Refused("it has no elements to compare")
    value = op.tensor(x, torch.int32 if x.dtype == torch.bool else x.dtype)
    value = value if sign > 0 else op.build.reversed(value)
    value = _over(op, value, axes, "reduce_max")
    return value if sign > 0 else op.build.reversed(value)


@converts(aten.amax.default, aten.max.default)
def greatest(op: Op, x: Tensor, axes: Any = None, keepdim: Any = False) -> Any:
    return _done(op, _maximum(op, x, _axes(x, axes), 1))


@converts(aten.amin.default, aten.min.default)
def least(op: Op, x: Tensor, axes: Any = None, keepdim: Any = False) -> Any:
    return _done(op, _maximum(op, x, _axes(x, axes), -1))


def _place(op: Op, x: Tensor, axis: int | None, sign: int, result: Any) -> Any:
    """Index of the first extreme; without an axis among all elements."""
    value = op.tensor(x, torch.int32 if x.dtype == torch.bool else x.dtype)
    value = value if sign > 0 else op.build.reversed(value)
    if x.rank == 0:
        return op.build.number(0, known_kind(torch.int64))
    if axis is None:
        value = op.build.reshape(value, [math.prod(x.shape)])
    place = op.build.add("arg_max", value, axis=0 if axis is None else x.axis(axis))
    return op.build.reshape(place, result.shape)


@converts(aten.argmax.default)
def argmax(op: Op, x: Tensor, axis: Any = None, keepdim: Any = False) -> Any:
    return _place(op, x, axis, 1, op.result)


@converts(aten.argmin.default)
def argmin(op: Op, x: Tensor, axis: Any = None, keepdim: Any = False) -> Any:
    return _place(op, x, axis, -1, op.result)


@converts(aten.max.dim, aten.min.dim)
def extreme_with_place(op: Op, x: Tensor, axis: Any, keepdim: Any = False) -> Any:
    sign = 1 if op.target == aten.max.dim else -1
    most = _done(op, _maximum(op, x, _axes(x, axis), sign), op.result[0])
    return most, _place(op, x, axis, sign, op.result[1])


@converts(aten.any.default, aten.any.dim, aten.any.dims)
def some(op: Op, x: Tensor, axes: Any = None, keepdim: Any = False) -> Any:
    true = op.float_of_bool(x)
    return op.build.cast(_done(op, _over(op, true, _axes(x, axes), "reduce_max")), known_kind(torch.bool))


@converts(aten.all.default, aten.all.dim, aten.all.dims)
def every(op: Op, x: Tensor, axes: Any = None, keepdim: Any = False) -> Any:
    false = op.build.add("subtract", op.build.number(1), op.float_of_bool(x))
    lacking = op.build.cast(_done(op, _over(op, false, _axes(x, axes), "reduce_max")), known_kind(torch.bool))
    return op.build.add("not", lacking)


@converts(aten.prod.default, aten.prod.dim_int)
def prod(op: Op, x: Tensor, axis: Any = None, keepdim: Any = False, *, dtype: Any = None) -> Any:
    value = op.tensor(x, op.result.dtype)
    for one in _axes(x, axis):
        size = x.shape[one]
        if not 1 <= size <= 256:
            raise Refused(f"it multiplies {size} elements; 1 to 256 are supported")
        factors = [op.build.select(value, one, [k]) for k in range(size)]
        value = factors[0]
        for factor in factors[1:]:
            value = op.build.add("multiply", value, factor)
    return _done(op, value)


def _variance(op: Op, x: Tensor, axes: list[int], correction: Any) -> Any:
    """Mean and variance; the axes stay."""
    count = _count(x, axes)
    correction = 1 if correction is None else correction
    if count - correction <= 0:
        raise Refused(f"the variance of {count} elements with a correction of {correction} is NaN")
    b = op.build
    middle = b.scaled(_over(op, op.float(x), axes, "sum"), 1 / count)
    squares = b.add("square", b.add("subtract", op.float(x), middle))
    return middle, b.scaled(_over(op, squares, axes, "sum"), 1 / (count - correction))


@converts(aten.var.correction)
def variance(op: Op, x: Tensor, axes: Any = None, *, correction: Any = None, keepdim: Any = False) -> Any:
    return _done(op, _variance(op, x, _axes(x, axes), correction)[1])


@converts(aten.std.correction)
def deviation(op: Op, x: Tensor, axes: Any = None, *, correction: Any = None, keepdim: Any = False) -> Any:
    return _done(op, op.build.add("sqrt", _variance(op, x, _axes(x, axes), correction)[1]))


@converts(aten.var_mean.correction)
def variance_and_mean(op: Op, x: Tensor, axes: Any = None, *, correction: Any = None, keepdim: Any = False) -> Any:
    middle, squares = _variance(op, x, _axes(x, axes), correction)
    return _done(op, squares, op.result[0]), _done(op, middle, op.result[1])


@converts(aten.logsumexp.default)
def logsumexp(op: Op, x: Tensor, axes: Any, keepdim: Any = False) -> Any:
    """With the maximum subtracted first."""
    axes, b = _axes(x, axes), op.build
    most = _over(op, op.float(x), axes, "reduce_max")
    total_ = _over(op, b.add("exp", b.add("subtract", op.float(x), most)), axes, "sum")
    return _done(op, b.add("add", b.add("log", total_), most))


@converts(aten.linalg_vector_norm.default)
def norm(op: Op, x: Tensor, order: Any = 2, axes: Any = None, keepdim: Any = False, *, dtype: Any = None) -> Any:
    axes, b = _axes(x, axes), op.build
    size = b.add("abs", op.float(x))
    if order == 2:
        return _done(op, b.add("sqrt", _over(op, b.add("square", op.float(x)), axes, "sum")))
    if order == 1:
        return _done(op, _over(op, size, axes, "sum"))
    if order == math.inf:
        return _done(op, _over(op, size, axes, "reduce_max"))
    raise Refused(f"the norm of order {order}; 1, 2 and infinity are supported")


@converts(aten.cumsum.default)
def cumsum(op: Op, x: Tensor, axis: Any, *, dtype: Any = None) -> Any:
    value = op.tensor(x, op.result.dtype)
    return op.build.add("cumulative_sum", value, axis=x.axis(axis)) if x.rank else value
