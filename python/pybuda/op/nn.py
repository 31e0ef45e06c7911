"""Neural network ops, and modules with their weights."""
from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F

from ..operand import Operand
from ..tensor import Tensor
from .common import define, result
from .eltwise_binary import Add, Multiply, Subtract
from .eltwise_unary import Reciprocal, Sqrt
from .nn_modules import (AvgPool2dModule, Conv2dModule, ConvTranspose2dModule, Linear, MaxPool1dModule,
                         MaxPool2dModule, SparseMatmulModule)
from .reduce import ReduceAvg

__all__ = ["AvgPool2dModule", "Batchnorm", "Conv2dModule", "ConvTranspose2dModule", "Layernorm", "Linear",
           "LogSoftmax", "MaxPool1dModule", "MaxPool2dModule", "Softmax", "SparseMatmulModule"]


def _layernorm(x: torch.Tensor, weights: torch.Tensor, bias: torch.Tensor, epsilon: float) -> torch.Tensor:
    return F.layer_norm(x, x.shape[-1:], None, None, epsilon) * weights + bias


def _build_layernorm(make: Any, x: Any, weights: Any, bias: Any, epsilon: float) -> Any:
    normed = make.add("layer_norm", make.as_float(x), axis=len(make.dims(x)) - 1, epsilon=float(epsilon))
    return make.add("add", make.add("multiply", normed, weights), bias)


def _batchnorm(x: torch.Tensor, weights: torch.Tensor, bias: torch.Tensor, mean: torch.Tensor, var: torch.Tensor,
               epsilon: float) -> torch.Tensor:
    flat = [mean.detach().reshape(-1), var.detach().reshape(-1), weights.reshape(-1), bias.reshape(-1)]
    return F.batch_norm(x, flat[0], flat[1], flat[2], flat[3], False, 0.0, epsilon)


def _build_batchnorm(make: Any, x: Any, *given: Any, epsilon: float) -> Any:
    flat = [make.reshape(value, [make.count(value)]) for value in given]
    return make.add("batch_norm", make.as_float(x), *flat, epsilon=float(epsilon))


define("softmax", lambda x, dim: torch.softmax(x, dim),
       lambda make, x, dim: make.add("softmax", make.as_float(x), axis=make.axis(x, dim)))
define("log_softmax", lambda x, dim: torch.log_softmax(x, dim),
       lambda make, x, dim: make.add("log_softmax", make.as_float(x), axis=make.axis(x, dim)))
define("layernorm", _layernorm, _build_layernorm)
define("batchnorm", _batchnorm, _build_batchnorm)


def Softmax(name: str, operandA: Tensor, *, dim: int, stable: bool = True) -> Tensor:
    """`stable` is ignored: CompilerConfig.enable_stable_softmax applies to all."""
    return result("softmax", name, operandA, attrs=(dim, stable), dim=dim)


def LogSoftmax(name: str, operandA: Tensor, *, dim: int, stable: bool = True) -> Tensor:
    """The logarithm of Softmax along `dim`, in the shape of x."""
    return result("log_softmax", name, operandA, attrs=(dim, stable), dim=dim)


def Layernorm(name: str, operandA: Tensor, weights: Operand, bias: Operand, dim: int = -1,
              epsilon: float = 1e-5) -> Tensor:
    """One op along the last dim; along another dim several ops, named `<name>_mean` and so on."""
    if dim in (-1, len(operandA.shape) - 1):
        return result("layernorm", name, operandA, weights, bias, attrs=(dim, epsilon), epsilon=epsilon)
    mean = ReduceAvg(f"{name}_mean", operandA, dim)
    centered = Subtract(f"{name}_sub", operandA, mean)
    variance = ReduceAvg(f"{name}_var", Multiply(f"{name}_sq", centered, centered), dim)
    deviation = Sqrt(f"{name}_sqrt", Add(f"{name}_var_plus_eps", variance, epsilon))
    normed = Multiply(f"{name}_output", centered, Reciprocal(f"{name}_recip", deviation))
    return Add(f"{name}_bias", Multiply(f"{name}_weights", normed, weights), bias)


def Batchnorm(name: str, operandA: Tensor, weights: Operand, bias: Operand, running_mean: Operand,
              running_var: Operand, epsilon: float = 1e-5) -> Tensor:
    """Uses the running statistics."""
    return result("batchnorm", name, operandA, weights, bias, running_mean, running_var, attrs=(epsilon,),
                  epsilon=epsilon)
