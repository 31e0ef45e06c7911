"""Inputs of graphs: what they are, and clones that keep results apart from them."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.fx import GraphModule, Interpreter, Node

from .passes.analysis.input_analysis_pass import PrimalTag

_CLONE = torch.ops.aten.clone.default


def _source(node: Node) -> str:
    """Where an input comes from, as in "L['self']._modules['l']._parameters['weight']"; "": torch does not say."""
    argument = node.meta.get("grapharg")
    name = getattr(getattr(argument, "source", None), "name", "")
    try:
        return str(name() if callable(name) else name)
    except (AttributeError, NotImplementedError, RuntimeError):
        return ""


def tags_of(gm: GraphModule, example_inputs: Sequence[Any]) -> list[PrimalTag]:
    """Parameter, buffer or argument, for each input."""
    made = []
    for node, value in zip(gm.graph.find_nodes(op="placeholder"), example_inputs):
        source = _source(node)
        if isinstance(value, torch.nn.Parameter) or "_parameters[" in source:
            made.append(PrimalTag.PARAMETER)
        elif "_buffers[" in source or isinstance(value, torch.nn.Buffer):
            made.append(PrimalTag.BUFFER)
        else:
            made.append(PrimalTag.ARGUMENT)
    return made


def is_dynamic(gm: GraphModule, example_inputs: Sequence[Any]) -> bool:
    """Whether sizes of the graph are symbols."""
    def symbolic(value: Any) -> bool:
        return isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool)) or \
            (isinstance(value, torch.Tensor) and any(isinstance(size, torch.SymInt) for size in value.shape))
    return any(symbolic(value) for value in example_inputs) or \
        any(symbolic(node.meta.get("example_value")) for node in gm.graph.find_nodes(op="placeholder"))


def _written(gm: GraphModule) -> set[Node] | None:
    """Inputs that the graph writes: those whose version changes when it runs on tensors without values. None: torch
    cannot run it so."""
    nodes = gm.graph.find_nodes(op="placeholder")
    values = [node.meta.get("example_value") for node in nodes]
    mode = next((value.fake_mode for value in values if isinstance(value, torch._subclasses.FakeTensor)), None)
    if mode is None:
        return None
    try:
        with mode, torch.no_grad():
            copies = [torch.empty_strided(value.shape, value.stride(), dtype=value.dtype, device=value.device)
                      if isinstance(value, torch.Tensor) else value for value in values]
            before = [one._version if isinstance(one, torch.Tensor) else 0 for one in copies]
            Interpreter(gm).run(*copies)
            after = [one._version if isinstance(one, torch.Tensor) else 0 for one in copies]
    except Exception:  # noqa: BLE001 (any op of torch may refuse tensors without values)
        return None
    return {node for node, old, new in zip(nodes, before, after) if old != new} | _statistics(gm)


def _statistics(gm: GraphModule) -> set[Node]:
    """Inputs that normalizations keep as statistics, which they write without a new version."""
    made: set[Node] = set()
    for node in gm.graph.nodes:
        if node.op == "call_function" and getattr(node.target, "__name__", "") in ("batch_norm", "instance_norm"):
            made.update(one for one in node.all_input_nodes if one.op == "placeholder" and one is not node.args[0])
    return made


def add_clones(gm: GraphModule, example_inputs: Sequence[Any], tags: Sequence[PrimalTag]) -> int:
    """Puts a clone behind each argument that the graph does not write, since a result that shares memory with an
    input would be returned without being computed. Returns how many. The graph must not be cleaned of dead code before
    remove_clones(): ops that write in place have no users."""
    written = _written(gm)
    if written is None:
        return 0
    count = 0
    nodes = gm.graph.find_nodes(op="placeholder")
    for node, value, tag in zip(nodes, example_inputs, tags):
        if tag is not PrimalTag.ARGUMENT or not isinstance(value, torch.Tensor) or node in written or not node.users:
            continue
        with gm.graph.inserting_after(nodes[-1]):
            made = gm.graph.call_function(torch.clone, (node,))
        made.meta = {key: one for key, one in node.meta.items() if key in ("example_value", "stack_trace", "nn_module_stack")}
        for user in [user for user in node.users if user is not made]:
            user.replace_input_with(node, made)
        count += 1
    if count:
        gm.recompile()
    return count


def remove_clones(gm: GraphModule) -> None:
    """Removes the first clone of each input; one more of the same input, of the user, stays."""
    for node in gm.graph.find_nodes(op="placeholder"):
        clones = [user for user in node.users if user.op == "call_function" and user.target is _CLONE and not user.kwargs]
        order = {one: place for place, one in enumerate(gm.graph.nodes)} if len(clones) > 1 else {}
        if not clones:
            continue
        first = min(clones, key=lambda one: order.get(one, 0))
        results = [user for user in first.users if user.op == "output"]
        if results:
            continue  # an input that is a result: the copy stays
        first.replace_all_uses_with(node)
        gm.graph.erase_node(first)
    gm.recompile()
