"""Activations."""
from __future__ import annotations

from typing import Any

import torch

from ..table import Op, Tensor, converts

aten = torch.ops.aten


@converts(aten.relu.default)
def relu(op: Op, x: Tensor) -> Any:
    return op.build.add("relu", op.tensor(x, x.dtype))


@converts(aten.relu6.default)
def relu6(op: Op, x: Tensor) -> Any:
    return op.one("relu_max", x, threshold=6.0)


@converts(aten.leaky_relu.default)
def leaky_relu(op: Op, x: Tensor, slope: Any = 0.01) -> Any:
    return op.one("lrelu", x, slope=float(slope))


@converts(aten.gelu.default)
def gelu(op: Op, x: Tensor, *, approximate: Any = "none") -> Any:
    return op.one("gelu" if approximate == "tanh" else "gelu_erf", x)


@converts(aten.silu.default)
def silu(op: Op, x: Tensor) -> Any:
    return op.build.add("multiply", op.float(x), op.one("sigmoid", x))


@converts(aten.glu.default)
def glu(op: Op, x: Tensor, axis: Any = -1) -> Any:
    axis = x.axis(axis)
    half = x.shape[axis] // 2
    first, second = (op.build.select(op.float(x), axis, range(k, k + half)) for k in (0, half))
    return op.build.add("multiply", first, op.build.add("sigmoid", second))


def _gate(op: Op, x: Tensor) -> Any:
    """clamp(x + 3, 0, 6) / 6."""
    line = op.build.shifted(op.build.scaled(op.float(x), 1 / 6), 0.5)
    return op.build.add("relu_max", line, threshold=1.0)


@converts(aten.hardsigmoid.default)
def hardsigmoid(op: Op, x: Tensor) -> Any:
    return _gate(op, x)


@converts(aten.hardswish.default)
def hardswish(op: Op, x: Tensor) -> Any:
    return op.build.add("multiply", op.float(x), _gate(op, x))


@converts(aten.elu.default)
def elu(op: Op, x: Tensor, alpha: Any = 1, scale: Any = 1, input_scale: Any = 1) -> Any:
    """scale * (x if x > 0, else alpha * (exp(input_scale * x) - 1))"""
    b = op.build
    if input_scale == 1:
        return b.scaled(op.one("elu", x, alpha=float(alpha)), scale)
    below = b.add("neg", b.add("relu", b.add("neg", op.float(x))))
    bent = b.scaled(b.shifted(b.add("exp", b.scaled(below, input_scale)), -1), alpha)
    return b.scaled(b.add("add", b.add("relu", op.float(x)), bent), scale)


@converts(aten.softplus.default)
def softplus(op: Op, x: Tensor, beta: Any = 1, threshold: Any = 20) -> Any:
    """Above the threshold torch returns x, which differs by less than exp(-threshold) / beta."""
    smooth = op.build.add("softplus", op.build.scaled(op.float(x), beta))
    return op.build.scaled(smooth, 1 / beta)


@converts(aten.mish.default)
def mish(op: Op, x: Tensor) -> Any:
    return op.build.add("multiply", op.float(x), op.build.add("tanh", op.one("softplus", x)))


@converts(aten.log_sigmoid_forward.default)
def log_sigmoid(op: Op, x: Tensor) -> Any:
    b = op.build
    return b.add("neg", b.add("softplus", b.add("neg", op.float(x)))), None


@converts(aten.prelu.default, aten._prelu_kernel.default)
def prelu(op: Op, x: Tensor, weight: Tensor) -> Any:
    """One slope for all channels or one per channel."""
    b, value, slope = op.build, op.float(x), op.float(weight)
    if op.target == aten.prelu.default and x.rank > 1:
        slope = b.channels(slope, x.rank)
    below = b.add("relu", b.add("neg", value))
    return b.add("subtract", b.add("relu", value), b.add("multiply", below, slope))


@converts(aten.softmax.int, aten._softmax.default)
def softmax(op: Op, x: Tensor, axis: Any, *rest: Any, **named: Any) -> Any:
    return _along(op, "softmax", x, axis)


@converts(aten._safe_softmax.default)
def safe_softmax(op: Op, x: Tensor, axis: int, *rest: Any, **named: Any) -> Any:
    return softmax(op, x, axis) if x.rank == 0 else op.build.safe_softmax(op.float(x), x.axis(axis))


@converts(aten.log_softmax.int, aten._log_softmax.default)
def log_softmax(op: Op, x: Tensor, axis: Any, *rest: Any, **named: Any) -> Any:
    return _along(op, "log_softmax", x, axis)


def _along(op: Op, name: str, x: Tensor, axis: int) -> Any:
    if x.rank == 0:
        return op.build.number(1 if name == "softmax" else 0)
    return op.one(name, x, axis=x.axis(axis))
