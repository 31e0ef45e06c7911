"""Ops of one operand: elementwise, and along one axis."""
from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F

from .._C import DataFormat
from ..dropout_masks import dropped
from ..operand import Operand
from ..tensor import Tensor
from .common import define, graph_op, result

_SMALL = 1e-10  # keeps log and reciprocal of 0 finite


def _relu(x: torch.Tensor, threshold: float, mode: str) -> torch.Tensor:
    if mode == "min":
        return torch.where(x >= threshold, x, torch.zeros_like(x))
    return torch.clamp(torch.relu(x), max=threshold)


def _build_relu(make: Any, x: Any, threshold: float, mode: str) -> Any:
    x = make.as_float(x)
    if mode == "max":
        return make.add("relu_max", x, threshold=float(threshold))
    if threshold == 0.0:
        return make.add("relu", x)
    return make.add("where", make.with_number("greater_equal", x, threshold), x, make.number(0))


def _argmax(x: torch.Tensor, dim: int | None) -> torch.Tensor:
    if dim is None:
        return torch.argmax(x).reshape((1,) * x.dim()).to(torch.int32)
    return torch.argmax(x, dim, keepdim=True).to(torch.int32)


def _build_argmax(make: Any, x: Any, dim: int | None) -> Any:
    x = make.add("nop", make.as_float(x))  # provides an op of this name on the device, and a queue for its input
    if dim is not None:
        return make.add("arg_max", x, axis=make.axis(x, dim))
    found = make.add("arg_max", make.reshape(x, [make.count(x)]), axis=0)
    return make.reshape(found, [1] * len(make.dims(x)))


def _identity(x: torch.Tensor, unsqueeze: Any, unsqueeze_dim: int | None) -> torch.Tensor:
    return x.clone() if unsqueeze is None or unsqueeze_dim is None else x.unsqueeze(unsqueeze_dim)


def _build_identity(make: Any, x: Any, unsqueeze: Any, unsqueeze_dim: int | None) -> Any:
    x = make.add("nop", make.as_float(x))
    if unsqueeze is None or unsqueeze_dim is None:
        return x
    dims = make.dims(x)
    dims.insert(unsqueeze_dim % (len(dims) + 1), 1)
    return make.reshape(x, dims)


def _build_clip(make: Any, x: Any, minimum: float | None, maximum: float | None) -> Any:
    if minimum is None or maximum is None:
        x = x if minimum is None else make.with_number("maximum", x, minimum)
        return x if maximum is None else make.with_number("minimum", x, maximum)
    if minimum == 0.0 and 0.0 < maximum < 65504.0:
        return make.add("relu_max", make.as_float(x), threshold=float(maximum))
    return make.with_number("minimum", make.with_number("maximum", x, minimum), maximum)


def _build_dropout(make: Any, x: Any, p: float, training: bool, seed: int) -> Any:
    if make.training and training and p > 0:
        return make.dropout(make.as_float(x), p, seed)
    return make.add("nop", make.as_float(x))  # inference: nothing is dropped


for _name, _torch, _op in (("exp", torch.exp, "exp"), ("sqrt", torch.sqrt, "sqrt"), ("abs", torch.abs, "abs"),
                           ("sigmoid", torch.sigmoid, "sigmoid"), ("tanh", torch.tanh, "tanh"),
                           ("sine", torch.sin, "sine"), ("cosine", torch.cos, "cosine"),
                           ("buffer", torch.clone, "nop"), ("tilizer", torch.clone, "nop")):
    define(_name, _torch, graph_op(_op))
define("log", lambda x: torch.log(x + _SMALL),
       lambda make, x: make.add("log", make.with_number("add", x, _SMALL)))
define("reciprocal", lambda x: torch.reciprocal(x + _SMALL),
       lambda make, x: make.add("reciprocal", make.with_number("add", x, _SMALL)))
define("relu", _relu, _build_relu)
define("leaky_relu", lambda x, alpha: F.leaky_relu(x, alpha),
       lambda make, x, alpha: make.add("lrelu", make.as_float(x), slope=float(alpha)))
define("gelu", lambda x, approximate: F.gelu(x, approximate=approximate),
       lambda make, x, approximate: make.add("gelu_erf" if approximate == "none" else "gelu", make.as_float(x)))
define("clip", lambda x, minimum, maximum: torch.clamp(x, minimum, maximum), _build_clip)
define("logical_not", lambda x: torch.logical_not(x).to(x.dtype),
       lambda make, x: make.as_float(make.with_number("equal", x, 0.0)))
define("pow", lambda x, exponent: torch.pow(x, exponent),
       lambda make, x, exponent: make.with_number("power", x, exponent))
define("argmax", _argmax, _build_argmax)
define("cumsum", lambda x, axis: torch.cumsum(x, axis),
       lambda make, x, axis: make.along(x, make.axis(x, axis), lambda v: torch.cumsum(v, 0)))
