"""Ops of three operands, elementwise with broadcasting."""
from __future__ import annotations

import torch

from ..table import op

Operand = torch.Tensor | float


@op()
def where(condition: torch.Tensor, input_tensor_a: Operand, input_tensor_b: Operand) -> torch.Tensor:
    """a where condition is not 0, else b. Either may be a number."""
    return torch.where(condition != 0, input_tensor_a, input_tensor_b)


@op()
def addcmul(input_tensor_a: torch.Tensor, input_tensor_b: torch.Tensor, input_tensor_c: torch.Tensor,
            value: float = 1.0) -> torch.Tensor:
    """a + value * b * c."""
    return input_tensor_a + value * (input_tensor_b * input_tensor_c)


@op()
def addcdiv(input_tensor_a: torch.Tensor, input_tensor_b: torch.Tensor, input_tensor_c: torch.Tensor,
            value: float = 1.0) -> torch.Tensor:
    """a + value * b / c."""
    return input_tensor_a + value * (input_tensor_b / input_tensor_c)


@op()
def mac(input_tensor_a: torch.Tensor, input_tensor_b: Operand, input_tensor_c: Operand) -> torch.Tensor:
    """a * b + c."""
    return input_tensor_a * input_tensor_b + input_tensor_c


@op()
def lerp(input_tensor_a: torch.Tensor, input_tensor_b: torch.Tensor, weight: Operand) -> torch.Tensor:
    """a + weight * (b - a)."""
    return input_tensor_a + weight * (input_tensor_b - input_tensor_a)


@op()
def masked_fill(input_tensor: torch.Tensor, mask: torch.Tensor, value: float) -> torch.Tensor:
    """value where mask is not 0, else the input."""
    return torch.where(mask != 0, value, input_tensor)
