"""Products."""
from __future__ import annotations

import torch

from ..table import op
from .binary import activated

Optional = torch.Tensor | None


def _product(a: torch.Tensor, b: torch.Tensor, transpose_a: bool, transpose_b: bool) -> torch.Tensor:
    a = a.transpose(-1, -2) if transpose_a else a
    return a @ (b.transpose(-1, -2) if transpose_b else b)


@op(group="product", layouts="tile")
def matmul(input_tensor_a: torch.Tensor, input_tensor_b: torch.Tensor, transpose_a: bool = False,
           transpose_b: bool = False, activation: str | None = None) -> torch.Tensor:
    """Product of matrices, [.., M, K] by [.., K, N]; the other axes broadcast. `activation`: of the result."""
    return activated(_product(input_tensor_a, input_tensor_b, transpose_a, transpose_b), activation)


@op(group="product", layouts="tile")
def linear(input_tensor_a: torch.Tensor, input_tensor_b: torch.Tensor, bias: Optional = None, transpose_a: bool = False,
           transpose_b: bool = False, activation: str | None = None) -> torch.Tensor:
    """matmul() plus a bias, [N] or [1, N], then the activation."""
    made = _product(input_tensor_a, input_tensor_b, transpose_a, transpose_b)
    return activated(made if bias is None else made + bias, activation)


@op(group="product", layouts="tile")
def addmm(input_tensor: torch.Tensor, mat1_tensor: torch.Tensor, mat2_tensor: torch.Tensor, alpha: float = 1.0,
          beta: float = 1.0) -> torch.Tensor:
    """beta * input + alpha * (mat1 @ mat2)."""
    made = mat1_tensor @ mat2_tensor
    made = made if alpha == 1 else made * alpha
    return made if beta == 0 else made + (input_tensor if beta == 1 else input_tensor * beta)


@op(group="product", layouts="tile")
def moreh_dot(input_tensor_a: torch.Tensor, input_tensor_b: torch.Tensor) -> torch.Tensor:
    """Sum of the products of two vectors, over the last axis."""
    return torch.sum(input_tensor_a * input_tensor_b, -1, keepdim=True)
