"""Arguments in the types that ttnn takes."""
from __future__ import annotations

import ttnn
from torch.fx import GraphModule
from torch.fx.passes.infra.pass_base import PassBase, PassResult

_TARGETS = frozenset((ttnn.permute, ttnn.reshape, ttnn.experimental.view))


class PermuteReshapeTuplePass(PassBase):
    """The list of permute and reshape becomes a tuple."""

    def call(self, gm: GraphModule) -> PassResult:
        modified = False
        for node in gm.graph.nodes:
            if node.op == "call_function" and node.target in _TARGETS and isinstance(node.args[1], list):
                node.args = (node.args[0], tuple(node.args[1]), *node.args[2:])
                modified = True
        if modified:
            gm.recompile()
        return PassResult(gm, modified)
