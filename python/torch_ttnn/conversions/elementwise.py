"""Elementwise ops."""
from __future__ import annotations

from typing import Any

import torch
import ttnn
from torch.fx import Node

from ..utils import TtnnInt32
from .table import Stays, rewrites, same

aten = torch.ops.aten
_UNARY = ("abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "ceil", "cos", "cosh", "erf", "erfc", "exp", "exp2", "expm1",
          "floor", "hardsigmoid", "hardswish", "isinf", "isnan", "log", "log10", "log1p", "log2", "logical_not", "neg",
          "reciprocal", "relu", "rsqrt", "sigmoid", "sign", "sin", "sinh", "silu", "sqrt", "tan", "tanh", "trunc", "frac")
for _name in _UNARY:
    same(getattr(aten, _name).default, getattr(ttnn, _name))
same(aten.round.decimals, ttnn.round)
same(aten.round.default, ttnn.round, decimals=0)
same(aten.atan2.default, ttnn.atan2)
same(aten.square.default, ttnn.square)


@rewrites(aten.add.Tensor, aten.add.Scalar, becomes="add; with alpha after multiply")
def _add(r: Any, a: Any, b: Any, alpha: float = 1) -> Any:
    b = b if alpha == 1 else r.scaled(b, alpha)
    if not isinstance(a, Node):
        a, b = b, a
    return r.pair(ttnn.add, a, b)


@rewrites(aten.sub.Tensor, aten.sub.Scalar, becomes="sub; number first: neg, sub")
def _sub(r: Any, a: Any, b: Any, alpha: float = 1) -> Any:
    b = b if alpha == 1 else r.scaled(b, alpha)
    if not isinstance(a, Node):
        return r.call(ttnn.sub, r.call(ttnn.neg, b), -a)
    return r.pair(ttnn.sub, a, b)


@rewrites(aten.rsub.Scalar, becomes="rsub; with alpha after multiply")
def _rsub_number(r: Any, a: Any, b: Any, alpha: float = 1) -> Any:
    return r.pair(ttnn.rsub, a if alpha == 1 else r.scaled(a, alpha), b)


@rewrites(aten.rsub.Tensor, becomes="sub, operands swapped")
def _rsub(r: Any, a: Any, b: Any, alpha: float = 1) -> Any:
    return _sub(r, b, a, alpha)


@rewrites(aten.mul.Tensor, aten.mul.Scalar, becomes="mul")
def _mul(r: Any, a: Any, b: Any) -> Any:
    if not isinstance(a, Node):
        a, b = b, a
    return r.pair(ttnn.mul, a, b)


@rewrites(aten.div.Tensor, aten.div.Scalar, becomes="div; by a number: mul; number first: reciprocal, mul; integers after typecast")
def _div(r: Any, a: Any, b: Any) -> Any:
    if not isinstance(a, Node):
        return r.call(ttnn.mul, r.call(ttnn.reciprocal, r.float(b)), a)
    b = r.number_or(b)
    if not isinstance(b, Node) and b != 0:
        return r.call(ttnn.mul, r.float(a), 1 / b)
    return r.pair(ttnn.div, r.float(a), b)


@rewrites(aten.div.Tensor_mode, aten.div.Scalar_mode, becomes="floor_div, or div and trunc")
def _div_mode(r: Any, a: Any, b: Any, rounding_mode: str | None = None) -> Any:
    if rounding_mode == "floor":
        return r.pair(ttnn.floor_div, a, b)
    made = _div(r, a, b)
    return made if rounding_mode is None else r.call(ttnn.trunc, made)


@rewrites(aten.floor_divide.default, aten.floor_divide.Scalar, becomes="floor_div")
def _floor_divide(r: Any, a: Any, b: Any) -> Any:
    return r.pair(ttnn.floor_div, a, b)


@rewrites(aten.remainder.Scalar, aten.remainder.Tensor, becomes="remainder")
def _remainder(r: Any, a: Any, b: Any) -> Any:
    return r.pair(ttnn.remainder, a, b)


@rewrites(aten.fmod.Scalar, aten.fmod.Tensor, becomes="fmod")
def _fmod(r: Any, a: Any, b: Any) -> Any:
    return r.pair(ttnn.fmod, a, b)


@rewrites(aten.pow.Tensor_Scalar, becomes="pow; negative exponent: pow, reciprocal")
def _pow(r: Any, a: Any, exponent: float) -> Any:
    if exponent >= 0:
        return r.call(ttnn.pow, a, exponent)
    return r.call(ttnn.reciprocal, r.call(ttnn.pow, a, -exponent))


@rewrites(aten.pow.Scalar, becomes="pow")
def _pow_of_number(r: Any, base: float, exponent: Any) -> Any:
    return r.call(ttnn.pow, base, exponent)


@rewrites(aten.pow.Tensor_Tensor, becomes="pow")
def _pow_of_tensors(r: Any, base: Any, exponent: Any) -> Any:
    return r.pair(ttnn.pow, base, exponent)


@rewrites(aten.maximum.default, becomes="maximum")
def _maximum(r: Any, a: Any, b: Any) -> Any:
    return r.pair(ttnn.maximum, a, b)


