"""Ops of TensorFlow that could act outside of the model: a file from others must not run them.

Loading a SavedModel runs functions of the file, and folding constants runs its ops. So every op with a state must be one
of those that models need, and ops that write checkpoints, which savers have, are removed before loading."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .base import need, unsupported

# with a state inside of the process: variables, tables, lists, calls, random numbers
_ALLOWED = {"Assert", "Assign", "AssignAdd", "AssignAddVariableOp", "AssignSub", "AssignSubVariableOp", "AssignVariableOp",
            "Case", "CheckNumerics", "CheckNumericsV2", "DestroyResourceOp", "DisableCopyOnRead", "EmptyTensorMap",
            "HashTable", "HashTableV2", "If", "InitializeTable", "InitializeTableV2", "IsVariableInitialized",
            "Multinomial", "NoOp", "ParameterizedTruncatedNormal", "PartitionedCall", "Placeholder", "Print", "PrintV2",
            "ReadVariableOp", "RngReadAndSkip", "RngSkip", "StatefulPartitionedCall", "TemporaryVariable",
            "TruncatedNormal", "VarHandleOp", "VarIsInitializedOp", "Variable", "VariableShape", "VariableV2", "While",
            "RestoreV2"}
_ALLOWED_FAMILIES = ("Anonymous", "LookupTable", "Mutable", "Random", "ResourceApply", "ResourceGather", "ResourceScatter",
                     "ResourceSparseApply", "ResourceStridedSlice", "Stack", "StatefulRandom", "StatefulStandardNormal",
                     "StatefulTruncatedNormal", "StatefulUniform", "TensorArray")
_REMOVED = ("SaveV2", "SaveSlices", "Save", "MergeV2Checkpoints")
# stateless for TensorFlow, but not inside of the process
_REFUSED = ("ReadFile", "MatchingFiles", "PyFuncStateless", "DecodeWav", "LoadLibrary", "Restore", "RestoreSlice",
            "InitializeTableFromTextFile", "InitializeTableFromTextFileV2")


def nodes_of(graph: Any) -> Iterator[Any]:
    """Nodes of a GraphDef and of its functions."""
    yield from graph.node
    for function in graph.library.function:
        yield from function.node_def


def check_graph(graph: Any, file: str = "") -> None:
    """UnsupportedError for a graph with ops that act outside of the model."""
    need("tensorflow", "tensorflow")
    (registry,) = need("tensorflow", "tensorflow.python.framework.op_def_registry")
    functions = {function.signature.name for function in graph.library.function}
    for node in nodes_of(graph):
        if node.op in functions or node.op in _ALLOWED or node.op in _REMOVED or node.op.startswith(_ALLOWED_FAMILIES):
            continue
        known = registry.get(node.op)
        if node.op in _REFUSED or (known is not None and known.is_stateful):
            raise unsupported(f"op {node.op} ('{node.name}') acts outside of the model, for example on files, and is not "
                              "run", file, "save the model without it", [node.name])


def remove_savers(graph: Any) -> None:
    """Ops that write checkpoints become ops that do nothing."""
    for node in nodes_of(graph):
        if node.op in _REMOVED:
            node.op = "NoOp"
            sources = [name if name.startswith("^") else "^" + name.split(":")[0] for name in node.input]
            del node.input[:]
            node.input.extend(dict.fromkeys(sources))
            node.attr.clear()
