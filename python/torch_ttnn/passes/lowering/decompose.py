"""Replaces aten ops by other aten ops that the table of conversions has."""
from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import torch
from torch.fx import GraphModule, Node
from torch.fx.experimental.proxy_tensor import make_fx
from torch.fx.passes.infra.pass_base import PassBase, PassResult

from ...conversions import record_of
from .rewriter import fake_mode_of

_ROUNDS = 10


def _function_of(target: Any) -> Callable[..., Any] | None:
    record = record_of(target)
    if record is not None:
        return record.function if record.part == "decompose" else None
    if not isinstance(target, torch._ops.OpOverload) or torch.Tag.nondeterministic_seeded in target.tags or \
            target._schema.is_mutable:
        return None
    found: Callable[..., Any] | None = torch._decomp.decomposition_table.get(target)
    return found


class DecomposePass(PassBase):
    """Decomposes until nothing changes."""

    def call(self, gm: GraphModule) -> PassResult:
        modified = False
        mode = fake_mode_of(gm)
        for _ in range(_ROUNDS):
            changed = False
            for node in list(gm.graph.nodes):
                function = _function_of(node.target) if node.op == "call_function" and "stays" not in node.meta else None
                if function is not None:
                    changed = _inline(gm, node, function, mode) or changed
            modified = modified or changed
            if not changed:
                break
        if modified:
            gm.graph.eliminate_dead_code()
            gm.recompile()
        return PassResult(gm, modified)


def _inline(gm: GraphModule, node: Node, function: Callable[..., Any], mode: Any) -> bool:
    """Replaces a node by the ops of a function. False if the function does not support it."""
    operands = list(node.all_input_nodes)
    if not all(isinstance(one.meta.get("val"), torch.Tensor) for one in operands):
        return False

    def call(*given: torch.Tensor) -> Any:
        values = dict(zip(operands, given))
        args, kwargs = torch.fx.node.map_arg((node.args, node.kwargs), lambda one: values[one])
        return function(*args, **kwargs)
    try:
        with mode, torch.no_grad():
            traced = make_fx(call)(*[one.meta["val"] for one in operands])
    except (NotImplementedError, RuntimeError, TypeError, ValueError) as error:
        node.meta["stays"] = str(error).splitlines()[0] if str(error) else type(error).__name__
        return False
    traced.graph.eliminate_dead_code()
    if any(one.op == "call_function" and one.target is node.target for one in traced.graph.nodes):
        return False
    _replace(gm, node, operands, traced, mode)
    return True


def _computed(node: Node, mode: Any) -> Any:
    """The fake result of a call for which torch recorded none."""
    def value(one: Node) -> Any:
        return one.meta["val"]
    args, kwargs = torch.fx.node.map_arg((node.args, node.kwargs), value)
    target: Any = node.target
    with mode, torch.no_grad():
        return target(*args, **kwargs)


def _replace(gm: GraphModule, node: Node, operands: list[Node], traced: GraphModule, mode: Any) -> None:
    known = dict(zip(traced.graph.find_nodes(op="placeholder"), operands))
    with gm.graph.inserting_before(node):
        for one in traced.graph.nodes:
            if one.op == "call_function":
                made = gm.graph.node_copy(one, lambda other: known[other])
                if "val" not in one.meta:
                    one.meta["val"] = _computed(one, mode)
                made.meta = {**node.meta, "val": one.meta["val"]}
                known[one] = made
            elif one.op == "get_attr":
                name = f"_constant_{node.name}_{one.name}"
                gm.register_buffer(name, getattr(traced, str(one.target)))
                known[one] = gm.graph.get_attr(name)
                known[one].meta["val"] = one.meta["val"]
    results: Any = torch.fx.node.map_arg(traced.graph.output_node().args[0], lambda one: known[one])
    if isinstance(results, (list, tuple)):
        for user in list(node.users):
            if user.target is operator.getitem:
                place: Any = user.args[1]
                if results[place] is not None:
                    user.replace_all_uses_with(results[place])
                gm.graph.erase_node(user)
    else:
        node.replace_all_uses_with(results)
    gm.graph.erase_node(node)
