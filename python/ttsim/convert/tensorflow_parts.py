"""Parts of a frozen graph of TensorFlow."""
from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy

from .._ttsim import UnsupportedError
from .base import Converted, need, renamed, silenced
from .parts import Node, Value
from .tensorflow import onnx_of

_MOVES = {"Identity", "IdentityN", "Reshape", "Cast", "Transpose", "Squeeze", "ExpandDims", "StridedSlice", "Pack", "Unpack",
          "Shape", "Slice", "ConcatV2", "GatherV2", "StopGradient", "Pad", "PadV2", "Tile", "Split", "SplitV", "Fill", "Placeholder"}


class GraphSource:
    """`inputs` and `outputs`: names of tensors. Inputs have complete shapes."""
    moves = _MOVES

    def __init__(self, graph: Any, inputs: Sequence[str], outputs: Sequence[str], file: str = "") -> None:
        (tf,) = need("tensorflow", "tensorflow")
        self.graph, self.inputs, self.outputs, self.file = graph, list(inputs), list(outputs), file
        with silenced():
            self.whole = tf.compat.v1.wrap_function(lambda: tf.import_graph_def(graph, name=""), [])
        self._operations = {operation.name: operation for operation in self.whole.graph.get_operations()}
        self._constant: set[str] = set()
        self.nodes = list(self._nodes())

    def _nodes(self) -> Iterator[Node]:
        for operation in self.whole.graph.get_operations():
            if any(tensor.name in self.inputs for tensor in operation.outputs):
                continue
            operands = tuple(tensor.name for tensor in operation.inputs if tensor.op.name not in self._constant)
            if not operands and operation.type not in ("Placeholder",):
                self._constant.add(operation.name)
                continue
            yield Node(operation.name, operation.type, operands, tuple(tensor.name for tensor in operation.outputs))

    def values(self, names: Sequence[str]) -> list[Value]:
        """Of tensors. Sizes that TensorFlow does not know are those for inputs of ones."""
        tensors = [self.whole.graph.as_graph_element(name) for name in names]
        if all(tensor.shape.is_fully_defined() for tensor in tensors):
            return [Value(name, tuple(tensor.shape.as_list()), tensor.dtype.name) for name, tensor in zip(names, tensors)]
        own = [self.whole.graph.as_graph_element(name) for name in self.inputs]
        results = self.on_host(self.inputs, names)([numpy.ones(tensor.shape.as_list(), tensor.dtype.as_numpy_dtype) for tensor in own])
        return [Value(name, tuple(result.shape), result.dtype.name) for name, result in zip(names, results)]

    def on_host(self, inputs: Sequence[str], outputs: Sequence[str]) -> Callable[[Sequence[Any]], list[Any]]:
        """Runs in TensorFlow."""
        (tf,) = need("tensorflow", "tensorflow")
        function = self.whole.prune([self.whole.graph.as_graph_element(name) for name in inputs],
                                    [self.whole.graph.as_graph_element(name) for name in outputs])
        kinds = [self.whole.graph.as_graph_element(name).dtype for name in inputs]
        return lambda values: [numpy.asarray(value) for value in
                               function(*[tf.constant(value, kind) for value, kind in zip(values, kinds)])]

    def converted(self, inputs: Sequence[str], outputs: Sequence[str]) -> Converted:
        """By tf2onnx."""
        named = {name: name.replace(":", "__").replace("/", "_") for name in inputs}
        part = self._between(named, outputs)
        proto = onnx_of(part, [f"{name}:0" for name in named.values()], outputs, self.file)
        return renamed(proto, list(inputs), list(outputs))

    def _between(self, named: dict[str, str], outputs: Sequence[str]) -> Any:
        """A GraphDef of the nodes between values; `named`: placeholders for inputs."""
        (tf,) = need("tensorflow", "tensorflow")
        part = tf.compat.v1.GraphDef()
        part.library.CopyFrom(self.graph.library)
        part.versions.CopyFrom(self.graph.versions)
        for value in self.values(list(named)):
            node = part.node.add()
            node.name, node.op = named[value.name], "Placeholder"
            node.attr["dtype"].type = tf.dtypes.as_dtype(value.kind).as_datatype_enum
            for size in value.shape:
                node.attr["shape"].shape.dim.add().size = size
        by_name = {node.name: node for node in self.graph.node}
        wanted, waiting = set(), [name.split(":")[0] for name in outputs]
        while waiting:
            name = waiting.pop()
            if name not in wanted:
                wanted.add(name)
                waiting += [tensor.op.name for tensor in self._operations[name].inputs if tensor.name not in named]
        for operation in self.whole.graph.get_operations():  # in the order of their dependences
            if operation.name in wanted:
                node = part.node.add()
                node.CopyFrom(by_name[operation.name])
                node.input[:] = [f"{named[tensor.name]}:0" if tensor.name in named else tensor.name for tensor in operation.inputs]
        return part

    def refused(self, error: UnsupportedError) -> set[str]:
        """By name; those in functions by the op that calls them."""
        found: set[str] = set()
        for kind, name in getattr(error, "found", ()):
            plain = name.split("__")[0] if name not in self._operations else name
            if plain in self._operations and self._operations[plain].type == kind:
                found.add(plain)
            else:
                found |= {node.name for node in self.nodes if node.type == kind} or {
                    node.name for node in self.nodes if self._contains(node.name, kind)}
        return found

    def _contains(self, name: str, kind: str) -> bool:
        """Whether a function that an op calls has an op of this type, at any depth."""
        functions = {function.signature.name: function for function in self.graph.library.function}
        waiting = [value.func.name for value in self._operations[name].node_def.attr.values() if value.HasField("func")]
        seen: set[str] = set()
        while waiting:
            called = waiting.pop()
            if called in seen or called not in functions:
                continue
            seen.add(called)
            for node in functions[called].node_def:
                if node.op == kind:
                    return True
                waiting += [value.func.name for value in node.attr.values() if value.HasField("func")]
        return False
