"""Drops moves that undo each other."""
from __future__ import annotations

import ttnn
from torch.fx import GraphModule, Node
from torch.fx.passes.infra.pass_base import PassBase, PassResult

_REVERSE = {ttnn.to_device: ttnn.from_device, ttnn.from_device: ttnn.to_device, ttnn.to_torch: ttnn.from_torch,
            ttnn.from_torch: ttnn.to_torch}


class EliminateCoreopsPass(PassBase):
    """to_device of from_device, to_torch of from_torch, and the reverse."""

    def call(self, gm: GraphModule) -> PassResult:
        modified = False
        for node in list(gm.graph.nodes):
            source = node.args[0] if node.op == "call_function" and node.target in _REVERSE else None
            if isinstance(source, Node) and source.op == "call_function" and source.target is _REVERSE[node.target]:
                node.replace_all_uses_with(source.args[0])
                gm.graph.erase_node(node)
                modified = True
        if modified:
            gm.graph.eliminate_dead_code()
            gm.recompile()
        return PassResult(gm, modified)
