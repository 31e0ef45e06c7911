"""Signatures of .tflite files: functions of one file, each with a graph of its own."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .base import invalid


def _called(options: Any) -> Iterator[str]:
    """Fields of an operator's options that are the index of another graph."""
    for field in vars(options) if options is not None else ():
        if field == "subgraph" or field.endswith("SubgraphIndex"):
            yield field


def _reachable(model: Any, start: int) -> list[int]:
    """Graphs that `start` calls, itself first."""
    found = [start]
    for at in found:
        for operator in model.subgraphs[at].operators:
            for options in (operator.builtinOptions, getattr(operator, "builtinOptions2", None)):
                for field in _called(options):
                    index = int(getattr(options, field))
                    if 0 <= index < len(model.subgraphs) and index not in found:
                        found.append(index)
    return found


def keep_called(model: Any, start: int) -> None:
    """Makes a graph the first, and removes graphs that it does not call."""
    kept = _reachable(model, start)
    renumbered = {old: new for new, old in enumerate(kept)}
    model.subgraphs = [model.subgraphs[old] for old in kept]
    for graph in model.subgraphs:
        for operator in graph.operators:
            for options in (operator.builtinOptions, getattr(operator, "builtinOptions2", None)):
                for field in _called(options):
                    setattr(options, field, renumbered.get(int(getattr(options, field)), -1))


def select(model: Any, signature: str, path: str) -> None:
    """Makes the graph of a signature the first, with the signature's names, and removes graphs that it does not call.
    InputError for an unknown name."""
    definitions = {one.signatureKey.decode(): one for one in model.signatureDefs or []}
    if signature not in definitions:
        names = ", ".join(sorted(definitions)) or "none"
        raise invalid(f"it has no signature '{signature}'", path, f"its signatures are: {names}", "unknown-name")
    definition = definitions[signature]
    keep_called(model, int(definition.subgraphIndex))
    definition.subgraphIndex = 0
    model.signatureDefs = [definition]
    graph = model.subgraphs[0]
    graph.inputs, graph.outputs = _named(graph, definition.inputs), _named(graph, definition.outputs)


def _named(graph: Any, values: Any) -> list[int]:
    """Tensors in the order of the signature, with its names where no other tensor has them."""
    taken = {tensor.name for tensor in graph.tensors}
    for value in values:
        if value.name not in taken:
            graph.tensors[int(value.tensorIndex)].name = value.name
    return [int(value.tensorIndex) for value in values]