@rewrites(aten.minimum.default, becomes="minimum")
def _minimum(r: Any, a: Any, b: Any) -> Any:
    return r.pair(ttnn.minimum, a, b)


@rewrites(aten.xlogy.Tensor, aten.xlogy.Scalar_Other, becomes="xlogy")
def _xlogy(r: Any, a: Any, b: Any) -> Any:
    return r.pair(ttnn.xlogy, a, b)


@rewrites(aten.gelu.default, becomes="gelu; tanh form: its products and tanh")
def _gelu(r: Any, x: Any, approximate: str = "none") -> Any:
    if approximate == "none":
        return r.call(ttnn.gelu, x)
    inner = r.call(ttnn.add, x, r.call(ttnn.mul, r.call(ttnn.pow, x, 3.0), 0.044715))
    bent = r.call(ttnn.add, r.call(ttnn.tanh, r.call(ttnn.mul, inner, 0.7978845608028654)), 1.0)
    return r.call(ttnn.mul, r.call(ttnn.mul, x, 0.5), bent)


@rewrites(aten.clamp.default, becomes="clip")
def _clamp(r: Any, x: Any, least: float | None = None, most: float | None = None) -> Any:
    return r.call(ttnn.clip, x, least, most)


@rewrites(aten.clamp.Tensor, becomes="maximum, minimum")
def _clamp_by_tensors(r: Any, x: Any, least: Any = None, most: Any = None) -> Any:
    x = x if least is None else r.pair(ttnn.maximum, x, least)
    return x if most is None else r.pair(ttnn.minimum, x, most)


@rewrites(aten.clamp_min.default, becomes="clamp")
def _clamp_min(r: Any, x: Any, least: float) -> Any:
    return r.call(ttnn.clamp, x, least, None)


@rewrites(aten.clamp_max.default, becomes="clamp")
def _clamp_max(r: Any, x: Any, most: float) -> Any:
    return r.call(ttnn.clamp, x, None, most)


@rewrites(aten.hardtanh.default, becomes="hardtanh")
def _hardtanh(r: Any, x: Any, least: float = -1.0, most: float = 1.0) -> Any:
    return r.call(ttnn.hardtanh, x, min_val=float(least), max_val=float(most))


@rewrites(aten.leaky_relu.default, becomes="leaky_relu")
def _leaky_relu(r: Any, x: Any, slope: float = 0.01) -> Any:
    return r.call(ttnn.leaky_relu, x, negative_slope=slope)


@rewrites(aten.elu.default, becomes="elu", stays="scale or input_scale is not 1")
def _elu(r: Any, x: Any, alpha: float = 1.0, scale: float = 1.0, input_scale: float = 1.0) -> Any:
    if scale != 1 or input_scale != 1:
        raise Stays("scale or input_scale is not 1")
    return r.call(ttnn.elu, x, alpha=float(alpha))


@rewrites(aten.softplus.default, becomes="softplus")
def _softplus(r: Any, x: Any, beta: float = 1.0, threshold: float = 20.0) -> Any:
    return r.call(ttnn.softplus, x, beta=float(beta), threshold=float(threshold))


@rewrites(aten.tril.default, becomes="tril")
def _tril(r: Any, x: Any, diagonal: int = 0) -> Any:
    return r.call(ttnn.tril, x, diagonal=diagonal)


@rewrites(aten.triu.default, becomes="triu")
def _triu(r: Any, x: Any, diagonal: int = 0) -> Any:
    return r.call(ttnn.triu, x, diagonal=diagonal)


@rewrites(aten.addcmul.default, becomes="addcmul")
def _addcmul(r: Any, x: Any, a: Any, b: Any, value: float = 1) -> Any:
    return r.call(ttnn.addcmul, x, a, b, value=value)


@rewrites(aten.addcdiv.default, becomes="addcdiv")
def _addcdiv(r: Any, x: Any, a: Any, b: Any, value: float = 1) -> Any:
    return r.call(ttnn.addcdiv, x, a, b, value=value)


@rewrites(aten.lerp.Scalar, aten.lerp.Tensor, becomes="lerp")
def _lerp(r: Any, a: Any, b: Any, weight: Any) -> Any:
    return r.call(ttnn.lerp, a, b, weight)


def _bits(name: str, logical: Any) -> None:
    packet = getattr(aten, f"bitwise_{name}")

    @rewrites(packet.Tensor, packet.Scalar, becomes=f"logical_{name} of bools; else bitwise_{name}")
    def convert(r: Any, a: Any, b: Any) -> Any:
        if r.kind(a) == "bool" and r.kind(b) == "bool":
            return r.call(logical, a, b)
        return r.pair(getattr(ttnn, f"bitwise_{name}"), a, b)


for _name in ("and", "or", "xor"):
    _bits(_name, getattr(ttnn, f"logical_{_name}"))


@rewrites(aten.bitwise_not.default, becomes="eq with 0 of bools; else bitwise_not")
def _bitwise_not(r: Any, x: Any) -> Any:
    if r.kind(x) == "bool":
        return r.call(ttnn.eq, x, 0)
    return r.call(ttnn.bitwise_not, r.call(ttnn.typecast, x, TtnnInt32()))
