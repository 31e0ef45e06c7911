"""Elementwise ops of two operands, with broadcasting."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from ..operand import Operand
from ..tensor import Tensor
from ..upper_layers import offered
from .common import define, graph_op, result, widened

Number = Operand | float


def _compare(function: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    return lambda a, b: function(a, b).to(a.dtype if a.dtype.is_floating_point else torch.float32)


def _build_compare(op: str) -> Callable[..., Any]:
    return lambda make, a, b: make.as_float(make.add(op, a, b))


def _is_not_zero(make: Any, a: Any) -> Any:
    return make.add("subtract", make.number(1), make.as_float(make.with_number("equal", a, 0.0)))


def _heaviside(make: Any, a: Any, b: Any) -> Any:
    positive = make.as_float(make.with_number("greater", a, 0.0))
    zero = make.as_float(make.with_number("equal", a, 0.0))
    return make.add("add", positive, make.add("multiply", zero, make.as_float(b)))


def _interleaved(parts: list[torch.Tensor]) -> torch.Tensor:
    return torch.stack(parts, 1).flatten(0, 1)


def _binary_stack(a: torch.Tensor, b: torch.Tensor, dim: int) -> torch.Tensor:
    if a.shape != b.shape:
        raise ValueError("both operands must have the same shape")
    return torch.stack([a, b], a.dim() if dim == -1 else dim).flatten(dim - 1, dim)


def _arithmetic(function: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    return lambda a, b: function(widened(a, b), widened(b, a))


for _name, _torch, _op in (("add", torch.add, "add"), ("subtract", torch.sub, "subtract"),
                           ("multiply", torch.mul, "multiply"), ("divide", torch.div, "divide"),
                           ("maximum", torch.maximum, "maximum"), ("minimum", torch.minimum, "minimum"),
                           ("power", torch.pow, "power")):
    define(_name, _arithmetic(_torch), graph_op(_op))
for _name, _torch in (("greater", torch.gt), ("greater_equal", torch.ge), ("less", torch.lt),
                      ("less_equal", torch.le), ("equal", torch.eq)):
    define(_name, _compare(_torch), _build_compare(_name))
define("not_equal", _compare(torch.ne),
       lambda make, a, b: make.add("subtract", make.number(1), make.as_float(make.add("equal", a, b))))
define("logical_and", _compare(torch.logical_and),
       lambda make, a, b: make.add("multiply", _is_not_zero(make, a), _is_not_zero(make, b)))
define("heaviside", torch.heaviside, _heaviside)
define("binary_stack", _binary_stack, lambda make, a, b, dim: make.join([a, b], make.axis(a, dim), _interleaved))


@offered
def Add(name: str, operandA: Number, operandB: Number) -> Tensor:
    """a + b, elementwise with broadcasting. RuntimeError for incompatible shapes."""
    return result("add", name, operandA, operandB)


@offered
def Subtract(name: str, operandA: Number, operandB: Number) -> Tensor:
    """a - b, elementwise with broadcasting. RuntimeError for incompatible shapes."""
    return result("subtract", name, operandA, operandB)


@offered
def Multiply(name: str, operandA: Number, operandB: Number) -> Tensor:
    """a * b, elementwise with broadcasting. RuntimeError for incompatible shapes."""
    return result("multiply", name, operandA, operandB)


def Divide(name: str, operandA: Number, operandB: Number) -> Tensor:
    """a / b, elementwise with broadcasting. RuntimeError for incompatible shapes."""
    return result("divide", name, operandA, operandB)


def Max(name: str, operandA: Number, operandB: Number) -> Tensor:
    """The larger of a and b, elementwise with broadcasting. RuntimeError for incompatible shapes."""
    return result("maximum", name, operandA, operandB)


def Min(name: str, operandA: Number, operandB: Number) -> Tensor:
    """The smaller of a and b, elementwise with broadcasting. RuntimeError for incompatible shapes."""
    return result("minimum", name, operandA, operandB)


def Power(name: str, operandA: Number, operandB: Number) -> Tensor:
    """a to the power of b, elementwise with broadcasting. RuntimeError for incompatible shapes."""
    return result("power", name, operandA, operandB)


def Heaviside(name: str, operandA: Number, operandB: Number) -> Tensor:
    """0, b or 1 if a is less than, equal to or greater than 0."""
    return result("heaviside", name, operandA, operandB)


def Greater(name: str, operandA: Number, operandB: Number) -> Tensor:
    """a > b: 1.0 if true, else 0.0, elementwise with broadcasting. RuntimeError for incompatible shapes."""
    return result("greater", name, operandA, operandB)


def GreaterEqual(name: str, operandA: Number, operandB: Number) -> Tensor:
    """a >= b: 1.0 if true, else 0.0, elementwise with broadcasting. RuntimeError for incompatible shapes."""
    return result("greater_equal", name, operandA, operandB)


def Less(name: str, operandA: Number, operandB: Number) -> Tensor:
    """a < b: 1.0 if true, else 0.0, elementwise with broadcasting. RuntimeError for incompatible shapes."""
    return result("less", name, operandA, operandB)


def LessEqual(name: str, operandA: Number, operandB: Number) -> Tensor:
    """a <= b: 1.0 if true, else 0.0, elementwise with broadcasting. RuntimeError for incompatible shapes."""
    return result("less_equal", name, operandA, operandB)


def Equal(name: str, operandA: Number, operandB: Number) -> Tensor:
    """a == b: 1.0 if true, else 0.0, elementwise with broadcasting. RuntimeError for incompatible shapes."""
    return result("equal", name, operandA, operandB)


def NotEqual(name: str, operandA: Number, operandB: Number) -> Tensor:
    """a != b: 1.0 if true, else 0.0, elementwise with broadcasting. RuntimeError for incompatible shapes."""
    return result("not_equal", name, operandA, operandB)


def LogicalAnd(name: str, operandA: Number, operandB: Number) -> Tensor:
    """Whether neither operand is 0: 1.0 if true, else 0.0, elementwise with broadcasting. RuntimeError for incompatible
    shapes."""
    return result("logical_and", name, operandA, operandB)


def BinaryStack(name: str, operandA: Number, operandB: Number, dim: int) -> Tensor:
    """a0 b0 a1 b1 ... along `dim`, -1 or -2; both have the same shape. AssertionError for another dim."""
    assert dim in (-1, -2), f"BinaryStack needs dim -1 or -2, not {dim}"
    return result("binary_stack", name, operandA, operandB, attrs=(dim,), dim=dim)
