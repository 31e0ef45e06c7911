"""Graphs of torch.export without torch's decompositions, which take half of the capture time."""
from __future__ import annotations

import operator
from collections.abc import Callable, Collection
from typing import Any

import torch
from torch.fx import Node

from .host import is_random
from .table import conversion_of


def takes_whole(graph: torch.fx.Graph, known: Collection[str], decomposes: Callable[[Any], bool]) -> bool:
    """Whether the table of conversions has every op that depends on inputs or parameters and that torch can decompose.
    Ops that write to their operand are replaced by functional ones; if that would change values read elsewhere, the
    result is False, and torch's decompositions are needed. `known`: placeholders whose values do not depend on the
    call."""
    fixed = _fixed(graph, known)
    if not all(_is_op(node) for node in graph.nodes if node.op not in ("placeholder", "output")):
        return False
    writing = [node for node in graph.nodes if _writes(node)]
    if not all(_separate(node, fixed) for node in writing):
        return False
    for node in writing:
        if node not in fixed and not _make_functional(node):
            return False
    return all(conversion_of(node.target) is not None or not decomposes(node.target)
               for node in _live(graph) if node not in fixed and node.target is not operator.getitem)


def _is_op(node: Node) -> bool:
    """Whether it is an ATen op or a result of one, not a block of ops."""
    return node.op == "call_function" and (node.target is operator.getitem or
                                           isinstance(node.target, torch._ops.OpOverload))


def _writes(node: Node) -> bool:
    if node.op != "call_function" or node.target in (operator.getitem, torch.ops.aten.detach_.default):
        return False
    if node.target is torch.ops.aten.batch_norm.default:
        return bool(node.args[5]) and node.args[3] is not None  # writes to the running statistics
    target: Any = node.target
    return bool(target._schema.is_mutable)


def _fixed(graph: torch.fx.Graph, known: Collection[str]) -> set[Node]:
    """Nodes that depend on neither inputs, parameters nor random numbers."""
    fixed: set[Node] = set()
    for node in graph.nodes:
        if node.op == "placeholder":
            if node.name in known:
                fixed.add(node)
        elif node.op == "call_function" and not is_random(node) and all(one in fixed for one in node.all_input_nodes):
            fixed.add(node)
    return fixed


def _live(graph: torch.fx.Graph) -> set[Node]:
    found, ahead = set(), list(graph.output_node().all_input_nodes)
    while ahead:
        node = ahead.pop()
        if node not in found and node.op == "call_function":
            found.add(node)
            ahead += node.all_input_nodes
    return found


def _storage(node: Node) -> int | None:
    value = node.meta.get("val")
    return value.untyped_storage()._cdata if isinstance(value, torch.Tensor) and value.layout == torch.strided else None


def _sharing(node: Node) -> list[Node]:
    """Nodes whose tensors share memory with this one, in the graph's order."""
    place = _storage(node)
    return [one for one in node.graph.nodes if _storage(one) == place]


def _before(node: Node) -> set[Node]:
    before: set[Node] = set()
    for one in node.graph.nodes:
        if one is node:
            return before
        before.add(one)
    return before


def _separate(node: Node, fixed: set[Node]) -> bool:
    """Whether the memory that an op writes is read only through its result: not through another view later and, if the
    op is known and thus not rewritten, not by earlier device ops."""
    if not isinstance(node.args[0], Node) or _storage(node.args[0]) is None:
        return False
    same = _sharing(node.args[0])
    before = _before(node)
    if node in fixed:
        readers = {user for one in same for user in one.users}
        return all(one in fixed and one.op != "placeholder" for one in same) and \
            all(user in fixed or user not in before for user in readers)
    return all(one.op != "placeholder" and (_same_view(one, node) or not any(
        user not in before and user is not node for user in one.users)) for one in same if one in before)


def _same_view(one: Node, other: Node) -> bool:
    a, b = one.meta["val"], other.meta["val"]
    return bool(a.shape == b.shape and a.stride() == b.stride() and a.storage_offset() == b.storage_offset() and
                a.dtype == b.dtype)


def _make_functional(node: Node) -> bool:
    """Replaces relu_ by relu: later readers of the operand read the result. False if there is no such op."""
    own: Any = node.target
    name, overload = own._schema.name.split("::")[1], own._overloadname
    packet = getattr(torch.ops.aten, name[:-1], None) if name.endswith("_") else None
    if packet is None or overload not in packet.overloads():
        return False
    target = getattr(packet, overload)
    fakes = torch.fx.map_arg((node.args, node.kwargs), lambda one: one.meta["val"])
    made, was = target(*fakes[0], **fakes[1]), node.meta["val"]
    if not isinstance(made, torch.Tensor) or made.shape != was.shape or made.dtype != was.dtype:
        return False
    before, written = _before(node), node.args[0]
    assert isinstance(written, Node), f"the operand that {node} writes is not a node"
    for one in _sharing(written):
        if one in before and _same_view(one, node):
            one.replace_all_uses_with(node, lambda user: user is not node and user not in before)
    node.target = target
    return True
