"""The recurrent ops of TensorFlow Lite, UNIDIRECTIONAL_SEQUENCE_LSTM and UNIDIRECTIONAL_SEQUENCE_RNN, as those of ONNX,
and SVDF.

States begin with zeros for each input, as after the interpreter's reset_all_variables()."""
from __future__ import annotations

from typing import Any

import numpy

from .base import need

LSTM, RNN, SVDF = "UNIDIRECTIONAL_SEQUENCE_LSTM", "UNIDIRECTIONAL_SEQUENCE_RNN", "SVDF"
NAMES = (LSTM, RNN, SVDF)
_NONE, _RELU, _TANH = 0, 1, 4  # ActivationFunctionType
# places of the operands of the LSTM: input, weights and recurrent weights of the gates i, f, g, o, and their biases
_KEPT = (0, *range(1, 9), *range(12, 16))
_OTHERS = {9: "peepholes", 10: "peepholes", 11: "peepholes", 16: "a projection", 17: "a projection",
           20: "layer normalization", 21: "layer normalization", 22: "layer normalization", 23: "layer normalization"}


def problem(name: str, operator: Any, graph: Any) -> str:
    """What of a recurrent op has no form in ONNX; "" if nothing."""
    options, given = operator.builtinOptions, [int(one) for one in operator.inputs]
    if name == SVDF:
        return "" if options.fusedActivationFunction in (_NONE, _RELU) else "another activation than relu"
    if graph.tensors[given[0]].type != 0:
        return "integer activations"
    if name == RNN:
        return "" if options.fusedActivationFunction in (_TANH, _RELU) else "another activation than tanh and relu"
    for place, what in _OTHERS.items():
        if place < len(given) and given[place] >= 0:
            return what
    if given[1] < 0:
        return "coupled input and forget gates"
    if options.fusedActivationFunction != _TANH:
        return "another activation than tanh"
    return "clipped states" if options.cellClip or options.projClip else ""


def without_states(graph: Any, names: dict[str, int]) -> bool:
    """Leaves each recurrent operator the operands that its form in ONNX has. `names`: codes of operators by name."""
    changed = False
    for operator in graph.operators:
        if operator.opcodeIndex == names.get(LSTM) and len(operator.inputs) > len(_KEPT):
            operator.inputs = [int(operator.inputs[place]) for place in _KEPT]
            changed = True
        elif operator.opcodeIndex == names.get(RNN) and len(operator.inputs) > 4:
            operator.inputs = [int(one) for one in operator.inputs[:4]]
            changed = True
        elif operator.opcodeIndex == names.get(SVDF) and len(operator.inputs) > 4:
            operator.inputs = [int(one) for one in operator.inputs[:4] if one >= 0]
            changed = True
    return changed


class _Sequence:
    """Nodes around a recurrent node of ONNX, whose sequences are [time, sample, feature]."""

    def __init__(self, context: Any, node: Any) -> None:
        builder, onnx = need("tflite", "tf2onnx.graph_builder", "onnx")
        self.float = onnx.TensorProto.FLOAT
        self.context, self.build = context, builder.GraphBuilder(context)
        self.inputs, self.outputs = list(node.input), list(node.output)
        self.name, self.shape = node.name, context.get_shape(node.output[0])
        self.by_time = bool(node.get_attr_value("time_major", 0))
        context.remove_node(node.name)

    def op(self, kind: str, inputs: list[str], **attributes: Any) -> str:
        return str(self.context.make_node(kind, inputs, attr=attributes).output[0])

    def joined(self, places: tuple[int, ...]) -> str:
        """Operands one below the other, with a leading dimension for the direction."""
        rows = [self.inputs[place] for place in places]
        whole = self.op("Concat", rows, axis=0) if len(rows) > 1 else rows[0]
        return str(self.build.make_unsqueeze({"data": whole, "axes": [0]}))

    def bias(self, places: tuple[int, ...], size: int) -> str:
        """The biases, and zeros for those of the state."""
        zeros = self.context.make_const(f"{self.name}_zeros", numpy.zeros((1, size), numpy.float32)).output[0]
        return self.op("Concat", [self.joined(places), zeros], axis=1)

    def finish(self, kind: str, weights: str, state_weights: str, bias: str, hidden: int, **attributes: Any) -> None:
        x = self.inputs[0] if self.by_time else self.op("Transpose", [self.inputs[0]], perm=[1, 0, 2])
        y = self.context.make_node(kind, [x, weights, state_weights, bias], attr={"hidden_size": hidden, **attributes}, output_count=1).output[0]
        y = self.build.make_squeeze({"data": y, "axes": [1]})  # of [time, direction, sample, feature]
        last, inputs, attr = ("Identity", [y], {}) if self.by_time else ("Transpose", [y], {"perm": [1, 0, 2]})
        self.context.make_node(last, inputs, attr=attr, name=self.name, outputs=self.outputs, shapes=[self.shape], dtypes=[self.float])


def lstm(context: Any, node: Any) -> None:
    """Gates are i, f, g, o in TensorFlow Lite, and i, o, f, g in ONNX."""
    hidden = int(context.get_shape(node.input[5])[1])
    made = _Sequence(context, node)
    made.finish("LSTM", made.joined((1, 4, 2, 3)), made.joined((5, 8, 6, 7)), made.bias((9, 12, 10, 11), 4 * hidden), hidden)


def rnn(context: Any, node: Any) -> None:
    """A layer of a simple recurrent net."""
    hidden = int(context.get_shape(node.input[2])[1])
    kind = node.get_attr_value("fused_activation_function", b"TANH")
    made = _Sequence(context, node)
    name = {b"TANH": "Tanh", b"RELU": "Relu"}[kind]
    made.finish("RNN", made.joined((1,)), made.joined((2,)), made.bias((3,), hidden), hidden, activations=[name])


def svdf(context: Any, node: Any) -> None:
    """A product of the features, and one of their last steps in time: the earlier ones, in the state, are zeros. Filters
    are in groups of `rank`, whose results are added."""
    (onnx,) = need("tflite", "onnx")
    inputs, outputs, shape = list(node.input), list(node.output), context.get_shape(node.output[0])
    rank, name = int(node.get_attr_value("rank", 1)), node.name
    relu = node.get_attr_value("fused_activation_function", b"NONE") == b"RELU"
    filters, steps = context.get_shape(inputs[2])
    context.remove_node(name)

    def op(kind: str, *given: str, **attr: Any) -> str:
        return str(context.make_node(kind, list(given), attr=attr, dtypes=[onnx.TensorProto.FLOAT], shapes=[None]).output[0])

    def const(*values: int) -> str:
        return str(context.make_const(f"{name}_{len(context.get_nodes())}", numpy.asarray(values, numpy.int64)).output[0])

    features = op("Gemm", inputs[0], inputs[1], transB=1)
    last = op("Reshape", op("Slice", inputs[2], const(steps - 1), const(steps), const(1)), const(1, filters))
    grouped = op("Reshape", op("Mul", features, last), const(-1, filters // rank, rank))
    result = op("ReduceSum", grouped, const(2), keepdims=0)
    if len(inputs) > 3:
        result = op("Add", result, inputs[3])
    context.make_node("Relu" if relu else "Identity", [result], name=name, outputs=outputs, shapes=[shape],
                      dtypes=[onnx.TensorProto.FLOAT])
