"""Ops of TensorFlow and TensorFlow Lite that tf2onnx has no form of, through its interfaces for more handlers."""
from __future__ import annotations

import math
from typing import Any

import numpy

from . import tflite_lstm
from .base import need

_registered = False


class _Builder:
    """Makes nodes of one element type and shape in place of a node."""

    def __init__(self, context: Any, node: Any) -> None:
        self.context, self.node = context, node
        self.name, self.outputs = node.name, list(node.output)
        self.kinds, self.shapes = node.output_dtypes, node.output_shapes
        (helper,) = need("tensorflow", "onnx.helper")
        self.dtype = helper.tensor_dtype_to_np_dtype(self.kinds[0])
        context.remove_node(node.name)

    def number(self, value: float) -> str:
        """A constant."""
        name = f"{self.name}__{value}".replace(".", "_")
        return str(self.context.make_const(name + str(len(self.context.get_nodes())), numpy.asarray(value, self.dtype)).output[0])

    def op(self, kind: str, *inputs: str, last: bool = False) -> str:
        """A node; the last one has the name and the outputs of the one that is replaced."""
        own: dict[str, Any] = {"name": self.name, "outputs": self.outputs} if last else {}
        made = self.context.make_node(kind, list(inputs), dtypes=self.kinds, shapes=self.shapes, **own)
        return str(made.output[0])


def _erfc(context: Any, node: Any, name: str, args: Any) -> None:
    """1 - erf(x)."""
    x = node.input[0]
    make = _Builder(context, node)
    make.op("Sub", make.number(1), make.op("Erf", x), last=True)


HANDLERS: dict[str, tuple[Any, list[Any]]] = {"Erfc": (_erfc, [])}


def _gelu(context: Any, node: Any) -> None:
    x, by_tanh = node.input[0], bool(node.get_attr_value("approximate", False))
    make = _Builder(context, node)
    if by_tanh:
        cube = make.op("Mul", make.op("Mul", x, x), make.op("Mul", x, make.number(0.044715)))
        inner = make.op("Tanh", make.op("Mul", make.op("Add", x, cube), make.number(math.sqrt(2 / math.pi))))
    else:
        inner = make.op("Erf", make.op("Mul", x, make.number(math.sqrt(0.5))))
    make.op("Mul", make.op("Mul", x, make.number(0.5)), make.op("Add", inner, make.number(1)), last=True)


def _clamp(low: float, high: float) -> Any:
    def clamp(context: Any, node: Any) -> None:
        x = node.input[0]
        make = _Builder(context, node)
        make.op("Minimum", make.op("Maximum", x, make.number(low)), make.number(high), last=True)
    return clamp


class _Handler:
    """Calls a function as tf2onnx calls the method of a class."""

    def __init__(self, function: Any) -> None:
        self.function = function

    def __call__(self, context: Any, node: Any, **_: Any) -> None:
        self.function(context, node)


def register() -> None:
    """Adds handlers of ops of TensorFlow Lite, once in a process."""
    global _registered
    if _registered:
        return
    (handler,) = need("tflite", "tf2onnx.handler")
    for name, function in (("TFL_GELU", _gelu), ("TFL_RELU_0_TO_1", _clamp(0, 1)), ("TFL_RELU_N1_TO_1", _clamp(-1, 1)),
                           (f"TFL_{tflite_lstm.LSTM}", tflite_lstm.lstm), (f"TFL_{tflite_lstm.RNN}", tflite_lstm.rnn)):
        handler.tfl_op([name])(type(name, (), {"to_tf": _Handler(function)}))
    _registered = True
