"""Ops of two operands, elementwise with broadcasting. The second operand may be a number."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F

from ..table import add, alias, op

Operand = torch.Tensor | float
_ACTIVATIONS: dict[str, Callable[..., torch.Tensor]] = {
    "relu": torch.relu, "gelu": F.gelu, "silu": F.silu, "sigmoid": torch.sigmoid, "tanh": torch.tanh, "sqrt": torch.sqrt,
    "exp": torch.exp, "log": torch.log, "reciprocal": torch.reciprocal, "abs": torch.abs, "neg": torch.neg,
    "square": torch.square, "relu6": F.relu6, "softplus": F.softplus, "mish": F.mish, "hardswish": F.hardswish,
}


def activated(value: torch.Tensor, activation: str | None) -> torch.Tensor:
    """An activation by name. ValueError for an unknown one."""
    if activation is None:
        return value
    if activation not in _ACTIVATIONS:
        raise ValueError(f"there is no activation '{activation}'; use one of {', '.join(sorted(_ACTIVATIONS))}")
    return _ACTIVATIONS[activation](value)


def _tensor(x: Operand, like: Operand) -> torch.Tensor:
    if isinstance(x, torch.Tensor):
        return x
    assert isinstance(like, torch.Tensor)
    return torch.full((), x, dtype=like.dtype if like.dtype.is_floating_point or isinstance(x, int) else torch.float32,
                      device=like.device)


def _plain(name: str, function: Callable[..., Any], text: str, **properties: Any) -> None:
    def call(input_tensor_a: Operand, input_tensor_b: Operand, activations: list[str] | None = None) -> torch.Tensor:
        result: torch.Tensor = function(input_tensor_a, input_tensor_b)
        for one in activations or ():
            result = activated(result, one)
        return result
    call.__doc__ = f"{text}. Shapes broadcast; a number is broadcast too. `activations`: applied to the result in order."
    add(name, call, **properties)


def _both(function: Callable[..., Any]) -> Callable[..., Any]:
    """For functions of torch that take tensors only."""
    return lambda a, b: function(_tensor(a, b), _tensor(b, a))


_plain("add", torch.add, "a + b")
_plain("subtract", torch.sub, "a - b")
_plain("multiply", torch.mul, "a * b")
_plain("divide", torch.div, "a / b")
_plain("rsub", lambda a, b: b - a, "b - a")
for _name, _function, _text in (("eq", torch.eq, "="), ("ne", torch.ne, "!="), ("lt", torch.lt, "<"), ("le", torch.le, "<="),
                                ("gt", torch.gt, ">"), ("ge", torch.ge, ">=")):
    _plain(_name, _function, f"1 where a {_text} b, else 0")
for _name in ("logical_and", "logical_or", "logical_xor"):
    _plain(_name, _both(getattr(torch, _name)), f"{_name} of a != 0 and b != 0, as 1 or 0")
_plain("maximum", _both(torch.maximum), "The larger of a and b")
_plain("minimum", _both(torch.minimum), "The smaller of a and b")
_plain("squared_difference", lambda a, b: torch.square(a - b), "(a - b)^2")
_plain("ldexp", lambda a, b: a * torch.exp2(_tensor(b, a).float()), "a * 2^b")
_plain("logaddexp", lambda a, b: torch.log(torch.exp(_tensor(a, b)) + torch.exp(_tensor(b, a))), "log(e^a + e^b)")
_plain("logaddexp2", lambda a, b: torch.log2(torch.exp2(_tensor(a, b)) + torch.exp2(_tensor(b, a))), "log2(2^a + 2^b)")
_plain("hypot", lambda a, b: torch.sqrt(torch.square(_tensor(a, b)) + torch.square(_tensor(b, a))), "sqrt(a^2 + b^2)")
_plain("atan2", _both(torch.atan2), "The angle of the point (b, a)")
_plain("xlogy", _both(torch.xlogy), "a * log(b), and 0 where a is 0")
_plain("floor_div", lambda a, b: torch.floor(torch.div(a, b)), "floor(a / b)", kind="host")
_plain("div_no_nan", lambda a, b: torch.where(_tensor(b, a) == 0, torch.zeros(()), torch.div(a, torch.where(_tensor(b, a) == 0, torch.ones(()), _tensor(b, a)))),
       "a / b, and 0 where b is 0")
_plain("remainder", torch.remainder, "a - b * floor(a / b)", kind="host")
_plain("fmod", torch.fmod, "a - b * trunc(a / b)", kind="host")
_plain("bias_gelu", lambda a, b: F.gelu(a + b), "gelu(a + b)")
_plain("nextafter", _both(torch.nextafter), "The next float32 after a towards b", kind="host")
_plain("gcd", _both(torch.gcd), "The greatest common divisor of integers", kind="host")
_plain("lcm", _both(torch.lcm), "The least common multiple of integers", kind="host")
for _name in ("bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift", "bitwise_right_shift"):
    _plain(_name, getattr(torch, _name), f"{_name} of integers", kind="host")
for _new, _of in (("sub", "subtract"), ("mul", "multiply"), ("div", "divide"), ("floor_divide", "floor_div")):
    alias(_new, _of)


@op("pow")
def pow_(input_tensor: Operand, exponent: Operand) -> torch.Tensor:
    """input ^ exponent. Shapes broadcast; either may be a number."""
    power: Callable[..., torch.Tensor] = torch.pow
    return power(input_tensor, exponent)


alias("power", "pow")


@op()
def addalpha(input_tensor_a: torch.Tensor, input_tensor_b: torch.Tensor, alpha: float = 1.0) -> torch.Tensor:
    """a + alpha * b."""
    return input_tensor_a + alpha * input_tensor_b


@op()
def subalpha(input_tensor_a: torch.Tensor, input_tensor_b: torch.Tensor, alpha: float = 1.0) -> torch.Tensor:
    """a - alpha * b."""
    return input_tensor_a - alpha * input_tensor_b


@op(kind="host")
def isclose(input_tensor_a: torch.Tensor, input_tensor_b: torch.Tensor, rtol: float = 1e-5, atol: float = 1e-8,
            equal_nan: bool = False) -> torch.Tensor:
    """1 where |a - b| <= atol + rtol * |b|, else 0."""
    return torch.isclose(input_tensor_a, input_tensor_b, rtol, atol, equal_nan)


@op()
def prelu(input_tensor_a: torch.Tensor, input_tensor_b: Operand) -> torch.Tensor:
    """a, or b * a for negative a; b: a number or one value a channel (axis 1)."""
    b = input_tensor_b
    if isinstance(b, torch.Tensor) and b.dim() == 1 and b.numel() > 1:
        b = b.reshape([-1] + [1] * (input_tensor_a.dim() - 2))
    return torch.where(input_tensor_a > 0, input_tensor_a, input_tensor_a * b)


@op()
def outer(input_tensor_a: torch.Tensor, input_tensor_b: torch.Tensor) -> torch.Tensor:
    """The product of every element of a with every element of b: [numel(a), numel(b)]."""
    return input_tensor_a.reshape(-1, 1) * input_tensor_b.reshape(1, -1)
