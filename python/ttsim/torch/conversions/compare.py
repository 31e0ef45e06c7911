"""Comparisons, logic, and choices by them."""
from __future__ import annotations

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
        raise Refused(f"bits of {op.result.dtype}; only those of bool are taken")


@converts(aten.where.self, aten.where.ScalarOther, aten.where.ScalarSelf, aten.where.Scalar)
def where(op: Op, condition: Tensor, a: Any, b: Any) -> Any:
    dtype = op.result.dtype
    return op.build.add("where", op.bool(condition), op.tensor(a, dtype), op.tensor(b, dtype))


@converts(aten.masked_fill.Scalar, aten.masked_fill.Tensor)
def masked_fill(op: Op, x: Tensor, mask: Tensor, value: Any) -> Any:
    return where(op, mask, value, x)
