"""Functions of each element: ops of the graph, and compositions of them."""
from __future__ import annotations

import math
from typing import Any

import torch

from ..table import Op, Tensor, converts

aten = torch.ops.aten

_SAME = {
    aten.exp.default: "exp", aten.log.default: "log", aten.sqrt.default: "sqrt", aten.reciprocal.default: "reciprocal",
    aten.sigmoid.default: "sigmoid", aten.tanh.default: "tanh", aten.sin.default: "sine", aten.cos.default: "cosine",
    aten.erf.default: "erf", aten.atan.default: "atan", aten.asinh.default: "asinh", aten.acosh.default: "acosh",
    aten.atanh.default: "atanh",
}


@converts(*_SAME)
def same(op: Op, x: Tensor) -> Any:
    """In float32, also for integers."""
    return op.one(_SAME[op.target], x)


_TYPED = {aten.abs.default: "abs", aten.neg.default: "neg", aten.sign.default: "sign", aten.sgn.default: "sign",
          aten.square.default: "square"}


@converts(*_TYPED)
def typed(op: Op, x: Tensor) -> Any:
    """In the element type of the operand."""
    return op.build.add(_TYPED[op.target], op.tensor(x, x.dtype))


@converts(aten.rsqrt.default)
def rsqrt(op: Op, x: Tensor) -> Any:
    return op.build.add("reciprocal", op.one("sqrt", x))


@converts(aten.log2.default, aten.log10.default)
def log_of_base(op: Op, x: Tensor) -> Any:
    base = 2 if op.target == aten.log2.default else 10
    return op.build.scaled(op.one("log", x), 1 / math.log(base))


@converts(aten.log1p.default)
def log1p(op: Op, x: Tensor) -> Any:
    return op.build.add("log", op.build.shifted(op.float(x), 1))


@converts(aten.exp2.default)
def exp2(op: Op, x: Tensor) -> Any:
    return op.build.add("exp", op.build.scaled(op.float(x), math.log(2)))


@converts(aten.expm1.default)
def expm1(op: Op, x: Tensor) -> Any:
    return op.build.shifted(op.one("exp", x), -1)


@converts(aten.erfc.default)
def erfc(op: Op, x: Tensor) -> Any:
    return op.build.add("subtract", op.build.number(1), op.one("erf", x))


@converts(aten.tan.default)
def tan(op: Op, x: Tensor) -> Any:
    return op.build.add("divide", op.one("sine", x), op.one("cosine", x))


def _half_angle(op: Op, x: Any) -> Any:
    """atan(x / (1 + sqrt(1 - x^2))), half of asin x: no division by 0 at -1 and 1."""
    b = op.build
    root = b.add("sqrt", b.add("relu", b.add("subtract", b.number(1), b.add("square", x))))
    return b.add("atan", b.add("divide", x, b.shifted(root, 1)))


@converts(aten.asin.default)
def asin(op: Op, x: Tensor) -> Any:
    return op.build.scaled(_half_angle(op, op.float(x)), 2)


@converts(aten.acos.default)
def acos(op: Op, x: Tensor) -> Any:
    return op.build.add("subtract", op.build.number(math.pi / 2), asin(op, x))


@converts(aten.atan2.default)
def atan2(op: Op, y: Any, x: Any) -> Any:
    """Arctangent of the smaller over the larger, then adjusted by octant."""
    b, one = op.build, op.build.number
    y, x = op.float(y), op.float(x)
    high, wide = b.add("abs", y), b.add("abs", x)
    larger = b.add("maximum", b.add("maximum", high, wide), one(1e-30))
    angle = b.add("atan", b.add("divide", b.add("minimum", high, wide), larger))
    angle = b.add("where", b.add("greater", high, wide), b.add("subtract", one(math.pi / 2), angle), angle)
    angle = b.add("where", b.add("less", x, one(0)), b.add("subtract", one(math.pi), angle), angle)
    return b.add("where", b.add("less", y, one(0)), b.add("neg", angle), angle)


@converts(aten.sinh.default, aten.cosh.default)
def hyperbolic(op: Op, x: Any) -> Any:
    b, x = op.build, op.float(x)
    up, down = b.add("exp", x), b.add("exp", b.add("neg", x))
    return b.scaled(b.add("subtract" if op.target == aten.sinh.default else "add", up, down), 0.5)


@converts(aten.clamp.default, aten.clip.default, aten.clamp.Tensor, aten.hardtanh.default)
def clamp(op: Op, x: Tensor, *bounds: Any, **named: Any) -> Any:
    least, most = (*bounds, None, None)[:2]
    if op.target == aten.hardtanh.default and not bounds:
        least, most = -1, 1
    least = named.get("min", named.get("min_val", least))
    most = named.get("max", named.get("max_val", most))
    return _clamped(op, x, least, most)


@converts(aten.clamp_min.default, aten.clamp_min.Tensor)
def clamp_min(op: Op, x: Tensor, least: Any) -> Any:
    return _clamped(op, x, least, None)


@converts(aten.clamp_max.default, aten.clamp_max.Tensor)
def clamp_max(op: Op, x: Tensor, most: Any) -> Any:
    return _clamped(op, x, None, most)


def _clamped(op: Op, x: Tensor, least: Any, most: Any) -> Any:
    value = op.tensor(x, op.result.dtype)
    if least is not None:
        value = op.build.add("maximum", value, op.tensor(least, op.result.dtype))
    if most is not None:
        value = op.build.add("minimum", value, op.tensor(most, op.result.dtype))
    return value
