"""Frozen graphs of TensorFlow (GraphDef)."""
from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from .base import Converted, cached, invalid, need, renamed
from .side_effects import check_graph
from .tensorflow import Frozen, Spec, onnx_of

_VARIABLES = ("VarHandleOp", "VariableV2", "Variable")


def read_graph_def(path: str) -> Any:
    """The GraphDef of a file (.pb). InputError for other files."""
    (tf,) = need("tensorflow", "tensorflow")
    graph = tf.compat.v1.GraphDef()
    try:
        with open(path, "rb") as file:
            graph.ParseFromString(file.read())
    except OSError as error:
        raise invalid(f"cannot be read: {error.strerror}", path, code="unreadable-file") from error
    except Exception as error:
        if os.path.basename(path) == "saved_model.pb":
            raise invalid("it is the graph of a SavedModel", path, "give the folder that holds it") from error
        raise invalid("it is not a GraphDef of TensorFlow, or it is truncated", path,
                      "write it anew with tf.io.write_graph(graph_def, folder, name, as_text=False)") from error
    if not graph.node:
        raise invalid("the GraphDef has no nodes", path, "write it anew with tf.io.write_graph()")
    return graph


def inputs_of(graph: Any) -> list[tuple[str, tuple[int | None, ...], str]]:
    """Names, shapes and types of the placeholders, in the order of the graph."""
    (tf,) = need("tensorflow", "tensorflow")
    found: list[tuple[str, tuple[int | None, ...], str]] = []
    for node in graph.node:
        if node.op in ("Placeholder", "PlaceholderWithDefault"):
            shape = node.attr["shape"].shape
            dims = () if shape.unknown_rank else tuple(None if dim.size < 0 else dim.size for dim in shape.dim)
            found.append((node.name, dims, tf.dtypes.as_dtype(node.attr["dtype"].type).name))
    return found


def outputs_of(graph: Any, wanted: Sequence[str] | None, file: str = "") -> list[str]:
    """Names of output tensors: the wanted ones, or results that no node reads. InputError for unknown names."""
    nodes = {node.name for node in graph.node}
    if wanted:
        lacking = [name for name in wanted if name.split(":")[0] not in nodes]
        if lacking:
            raise invalid(f"the graph has no nodes {', '.join(lacking)}", file, "its last results are "
                          + ", ".join(_last(graph)), code="unknown-name")
        return [name if ":" in name else f"{name}:0" for name in wanted]
    return [f"{name}:0" for name in _last(graph)]


def _last(graph: Any) -> list[str]:
    read = {name.lstrip("^").split(":")[0] for node in graph.node for name in node.input}
    return [node.name for node in graph.node
            if node.name not in read and node.op not in ("Const", "NoOp", "Assert", "Placeholder")]


def function_of(graph: Any, outputs: Sequence[str]) -> Any:
    """A function of TensorFlow that computes the outputs from the placeholders in order."""
    (tf,) = need("tensorflow", "tensorflow")
    inputs = [f"{name}:0" for name, _, _ in inputs_of(graph)]
    whole = tf.compat.v1.wrap_function(lambda: tf.import_graph_def(graph, name=""), [])
    return whole.prune([whole.graph.as_graph_element(name) for name in inputs],
                       [whole.graph.as_graph_element(name) for name in outputs])


def convert(graph: Any, outputs: Sequence[str] | None = None, specs: Sequence[Spec] | None = None,
            file: str = "") -> Converted:
    """Converts a graph; `specs`: of inputs, else those that the placeholders have. InputError for a graph with
    variables, UnsupportedError for ops without a form in ONNX."""
    if file:
        options = ("graph_def", tuple(outputs or ()), None if specs is None else tuple((tuple(s), k) for s, k in specs))
        return cached(file, options, lambda: _convert(graph, outputs, specs, file))
    return _convert(graph, outputs, specs, file)


def _convert(graph: Any, outputs: Sequence[str] | None, specs: Sequence[Spec] | None, file: str) -> Converted:
    whole = frozen(graph, outputs, specs, file)
    proto = onnx_of(whole.graph, whole.inputs, whole.outputs, file)
    return renamed(proto, [name.removesuffix(":0") for name in whole.inputs], [name.removesuffix(":0") for name in whole.outputs])


def frozen(graph: Any, outputs: Sequence[str] | None, specs: Sequence[Spec] | None, file: str) -> Frozen:
    """The graph with these shapes of inputs. InputError, UnsupportedError."""
    check_graph(graph, file)
    variables = [node.name for node in graph.node if node.op in _VARIABLES]
    if variables:
        raise invalid(f"the graph is not frozen: it has variables ({', '.join(variables[:4])})", file,
                      "freeze it with convert_variables_to_constants_v2() of tensorflow.python.framework."
                      "convert_to_constants, or save the model as SavedModel")
    inputs, names = inputs_of(graph), outputs_of(graph, outputs, file)
    if not inputs:
        raise invalid("the graph has no placeholder, and so no input", file, "save a graph with inputs")
    if specs is not None and len(specs) != len(inputs):
        raise invalid(f"the graph has {len(inputs)} inputs ({', '.join(name for name, _, _ in inputs)}), and "
                      f"{len(specs)} were given", file, "give one tensor for each, in this order")
    shapes = {name: tuple(spec[0]) for (name, _, _), spec in zip(inputs, specs or ())}
    return Frozen(with_shapes(graph, shapes), [f"{name}:0" for name, _, _ in inputs], names, names)


def with_shapes(graph: Any, shapes: Mapping[str, Sequence[int | None]]) -> Any:
    """A copy whose placeholders have these shapes, without shapes that were inferred before."""
    copy = type(graph)()
    copy.CopyFrom(graph)
    for node in copy.node:
        if shapes and "_output_shapes" in node.attr:
            del node.attr["_output_shapes"]
        if node.name in shapes:
            shape = node.attr["shape"].shape
            shape.Clear()
            for size in shapes[node.name]:
                shape.dim.add().size = -1 if size is None else size
    return copy
