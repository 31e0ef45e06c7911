"""Sums, products, quotients and powers of two operands."""
from __future__ import annotations

import math
from typing import Any

import torch

from ..table import Op, Refused, Tensor, converts, known_kind, promoted

aten = torch.ops.aten
Operand = Tensor | float


def _scaled(op: Op, operand: Operand, factor: float, dtype: torch.dtype) -> Any:
    return op.build.scaled(op.tensor(operand, dtype), factor)


@converts(aten.add.Tensor, aten.add.Scalar)
def add(op: Op, a: Operand, b: Operand, *more: Any, alpha: Any = 1) -> Any:
    factor = more[0] if more else alpha
    dtype = promoted(a, b)
    if dtype == torch.bool:
        return op.pair("or", a, b) if factor else op.tensor(a, dtype)
    return op.build.add("add", op.tensor(a, dtype), _scaled(op, b, factor, dtype))


@converts(aten.sub.Tensor, aten.sub.Scalar)
def sub(op: Op, a: Operand, b: Operand, *more: Any, alpha: Any = 1) -> Any:
    dtype = promoted(a, b)
    return op.build.add("subtract", op.tensor(a, dtype), _scaled(op, b, more[0] if more else alpha, dtype))


@converts(aten.rsub.Tensor, aten.rsub.Scalar)
def rsub(op: Op, a: Operand, b: Operand, alpha: Any = 1) -> Any:
    return sub(op, b, a, alpha=alpha)


@converts(aten.mul.Tensor, aten.mul.Scalar)
def mul(op: Op, a: Operand, b: Operand) -> Any:
    return op.pair("and" if promoted(a, b) == torch.bool else "multiply", a, b)


@converts(aten.div.Tensor, aten.div.Scalar, aten.true_divide.Tensor)
def div(op: Op, a: Operand, b: Operand) -> Any:
    """Integers are divided as floats. Division by a number is a multiplication."""
    if not isinstance(b, Tensor) and b != 0 and math.isfinite(b):
        return op.build.scaled(op.float(a), 1 / b)
    return op.pair("divide", a, b, torch.float32)


@converts(aten.div.Tensor_mode, aten.div.Scalar_mode)
def div_mode(op: Op, a: Operand, b: Operand, *, rounding_mode: Any = None) -> Any:
    if rounding_mode is None:
        return div(op, a, b)
    if rounding_mode == "floor":
        return floor_divide(op, a, b)
    quotient = op.pair("divide", a, b)
    return op.build.add("truncate", quotient) if promoted(a, b).is_floating_point else quotient


@converts(aten.floor_divide.default)
def floor_divide(op: Op, a: Operand, b: Operand) -> Any:
    dtype = promoted(a, b)
    if dtype.is_floating_point:
        return op.build.add("floor", op.pair("divide", a, b))
    first, second, build = op.tensor(a, dtype), op.tensor(b, dtype), op.build
    quotient = build.add("divide", first, second)  # towards 0
    rest = build.add("modulo", first, second, fmod=1)
    zero = build.number(0, known_kind(dtype))
    other_sign = build.add("xor", build.add("less", rest, zero), build.add("less", second, zero))
    below = build.add("and", other_sign, build.add("not", build.add("equal", rest, zero)))
    return build.add("subtract", quotient, build.cast(below, known_kind(dtype)))


@converts(aten.remainder.Tensor, aten.remainder.Scalar)
def remainder(op: Op, a: Operand, b: Operand) -> Any:
    return op.pair("modulo", a, b)


@converts(aten.fmod.Tensor, aten.fmod.Scalar)
def fmod(op: Op, a: Operand, b: Operand) -> Any:
    dtype = promoted(a, b)
    return op.build.add("modulo", op.tensor(a, dtype), op.tensor(b, dtype), fmod=1)


@converts(aten.maximum.default, aten.max.other)
def maximum(op: Op, a: Operand, b: Operand) -> Any:
    return op.pair("maximum", a, b)


@converts(aten.minimum.default, aten.min.other)
def minimum(op: Op, a: Operand, b: Operand) -> Any:
    return op.pair("minimum", a, b)


@converts(aten.pow.Tensor_Scalar)
def power(op: Op, base: Tensor, exponent: float) -> Any:
    """Integer exponents up to 64 are products; others use logarithms, with NaN for negative bases as in torch."""
    dtype = promoted(base, exponent)
    x = op.tensor(base, dtype)
    if exponent == 0:
        return op.build.broadcast(op.build.number(1, known_kind(dtype)), base.shape)
    if exponent < 0 and not dtype.is_floating_point:
        raise Refused("integers have no negative powers")
    if exponent == 1:
        return x
    if exponent == 2:
        return op.build.add("square", x)
    if exponent == 0.5:
        return op.build.add("sqrt", x)
    if exponent == -0.5:
        return op.build.add("reciprocal", op.build.add("sqrt", x))
    return op.build.add("power", x, op.build.number(exponent, known_kind(dtype)))


@converts(aten.pow.Tensor_Tensor)
def power_of_tensors(op: Op, base: Tensor, exponent: Tensor) -> Any:
    known = exponent.known
    if known is None or known.numel() == 0 or (known != known.flatten()[0]).any():
        return op.pair("power", base, exponent, op.result.dtype)
    raised = power(op, base, known.flatten()[0].item())
    return op.build.broadcast(raised, op.result.shape)


@converts(aten.pow.Scalar)
def power_of_number(op: Op, base: float, exponent: Tensor) -> Any:
    if base <= 0:
        return op.pair("power", base, exponent, op.result.dtype)
    if not op.result.dtype.is_floating_point:
        return op.build.add("power", op.tensor(base, op.result.dtype), op.tensor(exponent, op.result.dtype))
    return op.build.add("exp", op.build.scaled(op.float(exponent), math.log(base)))


@converts(aten.addcmul.default)
def addcmul(op: Op, x: Tensor, a: Tensor, b: Tensor, *, value: Any = 1) -> Any:
    product = op.pair("multiply", a, b, op.result.dtype)
    return op.build.add("add", op.tensor(x, op.result.dtype), op.build.scaled(product, value))


@converts(aten.addcdiv.default)
def addcdiv(op: Op, x: Tensor, a: Tensor, b: Tensor, *, value: Any = 1) -> Any:
    quotient = op.pair("divide", a, b, torch.float32)
    return op.build.add("add", op.float(x), op.build.scaled(quotient, value))


@converts(aten.lerp.Scalar, aten.lerp.Tensor)
def lerp(op: Op, start: Tensor, end: Tensor, weight: Operand) -> Any:
    step = op.build.add("multiply", op.pair("subtract", end, start, torch.float32), op.float(weight))
    return op.build.add("add", op.float(start), step)
