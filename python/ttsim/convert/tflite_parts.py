"""Parts of a model of TensorFlow Lite."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy

from .._ttsim import UnsupportedError
from . import flatbuffer, tflite
from .base import Converted, need, silenced
from .parts import Node, Value

_MOVES = {"RESHAPE", "SQUEEZE", "EXPAND_DIMS", "CAST", "TRANSPOSE", "SHAPE", "STRIDED_SLICE", "SLICE", "CONCATENATION", "PACK",
          "UNPACK", "GATHER", "PAD", "QUANTIZE", "DEQUANTIZE", "SPLIT", "TILE"}


class FlatbufferSource:
    """The first graph of a file; values have names of tensors. `shapes`: of the inputs."""
    moves = _MOVES

    def __init__(self, path: str, shapes: Sequence[Sequence[int]], signature: str | None,
                 outputs: Sequence[str] = ()) -> None:
        (self.utils,) = need("tflite", "tensorflow.lite.tools.flatbuffer_utils")
        self.path, self.data, self.shapes = path, flatbuffer.contents(path, signature, outputs), shapes
        model = self._read()
        graph = model.subgraphs[0]
        self.names = {index: tensor.name.decode() for index, tensor in enumerate(graph.tensors)}
        self.places = {name: index for index, name in self.names.items()}
        if len(self.places) != len(self.names):
            raise ValueError("names of tensors are not unique")
        self.inputs = [self.names[int(one)] for one in graph.inputs]
        self.outputs = [self.names[int(one)] for one in graph.outputs]
        produced = {int(one) for operator in graph.operators for one in operator.outputs} | set(map(int, graph.inputs))
        self.nodes = [Node(self._node_name(place, operator), flatbuffer.operator_name(model, operator),
                           tuple(self.names[int(one)] for one in operator.inputs if int(one) in produced),
                           tuple(self.names[int(one)] for one in operator.outputs))
                      for place, operator in enumerate(graph.operators)]
        self._sizes = self._sizes_of_values(graph)

    def _read(self) -> Any:
        return self.utils.read_model_from_bytearray(bytearray(self.data))

    def _node_name(self, place: int, operator: Any) -> str:
        return self.names[int(operator.outputs[0])] if len(operator.outputs) else f"operator {place}"

    def _sizes_of_values(self, graph: Any) -> dict[str, Value]:
        """With the given shapes of the inputs."""
        made = tflite.interpreter_of(self.data, self.path)
        for one, shape in zip(made.get_input_details(), self.shapes):
            if tuple(one["shape"]) != tuple(shape):
                made.resize_tensor_input(one["index"], list(shape))
        with silenced():
            made.allocate_tensors()
        known = {one["index"]: one for one in made.get_tensor_details()}
        return {name: Value(name, tuple(int(size) for size in known[index]["shape"]), numpy.dtype(known[index]["dtype"]).name)
                for index, name in self.names.items() if index in known and known[index]["dtype"] is not None}

    def values(self, names: Sequence[str]) -> list[Value]:
        """Of tensors."""
        return [self._sizes[name] for name in names]

    def _part(self, inputs: Sequence[str], outputs: Sequence[str]) -> bytes:
        """A file with the operators between values."""
        model = self._read()
        graph = model.subgraphs[0]
        wanted, waiting = set(), [self.places[name] for name in outputs]
        makers = {int(one): place for place, operator in enumerate(graph.operators) for one in operator.outputs}
        while waiting:
            tensor = waiting.pop()
            if self.names[tensor] in inputs or tensor not in makers or makers[tensor] in wanted:
                continue
            wanted.add(makers[tensor])
            waiting += [int(one) for one in graph.operators[makers[tensor]].inputs if one >= 0]
        graph.operators = [operator for place, operator in enumerate(graph.operators) if place in wanted]
        graph.inputs, graph.outputs = [[self.places[name] for name in names] for names in (inputs, outputs)]
        for value in self.values(inputs):
            graph.tensors[self.places[value.name]].shape = list(value.shape)
            graph.tensors[self.places[value.name]].shapeSignature = None
        model.signatureDefs = []
        return bytes(self.utils.convert_object_to_bytearray(model))

    def on_host(self, inputs: Sequence[str], outputs: Sequence[str]) -> Callable[[Sequence[Any]], list[Any]]:
        """Runs in TensorFlow's interpreter."""
        made = tflite.interpreter_of(self._part(inputs, outputs), self.path)
        with silenced():
            made.allocate_tensors()
        takes, gives = made.get_input_details(), made.get_output_details()

        def run(values: Sequence[Any]) -> list[Any]:
            for one, value in zip(takes, values):
                made.set_tensor(one["index"], value.astype(one["dtype"]).reshape(one["shape"]))
            with silenced():
                made.reset_all_variables()
                made.invoke()
            return [made.get_tensor(one["index"]).copy() for one in gives]
        return run

    def converted(self, inputs: Sequence[str], outputs: Sequence[str]) -> Converted:
        """By tf2onnx."""
        return tflite.onnx_of(self._part(inputs, outputs), inputs, outputs, self.path)

    def refused(self, error: UnsupportedError) -> set[str]:
        """By the names of results; operators in other graphs by type, in the operators that call them."""
        own = {node.name for node in self.nodes}
        found = {name for _, name in getattr(error, "found", ()) if name in own}
        if len(found) < len({name for _, name in getattr(error, "found", ())}):
            found |= {node.name for node in self.nodes if node.type in ("WHILE", "IF")}
        return found
