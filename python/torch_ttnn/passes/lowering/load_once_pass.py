"""Work on parameters that one call does for all."""
from __future__ import annotations

import operator
from typing import Any, cast

import torch
import ttnn
from torch.fx import Graph, GraphModule, Node
from torch.fx.passes.infra.pass_base import PassBase, PassResult

from ... import target_wrappers as wrappers
from ...once import OnceSpec
from ...utils import get_add_custom_object_in_graph
from ..analysis.input_analysis_pass import PrimalTag

_KEPT = (PrimalTag.PARAMETER, PrimalTag.BUFFER)


class LoadOncePass(PassBase):
    """Moves nodes that depend on parameters and buffers, and on constants besides, into one node run_once. Those that depend
    on constants only are marked, and computed once too. `number`: of the graph."""

    def __init__(self, number: int = 0) -> None:
        super().__init__()
        self.number = number

    def call(self, gm: GraphModule) -> PassResult:
        fixed = self._fixed(gm.graph)
        for node in self._constant(gm.graph):
            node.meta["is_cached"] = True
        moved = [node for node in gm.graph.nodes if node in fixed and node.op == "call_function"]
        results = [node for node in moved if any(user not in fixed for user in node.users)]
        if not results:
            return PassResult(gm, False)
        inputs = [node for node in gm.graph.nodes if node in fixed and node.op == "placeholder" and
                  any(user in fixed for user in node.users)]
        self._replace(gm, inputs, moved, results)
        return PassResult(gm, True)

    def _fixed(self, graph: Graph) -> set[Node]:
        fixed: set[Node] = set()
        for node in graph.nodes:
            kept = node.op == "placeholder" and node.meta.get("primal_tag") in _KEPT
            operands = node.all_input_nodes
            if kept or (_is_pure(node) and any(one in fixed for one in operands) and
                        all(one in fixed or one.op == "get_attr" for one in operands)):
                fixed.add(node)
        # a result that torch reads is not kept: it may be written
        return {node for node in fixed if node.op != "call_function" or node.target is not ttnn.to_torch}

    def _constant(self, graph: Graph) -> list[Node]:
        found: list[Node] = []
        for node in graph.nodes:
            if _is_pure(node) and node.target is not ttnn.to_torch and \
                    all(one.op == "get_attr" or one in found for one in node.all_input_nodes):
                found.append(node)
        return found

    def _replace(self, gm: GraphModule, inputs: list[Node], moved: list[Node], results: list[Node]) -> None:
        graph = Graph()
        known: dict[Node, Node] = {}
        for node in inputs:
            known[node] = graph.placeholder(node.name)
            known[node].meta = dict(node.meta)
        for node in moved:
            for one in node.all_input_nodes:
                if one.op == "get_attr" and one not in known:
                    known[one] = graph.get_attr(str(one.target))
                    known[one].meta = dict(one.meta)
            known[node] = graph.node_copy(node, lambda one: known[one])
        graph.output(tuple(known[node] for node in results))
        spec = OnceSpec(f"once_{self.number}", GraphModule(gm, graph))
        with gm.graph.inserting_before(moved[0]):
            once = gm.graph.call_function(wrappers.run_once, (cast(Any, get_add_custom_object_in_graph(spec.name, spec)), *inputs))
            parts = [gm.graph.call_function(operator.getitem, (once, place)) for place in range(len(results))]
        # behind all parameters
        once.meta = {"val": tuple(node.meta["val"] for node in results), "is_cached": True}
        for part, node in zip(parts, results):
            part.meta = {**node.meta, "is_cached": True}
            node.replace_all_uses_with(part, delete_user_cb=lambda user: user not in moved)
        for node in reversed(moved):
            gm.graph.erase_node(node)
        for node in list(gm.graph.nodes):
            if node.op == "get_attr" and not node.users:
                gm.graph.erase_node(node)
        gm.graph.lint()
        gm.recompile()


def _is_pure(node: Node) -> bool:
    """Whether it is a call with operands and the same result each time."""
    random = isinstance(node.target, torch._ops.OpOverload) and torch.Tag.nondeterministic_seeded in node.target.tags
    return node.op == "call_function" and bool(node.all_input_nodes) and not random and not node.is_impure() and \
        node.target not in (*wrappers.RANDOM, ttnn.deallocate, wrappers.clone)
