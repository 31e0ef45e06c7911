"""Runs the nodes of a graph one after the other, with real objects in place of those that stand for them."""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
import ttnn
from torch.fx import Graph, GraphModule, Node

from .utils import is_placeholder, resolved


@dataclass(frozen=True)
class Slot:
    """The value of a node among arguments."""
    node: Node


@dataclass
class Step:
    """A call; `free`: nodes whose values nothing reads after it."""
    node: Node
    target: Any
    args: Any
    kwargs: Any
    free: list[Node]


def template(value: Any, device: Any) -> Any:
    """Arguments with slots in place of nodes and real objects in place of those that stand for them."""
    if isinstance(value, Node):
        return Slot(value)
    if isinstance(value, tuple):
        return tuple(template(one, device) for one in value)
    if isinstance(value, list):
        return [template(one, device) for one in value]
    if isinstance(value, dict):
        return {key: template(one, device) for key, one in value.items()}
    if isinstance(value, slice):
        return slice(*(template(one, device) for one in (value.start, value.stop, value.step)))
    return resolved(value, device) if is_placeholder(value) else value


def filled(value: Any, known: Mapping[Node, Any]) -> Any:
    """Arguments with the values of nodes."""
    if isinstance(value, Slot):
        return known[value.node]
    if isinstance(value, tuple):
        return tuple(filled(one, known) for one in value)
    if isinstance(value, list):
        return [filled(one, known) for one in value]
    if isinstance(value, dict):
        return {key: filled(one, known) for key, one in value.items()}
    return value


def attribute(gm: GraphModule, node: Node) -> Any:
    """The object of a get_attr node."""
    found: Any = gm
    for part in str(node.target).split("."):
        found = getattr(found, part)
    return found.detach() if isinstance(found, torch.Tensor) else found


class Steps:
    """The calls of a graph, or of some of its nodes in order. `around`: runs each call, for counters."""

    def __init__(self, nodes: Sequence[Node], device: Any, results: Sequence[Node],
                 around: Callable[[Step, Any, Any], Any] | None = None) -> None:
        last: dict[Node, Node] = {}
        for node in nodes:
            for one in node.all_input_nodes:
                last[one] = node
        kept = set(results)
        inside = set(nodes)
        self.around = around
        self.steps = [Step(node, node.target, template(node.args, device), template(node.kwargs, device),
                           [one for one in node.all_input_nodes if last[one] is node and one in inside and one not in kept])
                      for node in nodes if node.op == "call_function"]

    def run(self, known: dict[Node, Any]) -> None:
        """Adds the values of the nodes to `known`, and removes those that are not needed any more."""
        for step in self.steps:
            args, kwargs = filled(step.args, known), filled(step.kwargs, known)
            if step.target is ttnn.deallocate:
                if isinstance(args[0], ttnn.Tensor):
                    ttnn.deallocate(args[0], force=False)  # another node may have the same tensor
            else:
                known[step.node] = step.target(*args, **kwargs) if self.around is None else self.around(step, args, kwargs)
            for one in step.free:
                known.pop(one, None)


def nodes_of(graph: Graph) -> list[Node]:
    """The calls of a graph, in order."""
    return [node for node in graph.nodes if node.op == "call_function"]
