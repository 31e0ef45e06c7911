"""Ops of one tensor, elementwise."""
from __future__ import annotations

import math
from typing import Any

import torch
import torch.nn.functional as F

from ..table import add, alias, op


def _plain(name: str, function: Any, **properties: Any) -> None:
    def call(input_tensor: torch.Tensor) -> torch.Tensor:
        made: torch.Tensor = function(input_tensor)
        return made
    call.__doc__ = f"{name} of each element. Any shape; the result has the shape of the operand."
    add(name, call, **properties)


# without a form on the chip, or steps that the compiler leaves to the host
_HOST = frozenset(("erfinv", "ceil", "floor", "trunc", "signbit", "lgamma", "digamma", "i0", "i1"))
_TORCH = ("abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "ceil", "cos", "cosh", "erf", "erfc", "erfinv", "exp",
          "exp2", "expm1", "floor", "log", "log10", "log1p", "log2", "logical_not", "neg", "reciprocal", "rsqrt",
          "sigmoid", "sign", "sin", "sinh", "sqrt", "square", "tan", "tanh", "trunc", "frac", "signbit", "deg2rad",
          "rad2deg", "lgamma", "digamma", "i0", "i1")
for _name in _TORCH:
    _plain(_name, getattr(torch, _name) if _name != "i1" else torch.special.i1, kind="host" if _name in _HOST else "chip")
for _name in ("isinf", "isnan", "isfinite"):
    _plain(_name, getattr(torch, _name), kind="host")
for _name, _function in (("isposinf", torch.isposinf), ("isneginf", torch.isneginf)):
    _plain(_name, _function, kind="host")
for _name in ("relu", "relu6", "hardsigmoid", "hardswish", "silu", "softsign", "mish", "tanhshrink"):
    _plain(_name, getattr(F, _name))
_plain("log_sigmoid", F.logsigmoid)
_plain("gtz", lambda x: x > 0)
_plain("gez", lambda x: x >= 0)
_plain("ltz", lambda x: x < 0)
_plain("lez", lambda x: x <= 0)
_plain("eqz", lambda x: x == 0)
_plain("nez", lambda x: x != 0)
_plain("cbrt", lambda x: torch.sign(x) * torch.pow(torch.abs(x), 1.0 / 3))
_plain("identity", lambda x: x.clone(), kind="move")
_plain("bitwise_not", torch.bitwise_not, kind="host")
_plain("alt_complex_rotate90", lambda x: torch.stack([-x[..., 1::2], x[..., ::2]], -1).flatten(-2), kind="move")
alias("swish", "silu")
alias("recip", "reciprocal")


@op()
def gelu(input_tensor: torch.Tensor, fast_and_approximate_mode: bool = True) -> torch.Tensor:
    """x * Phi(x). The chip's table is used for both values of `fast_and_approximate_mode`."""
    return F.gelu(input_tensor)


@op()
def softplus(input_tensor: torch.Tensor, beta: float = 1.0, threshold: float = 20.0) -> torch.Tensor:
    """log(1 + exp(beta x)) / beta, and x where beta x > threshold."""
    return F.softplus(input_tensor, beta, threshold)


@op()
def leaky_relu(input_tensor: torch.Tensor, negative_slope: float = 0.01) -> torch.Tensor:
    """x, or negative_slope * x for negative x."""
    return F.leaky_relu(input_tensor, negative_slope)


@op()
def elu(input_tensor: torch.Tensor, alpha: float = 1.0) -> torch.Tensor:
    """x, or alpha * (exp(x) - 1) for negative x."""
    return F.elu(input_tensor, alpha)


@op()
def celu(input_tensor: torch.Tensor, alpha: float = 1.0) -> torch.Tensor:
    """max(0, x) + min(0, alpha * (exp(x / alpha) - 1))."""
    return F.celu(input_tensor, alpha)


@op()
def selu(input_tensor: torch.Tensor) -> torch.Tensor:
    """The scaled elu."""
    return F.selu(input_tensor)


@op()
def hardtanh(input_tensor: torch.Tensor, min_val: float = -1.0, max_val: float = 1.0) -> torch.Tensor:
    """x limited to min_val .. max_val."""
    return torch.clamp(input_tensor, min_val, max_val)


@op()
def clip(input_tensor: torch.Tensor, min: float | None = None, max: float | None = None) -> torch.Tensor:  # noqa: A002
    """x limited to min .. max; None: no limit."""
    return input_tensor.clone() if min is None and max is None else torch.clamp(input_tensor, min, max)


alias("clamp", "clip")


@op()
def relu_max(input_tensor: torch.Tensor, upper_limit: float) -> torch.Tensor:
    """relu of min(x, upper_limit)."""
    return torch.relu(torch.clamp(input_tensor, max=upper_limit))


