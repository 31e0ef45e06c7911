"""Comparisons, logic, and selection by conditions."""
from __future__ import annotations

import math
from typing import Any

import torch

from ..table import Op, Refused, Tensor, converts

aten = torch.ops.aten

_TESTS = {
    aten.eq.Tensor: "equal", aten.eq.Scalar: "equal", aten.lt.Tensor: "less", aten.lt.Scalar: "less",
    aten.le.Tensor: "less_equal", aten.le.Scalar: "less_equal", aten.gt.Tensor: "greater", aten.gt.Scalar: "greater",
    aten.ge.Tensor: "greater_equal", aten.ge.Scalar: "greater_equal",
}


@converts(*_TESTS)
def test(op: Op, a: Tensor, b: Any) -> Any:
    return op.pair(_TESTS[op.target], a, b)


@converts(aten.ne.Tensor, aten.ne.Scalar)
def unequal(op: Op, a: Tensor, b: Any) -> Any:
    return op.build.add("not", op.pair("equal", a, b))


@converts(aten.logical_not.default)
def logical_not(op: Op, x: Tensor) -> Any:
    return op.build.add("not", op.bool(x))


_LOGIC = {aten.logical_and.default: "and", aten.logical_or.default: "or", aten.logical_xor.default: "xor"}


@converts(*_LOGIC)
def logic(op: Op, a: Tensor, b: Tensor) -> Any:
    return op.build.add(_LOGIC[op.target], op.bool(a), op.bool(b))


_BITS = {aten.__and__.Tensor: "and", aten.__or__.Tensor: "or", aten.__xor__.Tensor: "xor",
         aten.bitwise_and.Tensor: "and", aten.bitwise_and.Scalar: "and", aten.bitwise_or.Tensor: "or",
         aten.bitwise_or.Scalar: "or", aten.bitwise_xor.Tensor: "xor", aten.bitwise_xor.Scalar: "xor"}


@converts(*_BITS)
def bitwise(op: Op, a: Tensor, b: Any) -> Any:
    _need_bool(op)
    return op.build.add(_BITS[op.target], op.bool(a), op.bool(b))


@converts(aten.bitwise_not.default)
def bitwise_not(op: Op, x: Tensor) -> Any:
    _need_bool(op)
    return op.build.add("not", op.bool(x))


def _need_bool(op: Op) -> None:
    if op.result.dtype != torch.bool:
        raise Refused(f"bitwise ops on {op.result.dtype}; only bool is supported")


@converts(aten.where.self, aten.where.ScalarOther, aten.where.ScalarSelf, aten.where.Scalar)
def where(op: Op, condition: Tensor, a: Any, b: Any) -> Any:
    dtype = op.result.dtype
    return op.build.add("where", op.bool(condition), op.tensor(a, dtype), op.tensor(b, dtype))


@converts(aten.masked_fill.Scalar, aten.masked_fill.Tensor)
def masked_fill(op: Op, x: Tensor, mask: Tensor, value: Any) -> Any:
    return where(op, mask, value, x)


def _is(op: Op, x: Tensor, value: float) -> Any:
    return op.build.add("equal", op.float(x), op.build.number(value))


def _nowhere(op: Op, x: Tensor) -> Any:
    return op.build.constant(torch.zeros(x.shape, dtype=torch.bool))


@converts(aten.isnan.default)
def isnan(op: Op, x: Tensor) -> Any:
    """The device has no NaN; the compiler derives the positions from the masks of the model."""
    return op.build.add("not", op.pair("equal", x, x)) if x.dtype.is_floating_point else _nowhere(op, x)


@converts(aten.isposinf.default, aten.isneginf.default)
def is_one_infinity(op: Op, x: Tensor) -> Any:
    sign = 1 if op.target == aten.isposinf.default else -1
    return _is(op, x, sign * math.inf) if x.dtype.is_floating_point else _nowhere(op, x)


@converts(aten.isinf.default)
def isinf(op: Op, x: Tensor) -> Any:
    if not x.dtype.is_floating_point:
        return _nowhere(op, x)
    return op.build.add("or", _is(op, x, math.inf), _is(op, x, -math.inf))


@converts(aten.isfinite.default)
def isfinite(op: Op, x: Tensor) -> Any:
    b = op.build
    return b.add("not", b.add("or", isnan(op, x), isinf(op, x)))


@converts(aten.nan_to_num.default)
def nan_to_num(op: Op, x: Tensor, nan: float | None = None, posinf: float | None = None,
               neginf: float | None = None) -> Any:
    if not x.dtype.is_floating_point:
        return op.tensor(x, x.dtype)
    b, value, most = op.build, op.float(x), torch.finfo(x.dtype).max
    missing = b.add("not", b.add("equal", value, value))
    for where, number in ((_is(op, x, math.inf), most if posinf is None else posinf),
                          (_is(op, x, -math.inf), -most if neginf is None else neginf),
                          (missing, nan or 0)):
        value = b.add("where", where, b.number(number), value)
    return value
