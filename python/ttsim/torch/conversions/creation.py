"""Tensors that depend only on the shape of their argument."""
from __future__ import annotations

from typing import Any

import torch

from ..table import Op, Tensor, converts

aten = torch.ops.aten

_VALUES = {aten.zeros_like.default: 0, aten.ones_like.default: 1, aten.new_zeros.default: 0, aten.new_ones.default: 1}


def _filled(op: Op, value: Any) -> Any:
    return op.build.constant(torch.full(op.result.shape, value, dtype=op.result.dtype))


@converts(*_VALUES)
def like(op: Op, x: Tensor, *rest: Any, **named: Any) -> Any:
    return _filled(op, _VALUES[op.target])


@converts(aten.full_like.default)
def full_like(op: Op, x: Tensor, value: Any, **named: Any) -> Any:
    return _filled(op, value)


@converts(aten.new_full.default)
def new_full(op: Op, x: Tensor, shape: Any, value: Any, **named: Any) -> Any:
    return _filled(op, value)


@converts(aten.fill.Scalar)
def fill(op: Op, x: Tensor, value: Any) -> Any:
    return _filled(op, value)
