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


def _bitcast(context: Any, node: Any, name: str, args: Any) -> None:
    """x < 0 for the sign bit of x, as Keras reads it: the sign of zeros is not distinguished. BitCast of ONNX otherwise."""
    x, result = node.input[0], node.output[0]
    masks = context.find_output_consumers(result)
    signs = [one for mask in masks for one in context.find_output_consumers(mask.output[0])]
    if signs and context.get_dtype(x) == 1 and all(one.type == "BitwiseAnd" and _number(context, one.input[1]) == -2**31 for one in masks) \
            and all(one.type == "Less" and _number(context, one.input[1]) == 0 for one in signs):
        for one in signs:
            zero = context.make_const(f"{one.name}_zero", numpy.float32(0)).output[0]
            context.replace_input(one, one.input[0], x, 0)
            context.replace_input(one, one.input[1], zero, 1)
        return
    node.type = "BitCast"
    kind = context.get_dtype(result)
    for key in list(node.attr):
        del node.attr[key]
    node.set_attr("to", kind)


def _number(context: Any, name: str) -> Any:
    """The value of a constant of one element, else None."""
    node = context.get_node_by_output(name)
    value = node.get_tensor_value(as_list=False) if node is not None and node.is_const() else None
    return value.reshape(-1)[0] if value is not None and value.size == 1 else None


def _expm1(context: Any, node: Any, name: str, args: Any) -> None:
    """exp(x) - 1."""
    x = node.input[0]
    make = _Builder(context, node)
    make.op("Sub", make.op("Exp", x), make.number(1), last=True)


def _log1p(context: Any, node: Any, name: str, args: Any) -> None:
    """log(1 + x)."""
    x = node.input[0]
    make = _Builder(context, node)
    make.op("Log", make.op("Add", x, make.number(1)), last=True)


def _zero_for_zero(context: Any, node: Any, name: str, args: Any) -> None:
    """Products and quotients that are 0 where the first operand is (of MulNoNan the second)."""
    kind, x, y = node.type, node.input[0], node.input[1]
    make = _Builder(context, node)
    one = make.number(1)
    zero_of = y if kind == "MulNoNan" else x
    empty = str(context.make_node("Equal", [zero_of, make.number(0)], dtypes=[_BOOL], shapes=make.shapes).output[0])
    if kind == "MulNoNan":
        factor, result = x, "Mul"
    else:
        inner = make.op("Add", y, one) if kind == "Xlog1py" else y
        safe = make.op("Where", empty, one, inner)
        factor, result = (safe, "Div") if kind == "Xdivy" else (make.op("Log", safe), "Mul")
    if kind == "MulNoNan":
        x, factor = make.op("Where", empty, make.number(0), factor), y
    make.op(result, x, factor, last=True)


def _renamed(kind: str) -> Any:
    """An op that ONNX has under another name."""
    def rename(context: Any, node: Any, name: str, args: Any) -> None:
        node.type = kind
        for key in list(node.attr):
            del node.attr[key]
    return rename


_BOOL = 9  # TensorProto.BOOL
HANDLERS: dict[str, tuple[Any, list[Any]]] = {
    "Erfc": (_erfc, []), "Bitcast": (_bitcast, []), "Expm1": (_expm1, []), "Log1p": (_log1p, []), "Inv": (_renamed("Reciprocal"), []),
    "AccumulateNV2": (_renamed("Sum"), [])} | {kind: (_zero_for_zero, []) for kind in ("Xlogy", "Xdivy", "Xlog1py", "MulNoNan")}


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


_ENDS = {"TFL_COMPLEX_ABS": "abs", "TFL_REAL": "real", "TFL_CAST": "real", "TFL_IMAG": "imaginary"}
_KEPT_SHAPES = ("TFL_RESHAPE", "TFL_SQUEEZE", "TFL_EXPAND_DIMS")


def _rfft2d(context: Any, node: Any) -> None:
    """A spectrum of rows, of which one part is used: products with tables of waves. ONNX has no complex numbers, so that
    part takes the place of the spectrum. ValueError for other uses."""
    rows, length = (int(size) for size in context.get_node_by_output(node.input[1]).get_tensor_value())
    x, shape, result = node.input[0], context.get_shape(node.input[0]), node.output[0]
    between, ends = _uses(context, result)
    parts = {_ENDS.get(one.type) for one in ends}
    given = {result, *(one.output[0] for one in between)} & set(context.outputs)
    if rows != 1 or shape is None or shape[-2:] != [1, length] or len(parts) != 1 or None in parts or given:
        raise ValueError("no form for this spectrum")
    part = parts.pop()
    angles = 2 * math.pi * numpy.outer(numpy.arange(length), numpy.arange(length // 2 + 1)) / length
    name, outputs, shapes = node.name, list(node.output), node.output_shapes
    context.remove_node(name)
    (onnx,) = need("tflite", "onnx")
    kinds = [onnx.TensorProto.FLOAT]

    def op(kind: str, *given: str, **own: Any) -> str:
        return str(context.make_node(kind, list(given), dtypes=kinds, shapes=shapes, **own).output[0])

    def product(waves: Any, **own: Any) -> str:
        table = context.make_const(f"{name}_waves{len(context.get_nodes())}", waves.astype(numpy.float32)).output[0]
        return op("MatMul", x, table, **own)

    last = {"name": name, "outputs": outputs}
    if part == "abs":
        real, imaginary = product(numpy.cos(angles)), product(numpy.sin(angles))
        op("Sqrt", op("Add", op("Mul", real, real), op("Mul", imaginary, imaginary)), **last)
    else:
        product(numpy.cos(angles) if part == "real" else -numpy.sin(angles), **last)
    for one in between:
        context.set_dtype(one.output[0], kinds[0])
    for one in ends:
        one.type = "Identity"
        for key in list(one.attr):
            del one.attr[key]


def _not_alone(context: Any, node: Any) -> None:
    """Parts of complex numbers have a form only after a spectrum."""
    raise ValueError("no form for complex numbers")


def _uses(context: Any, result: str) -> tuple[list[Any], list[Any]]:
    """Ops that only change the shape of a result, and those that use it after them."""
    between, ends = [], []
    waiting = list(context.find_output_consumers(result))
    while waiting:
        one = waiting.pop()
        if one.type in _KEPT_SHAPES:
            between.append(one)
            waiting += context.find_output_consumers(one.output[0])
        else:
            ends.append(one)
    return between, ends


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
                           (f"TFL_{tflite_lstm.LSTM}", tflite_lstm.lstm), (f"TFL_{tflite_lstm.RNN}", tflite_lstm.rnn), (f"TFL_{tflite_lstm.SVDF}", tflite_lstm.svdf),
                           ("TFL_RFFT2D", _rfft2d), ("TFL_REAL", _not_alone), ("TFL_IMAG", _not_alone)):
        handler.tfl_op([name])(type(name, (), {"to_tf": _Handler(function)}))
    _registered = True
