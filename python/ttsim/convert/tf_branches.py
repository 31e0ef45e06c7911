"""Choices between several functions (tf.switch_case), which tf2onnx has no form of, as selections among their results.

TensorFlow writes a choice into a frozen graph as _SwitchN, which passes a value on to the branch of an index, and Merge, which
takes the result of the branch that ran."""
from __future__ import annotations

from typing import Any

from .base import need

_SWITCH, _MERGE = "_SwitchN", "Merge"


def choose_results(graph: Any) -> None:
    """Computes all branches of each choice in a GraphDef, and selects one result. An index out of range chooses the last
    branch, as in TensorFlow."""
    nodes = {node.name: node for node in graph.node}
    if not any(node.op == _SWITCH for node in graph.node):
        return
    merges = {node.name: switch for node in graph.node if node.op == _MERGE and (switch := _switch_of(nodes, node)) is not None}
    kept = [part for node in graph.node
            for part in (_selections(node, nodes[merges[node.name]].input[1]) if node.name in merges else [node])]
    passed = {node.name: node.input[0] for node in graph.node if node.op == _SWITCH}
    copied = [type(node).FromString(node.SerializeToString()) for node in kept if node.op != _SWITCH]
    for node in copied:
        node.input[:] = [_source(name, passed) for name in node.input if name.lstrip("^") not in passed or name[0] != "^"]
    del graph.node[:]
    graph.node.extend(copied)


def _source(name: str, passed: dict[str, str]) -> str:
    """The value that comes in where a switch passes it on."""
    while name.split(":")[0] in passed:
        name = passed[name.split(":")[0]]
    return name


def _switch_of(nodes: dict[str, Any], merge: Any) -> str | None:
    """The nearest switch before a merge; None for those of other control flow. Switches of choices within its branches lie
    between a merge of their own and a switch."""
    waiting, seen = [(name, 0) for name in merge.input], set()
    for name, depth in waiting:  # grows
        node = nodes.get(name.lstrip("^").split(":")[0])
        if node is None or (node.name, depth) in seen:
            continue
        seen.add((node.name, depth))
        if node.op == _SWITCH and depth == 0:
            return str(node.name)
        inner = depth + (node.op == _MERGE) - (node.op == _SWITCH)
        waiting += [(one, inner) for one in node.input]
    return None


def _selections(merge: Any, index: str) -> list[Any]:
    """Nodes that select among the inputs of a merge; the last has its name."""
    tf, tensor_util = need("tensorflow", "tensorflow", "tensorflow.python.framework.tensor_util")
    inputs = [name for name in merge.input if name[0] != "^"]
    made, result = [], inputs[-1]
    for place in reversed(range(len(inputs) - 1)):
        number, equal, chosen = (tf.compat.v1.NodeDef(name=f"{merge.name}/{kind}_{place}") for kind in ("number", "equal", "chosen"))
        number.op, equal.op, chosen.op = "Const", "Equal", "SelectV2"
        number.attr["dtype"].type = equal.attr["T"].type = tf.int32.as_datatype_enum
        number.attr["value"].tensor.CopyFrom(tensor_util.make_tensor_proto(place, tf.int32))
        equal.input[:] = [index, number.name]
        chosen.input[:] = [equal.name, inputs[place], result]
        chosen.attr["T"].CopyFrom(merge.attr["T"])
        if place == 0:
            chosen.name = merge.name
            shapes = merge.attr["_output_shapes"].list.shape
            if shapes:
                chosen.attr["_output_shapes"].list.shape.append(shapes[0])
        made += [number, equal, chosen]
        result = chosen.name
    return made
