"""Ops that run in torch: known values at import, and the parts before and after the device."""
from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import torch
from torch.fx import Node


def run_node(node: Node, values: Mapping[Node, Any]) -> Any:
    """Evaluates a node in torch."""
    def value(operand: Node) -> Any:
        return values[operand]
    target: Any = node.target
    with torch.no_grad():
        return target(*torch.fx.map_arg(node.args, value), **torch.fx.map_arg(node.kwargs, value))


def is_random(node: Node) -> bool:
    """Whether a node generates random numbers."""
    return torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ())


def run(graph: torch.fx.Graph, wanted: Iterable[Node], given: Mapping[Node, Any]) -> dict[Node, Any]:
    """Values of the wanted nodes, computed from the given ones."""
    needed, ahead = set(), list(wanted)
    while ahead:
        node = ahead.pop()
        if node not in needed and node not in given:
            needed.add(node)
            ahead += node.all_input_nodes
    values = dict(given)
    for node in graph.nodes:
        if node in needed:
            if node.op != "call_function":
                raise KeyError(f"'{node.name}' is not given")
            values[node] = run_node(node, values)
    return {node: values[node] for node in wanted}
