"""Normalizations with given or computed means and variances."""
from __future__ import annotations

from typing import Any

import torch

from ..table import Op, Refused, Tensor, converts

aten = torch.ops.aten


def _affine(op: Op, y: Any, weight: Any, bias: Any) -> Any:
    if weight is not None:
        y = op.build.add("multiply", y, weight)
    return y if bias is None else op.build.add("add", y, bias)


def _optional(op: Op, given: Tensor | None) -> Any:
    return None if given is None else op.float(given)


@converts(aten.layer_norm.default)
def layer_norm(op: Op, x: Tensor, shape: Any, weight: Tensor | None = None, bias: Tensor | None = None, epsilon: Any = 1e-5, *rest: Any) -> Any:
    y = op.one("layer_norm", x, axis=x.rank - len(shape), epsilon=float(epsilon))
    return _affine(op, y, _optional(op, weight), _optional(op, bias))


@converts(aten.native_layer_norm.default)
def native_layer_norm(op: Op, x: Tensor, shape: Any, weight: Tensor | None, bias: Tensor | None, epsilon: Any) -> Any:
    return layer_norm(op, x, shape, weight, bias, epsilon), None, None


@converts(aten.rms_norm.default)
def rms_norm(op: Op, x: Tensor, shape: Any, weight: Tensor | None = None, epsilon: Any = None) -> Any:
    epsilon = torch.finfo(x.dtype).eps if epsilon is None else epsilon
    y = op.one("rms_norm", x, axis=x.rank - len(shape), epsilon=float(epsilon))
    return _affine(op, y, _optional(op, weight), None)


@converts(aten._fused_rms_norm.default)
def fused_rms_norm(op: Op, x: Tensor, shape: Any, weight: Tensor | None, epsilon: Any) -> Any:
    return rms_norm(op, x, shape, weight, epsilon), None


@converts(aten.group_norm.default)
def group_norm(op: Op, x: Tensor, groups: Any, weight: Tensor | None = None, bias: Tensor | None = None, epsilon: Any = 1e-5,
               *rest: Any) -> Any:
    value = op.float(x) if x.rank > 2 else op.build.reshape(op.float(x), [*x.shape, 1])
    y = op.build.reshape(op.build.add("group_norm", value, groups=int(groups), epsilon=float(epsilon)), x.shape)
    spread = [None if one is None else op.build.channels(op.float(one), x.rank) for one in (weight, bias)]
    return _affine(op, y, *spread)


@converts(aten.native_group_norm.default)
def native_group_norm(op: Op, x: Tensor, weight: Tensor | None, bias: Tensor | None, n: Any, channels: Any, size: Any, groups: Any,
                      epsilon: Any) -> Any:
    return group_norm(op, x, groups, weight, bias, epsilon), None, None


def _batch_norm(op: Op, x: Tensor, weight: Any, bias: Any, mean: Any, variance: Any, epsilon: Any) -> Any:
    channels = x.shape[1]
    given = [(weight, 1.0), (bias, 0.0), (mean, 0.0), (variance, 1.0)]
    operands = [op.build.constant(torch.full((channels,), other)) if one is None else op.float(one)
                for one, other in given]
    return op.build.add("batch_norm", op.float(x), *operands, epsilon=float(epsilon))


@converts(aten._native_batch_norm_legit_no_training.default)
def batch_norm(op: Op, x: Tensor, weight: Tensor | None, bias: Tensor | None, mean: Tensor, variance: Tensor, momentum: Any,
               epsilon: Any) -> Any:
    return _batch_norm(op, x, weight, bias, mean, variance, epsilon), None, None


@converts(aten.batch_norm.default)
def batch_norm_of_any(op: Op, x: Tensor, weight: Tensor | None, bias: Tensor | None, mean: Tensor | None,
                      variance: Tensor | None, training: Any, momentum: Any, epsilon: Any, *rest: Any) -> Any:
    """In evaluation mode with the running statistics; a layer without them uses the statistics of its input."""
    if not training:
        return _batch_norm(op, x, weight, bias, mean, variance, epsilon)
    if mean is not None:
        raise Refused("it changes its running statistics")
    return batch_norm_of_batch(op, x, weight, bias, training, momentum, epsilon)[0]


@converts(aten._native_batch_norm_legit.no_stats)
def batch_norm_of_batch(op: Op, x: Tensor, weight: Tensor | None, bias: Tensor | None, training: Any, momentum: Any, epsilon: Any) -> Any:
    """With the mean and variance of the input over all axes except channels."""
    if not training:
        raise Refused("it has no running statistics and does not compute any")
    b, value = op.build, op.float(x)
    axes = [axis for axis in range(x.rank) if axis != 1]
    count = 1
    for axis in axes:
        count *= x.shape[axis]

    def mean(of: Any) -> Any:
        for axis in axes:
            of = b.sum(of, axis)
        return b.scaled(of, 1 / count)
    centred = b.add("subtract", value, mean(value))
    variance = b.shifted(mean(b.add("square", centred)), float(epsilon))
    y = b.add("multiply", centred, b.add("reciprocal", b.add("sqrt", variance)))
    spread = [None if one is None else b.channels(op.float(one), x.rank) for one in (weight, bias)]
    return _affine(op, y, *spread), None, None


@converts(aten.instance_norm.default)
def instance_norm(op: Op, x: Tensor, weight: Tensor | None, bias: Tensor | None, mean: Tensor | None,
                  variance: Tensor | None, use_input_stats: Any, momentum: Any, epsilon: Any, *rest: Any) -> Any:
    if not use_input_stats:
        return _batch_norm(op, x, weight, bias, mean, variance, epsilon)
    y = op.one("layer_norm", x, axis=2, epsilon=float(epsilon))
    spread = [None if one is None else op.build.channels(op.float(one), x.rank) for one in (weight, bias)]
    return _affine(op, y, *spread)