define("dropout", lambda x, p, training, seed: dropped(x, p, seed) if training else x.clone(), _build_dropout)
define("nop", _identity, _build_identity)


def Abs(name: str, operandA: Operand) -> Tensor:
    """|x|, elementwise, in the shape of x."""
    return result("abs", name, operandA)


def Exp(name: str, operandA: Operand) -> Tensor:
    """e to the power of x, elementwise, in the shape of x."""
    return result("exp", name, operandA)


def Log(name: str, operandA: Operand) -> Tensor:
    """ln(x + 1e-10)."""
    return result("log", name, operandA)


def Pow(name: str, operandA: Operand, exponent: int | float) -> Tensor:
    """x to the power of a number, elementwise, in the shape of x."""
    return result("pow", name, operandA, attrs=(exponent,), exponent=exponent)


def Identity(name: str, operandA: Operand, unsqueeze: str | None = None, unsqueeze_dim: int | None = None) -> Tensor:
    """x; with `unsqueeze`, a dim of size 1 is inserted at `unsqueeze_dim`."""
    return result("nop", name, operandA, unsqueeze=unsqueeze, unsqueeze_dim=unsqueeze_dim)


def Buffer(name: str, operandA: Operand) -> Tensor:
    """x, as an op that is never removed; in the shape of x."""
    return result("buffer", name, operandA)


def Reciprocal(name: str, operandA: Operand) -> Tensor:
    """1 / (x + 1e-10)."""
    return result("reciprocal", name, operandA)


def Sqrt(name: str, operandA: Operand) -> Tensor:
    """The square root, elementwise, in the shape of x."""
    return result("sqrt", name, operandA)


def Relu(name: str, operandA: Operand, threshold: float = 0.0, mode: str = "min") -> Tensor:
    """Mode "min": x if it is at least the threshold, else 0; "max": relu(x), at most the threshold. AssertionError for
    other modes."""
    assert mode in ("min", "max"), f"Relu needs mode 'min' or 'max', not '{mode}'"
    return result("relu", name, operandA, attrs=(threshold, mode), threshold=threshold, mode=mode)


def LeakyRelu(name: str, operandA: Operand, alpha: float) -> Tensor:
    """x if it is 0 or more, else alpha * x, elementwise, in the shape of x."""
    return result("leaky_relu", name, operandA, attrs=(alpha,), alpha=alpha)


def Gelu(name: str, operandA: Operand, approximate: str = "none") -> Tensor:
    """AssertionError for approximations other than 'none' and 'tanh'."""
    assert approximate in ("none", "tanh"), f"Gelu needs approximate 'none' or 'tanh', not '{approximate}'"
    return result("gelu", name, operandA, attrs=(approximate,), approximate=approximate)


def Sigmoid(name: str, operandA: Operand) -> Tensor:
    """1 / (1 + exp(-x)), elementwise, in the shape of x."""
    return result("sigmoid", name, operandA)


def Tanh(name: str, operandA: Operand) -> Tensor:
    """The hyperbolic tangent, elementwise, in the shape of x."""
    return result("tanh", name, operandA)


def Sine(name: str, operandA: Operand) -> Tensor:
    """The sine of radians, elementwise, in the shape of x."""
    return result("sine", name, operandA)


def Cosine(name: str, operandA: Operand) -> Tensor:
    """The cosine of radians, elementwise, in the shape of x."""
    return result("cosine", name, operandA)


def Clip(name: str, operandA: Operand, min: float | None = None, max: float | None = None) -> Tensor:
    """x limited to `min` and `max`; None: no limit. In the shape of x. AssertionError if both are None."""
    assert min is not None or max is not None, f"Clip '{name}' has neither min nor max; set at least one"
    return result("clip", name, operandA, attrs=(min, max), minimum=min, maximum=max)


def Argmax(name: str, operandA: Operand, dim: int | None = None) -> Tensor:
    """The index of the first maximum along `dim`, which stays with size 1; None: over all elements. Integers."""
    return result("argmax", name, operandA, out_df=DataFormat.Int32, attrs=(dim,), dim=dim)


def LogicalNot(name: str, operandA: Operand) -> Tensor:
    """1 if x is 0, else 0, elementwise, in the shape of x."""
    return result("logical_not", name, operandA)


def CumSum(name: str, operandA: Operand, axis: int, exclusive: bool = False) -> Tensor:
    """AssertionError if `exclusive`."""
    assert not exclusive, "CumSum supports only inclusive sums; subtract the operand for an exclusive one"
    return result("cumsum", name, operandA, attrs=(axis, exclusive), axis=axis)


def Dropout(name: str, operandA: Operand, p: float = 0.5, training: bool = True, seed: int = 0) -> Tensor:
    """In inference, the operand."""
    return result("dropout", name, operandA, attrs=(p, training, seed), p=p, training=training, seed=seed)


def Tilize(name: str, operandA: Operand) -> Tensor:
    """x, since the host tilizes. In the shape of x."""
    return result("tilizer", name, operandA)