@op()
def relu_min(input_tensor: torch.Tensor, lower_limit: float) -> torch.Tensor:
    """relu of max(x, lower_limit)."""
    return torch.relu(torch.clamp(input_tensor, min=lower_limit))


@op()
def hardshrink(input_tensor: torch.Tensor, lambd: float = 0.5) -> torch.Tensor:
    """x where |x| > lambd, else 0."""
    return F.hardshrink(input_tensor, lambd)


@op()
def softshrink(input_tensor: torch.Tensor, lambd: float = 0.5) -> torch.Tensor:
    """x - lambd, x + lambd, or 0 between."""
    return F.softshrink(input_tensor, lambd)


@op()
def threshold(input_tensor: torch.Tensor, threshold: float, value: float) -> torch.Tensor:
    """x where x > threshold, else value."""
    return F.threshold(input_tensor, threshold, value)


@op()
def heaviside(input_tensor: torch.Tensor, value: float = 0.0) -> torch.Tensor:
    """0 for negative x, 1 for positive x, value for 0."""
    return (input_tensor > 0).float() + (input_tensor == 0).float() * value


@op()
def logit(input_tensor: torch.Tensor, eps: float | None = None) -> torch.Tensor:
    """log(x / (1 - x)), of x limited to eps .. 1 - eps if eps is set."""
    x = input_tensor if eps is None else torch.clamp(input_tensor, eps, 1 - eps)
    return torch.log(x) - torch.log(1 - x)


@op("round", kind="host")
def round_(input_tensor: torch.Tensor, decimals: int = 0) -> torch.Tensor:
    """To the nearest multiple of 10^-decimals, ties to even."""
    return torch.round(input_tensor) if decimals == 0 else torch.round(input_tensor, decimals=decimals)


@op(kind="host")
def polygamma(input_tensor: torch.Tensor, k: int) -> torch.Tensor:
    """The k-th derivative of digamma."""
    return torch.polygamma(k, input_tensor)


@op(kind="host")
def multigammaln(input_tensor: torch.Tensor) -> torch.Tensor:
    """log of the multivariate gamma function of dimension 4."""
    made: torch.Tensor = torch.special.multigammaln(input_tensor, 4)
    return made


@op()
def polyval(input_tensor: torch.Tensor, coeffs: list[float]) -> torch.Tensor:
    """A polynomial by its coefficients, the highest power first."""
    result = torch.full_like(input_tensor, float(coeffs[0]))
    for one in coeffs[1:]:
        result = result * input_tensor + float(one)
    return result


@op()
def rpow(input_tensor: torch.Tensor, exponent: float) -> torch.Tensor:
    """exponent ^ x, of a positive base."""
    return torch.exp(input_tensor * math.log(exponent))


@op()
def rdiv(input_tensor: torch.Tensor, value: float) -> torch.Tensor:
    """value / x."""
    return value / input_tensor


@op()
def tril(input_tensor: torch.Tensor, diagonal: int = 0) -> torch.Tensor:
    """0 above the diagonal of the last two axes."""
    return torch.tril(input_tensor, diagonal)


@op()
def triu(input_tensor: torch.Tensor, diagonal: int = 0) -> torch.Tensor:
    """0 below the diagonal of the last two axes."""
    return torch.triu(input_tensor, diagonal)


def _halves(x: torch.Tensor, dim: int) -> tuple[torch.Tensor, torch.Tensor]:
    a, b = torch.chunk(x, 2, dim)
    return a, b


@op()
def glu(input_tensor: torch.Tensor, dim: int = -1) -> torch.Tensor:
    """The first half along `dim` times the sigmoid of the second."""
    a, b = _halves(input_tensor, dim)
    return a * torch.sigmoid(b)


@op()
def reglu(input_tensor: torch.Tensor, dim: int = -1) -> torch.Tensor:
    """The first half along `dim` times the relu of the second."""
    a, b = _halves(input_tensor, dim)
    return a * torch.relu(b)


@op()
def geglu(input_tensor: torch.Tensor, dim: int = -1) -> torch.Tensor:
    """The first half along `dim` times the gelu of the second."""
    a, b = _halves(input_tensor, dim)
    return a * F.gelu(b)


@op()
def swiglu(input_tensor: torch.Tensor, dim: int = -1) -> torch.Tensor:
    """The first half along `dim` times the silu of the second."""
    a, b = _halves(input_tensor, dim)
    return a * F.silu(b)


@op()
def typecast(input_tensor: torch.Tensor) -> torch.Tensor:
    """The values in another element type, by the keyword `dtype`. Floats to integers: the fraction is dropped."""
    return input_tensor.clone()
