"""Functions and layers of torch, named by torch's functions."""
from __future__ import annotations

from .datatypes import OperatorDefinition, OperatorParamNumber, OperatorRepository

_UNARY = ("relu", "sqrt", "reciprocal", "sigmoid", "abs", "cos", "exp", "neg", "rsqrt", "sin", "square", "log", "log1p",
          "tanh", "floor", "ceil", "round", "sign", "erf", "logical_not")
_BINARY = ("add", "sub", "mul", "div", "maximum", "minimum", "pow", "eq", "ne", "ge", "gt", "le", "lt", "heaviside",
           "logical_and")
_FUNCTIONAL = ("gelu", "silu", "hardsigmoid", "hardswish", "softplus")


def _number(name: str, kind: type = float, low: float | None = None, high: float | None = None) -> OperatorParamNumber:
    return OperatorParamNumber(name, kind, low, high)


def _function(name: str, operands: int | tuple[int, int], *params: OperatorParamNumber,
              home: str = "torch") -> OperatorDefinition:
    return OperatorDefinition(name, f"{home}.{name}", operands, forward_params=list(params))


def _layer(name: str, full_name: str, *params: OperatorParamNumber) -> OperatorDefinition:
    return OperatorDefinition(name, f"torch.nn.{full_name}", 1, True, list(params))


pytorch_operator_repository = OperatorRepository([
    *(_function(name, 1) for name in _UNARY),
    *(_function(name, 1, home="torch.nn.functional") for name in _FUNCTIONAL),
    *(_function(name, 2) for name in _BINARY),
    _function("clamp", 1, _number("min"), _number("max")),
    _function("leaky_relu", 1, _number("negative_slope", float, 0, 100), home="torch.nn.functional"),
    _function("softmax", 1, _number("dim", int)),
    _function("cumsum", 1, _number("dim", int)),
    _function("transpose", 1, _number("dim0", int), _number("dim1", int)),
    _function("mean", 1, _number("dim", int)),
    _function("sum", 1, _number("dim", int)),
    _function("matmul", 2),
    _function("where", 3),
    _function("cat", (2, 7), _number("dim", int, -4, 4)),
    _function("stack", (2, 7), _number("dim", int, -4, 4)),
    _layer("linear", "Linear", _number("in_features", int, 1), _number("out_features", int, 1)),
    _layer("conv2d", "Conv2d", _number("in_channels", int, 1), _number("out_channels", int, 1),
           _number("kernel_size", int, 1), _number("stride", int, 1)),
    _layer("conv_transpose_2d", "ConvTranspose2d", _number("in_channels", int, 1), _number("out_channels", int, 1),
           _number("kernel_size", int, 1), _number("stride", int, 1)),
])
