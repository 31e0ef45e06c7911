"""The ops of pybuda.op, named by their types."""
from __future__ import annotations

from .datatypes import OperatorDefinition, OperatorParamNumber, OperatorRepository

_UNARY = ("Abs", "Exp", "Log", "Reciprocal", "Sqrt", "Relu", "Gelu", "Sigmoid", "Tanh", "Sine", "Cosine", "Identity",
          "Buffer", "LogicalNot", "Tilize", "Argmax")
_BINARY = ("Add", "Subtract", "Multiply", "Divide", "Max", "Min", "Power", "Heaviside", "Greater", "GreaterEqual",
           "Less", "LessEqual", "Equal", "NotEqual", "LogicalAnd")
_TYPES = {"GreaterEqual": "greater_equal", "LessEqual": "less_equal", "NotEqual": "not_equal",
          "LogicalAnd": "logical_and", "LogicalNot": "logical_not", "LeakyRelu": "leaky_relu",
          "BinaryStack": "binary_stack", "Max": "maximum", "Min": "minimum", "Identity": "nop", "Tilize": "tilizer"}


def _define(name: str, operands: int | tuple[int, int], *params: OperatorParamNumber) -> OperatorDefinition:
    return OperatorDefinition(_TYPES.get(name, name.lower()), f"pybuda.op.{name}", operands,
                              forward_params=list(params))


def _number(name: str, kind: type = float, low: float | None = None, high: float | None = None) -> OperatorParamNumber:
    return OperatorParamNumber(name, kind, low, high)


pybuda_operator_repository = OperatorRepository([
    *(_define(name, 1) for name in _UNARY),
    *(_define(name, 2) for name in _BINARY),
    _define("LeakyRelu", 1, _number("alpha", float, 0, 100)),
    _define("Clip", 1, _number("min"), _number("max")),
    _define("Pow", 1, _number("exponent", float, 0, 100)),
    _define("CumSum", 1, _number("axis", int)),
    _define("Dropout", 1, _number("p", float, 0, 1)),
    _define("Matmul", 2),
    _define("BinaryStack", 2, _number("dim", int, -2, -1)),
    _define("Where", 3),
    _define("Concatenate", (2, 7), _number("axis", int, -4, 4)),
    _define("Stack", (2, 7), _number("axis", int, -4, 4)),
    _define("Interleave", (2, 4), _number("axis", int, -3, -3), _number("stride", int, 1, 1)),
    OperatorDefinition("linear", "pybuda.op.nn.Linear", 1, True,
                       [_number("in_features", int, 1), _number("out_features", int, 1)]),
    OperatorDefinition("conv2d", "pybuda.op.nn.Conv2dModule", 1, True,
                       [_number("in_channels", int, 1), _number("out_channels", int, 1),
                        _number("kernel_size", int, 1), _number("stride", int, 1)]),
])
