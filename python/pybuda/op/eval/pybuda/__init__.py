"""Values and shapes of pybuda's ops by type, as in traces."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from ...common import KINDS, OpKind, PyBudaOp


def get_f_pybuda_eval(op: PyBudaOp) -> Callable[..., torch.Tensor]:
    """f(*torch tensors) -> the op's value."""
    return lambda *tensors: op.evaluate(list(tensors))


def get_f_pybuda_shape(op: PyBudaOp) -> Callable[..., tuple[int, ...]]:
    """f(*shapes) -> the shape of the value."""
    return lambda *shapes: shape(op.op_type, shapes, **op.named_attrs)


def kind_of(op_type: str) -> OpKind:
    """RuntimeError for an unknown type."""
    if op_type not in KINDS:
        raise RuntimeError(f"there is no op '{op_type}'; ops are {', '.join(sorted(KINDS))}")
    return KINDS[op_type]


def evaluate(op_type: str, tensors: Any, **attributes: Any) -> torch.Tensor:
    """The value in torch."""
    return kind_of(op_type).evaluate(*tensors, **attributes)


def shape(op_type: str, shapes: Any, **attributes: Any) -> tuple[int, ...]:
    """The shape of the result for operands of these shapes."""
    kind = kind_of(op_type)
    if kind.shape is not None:
        return tuple(kind.shape(*shapes, **attributes))
    return tuple(kind.evaluate(*(torch.empty(tuple(one), device="meta") for one in shapes), **attributes).shape)
