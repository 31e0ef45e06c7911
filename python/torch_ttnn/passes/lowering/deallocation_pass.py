"""Frees values after their last use."""
from __future__ import annotations

import operator

import torch
import ttnn
from torch.fx import GraphModule, Node
from torch.fx.node import has_side_effect
from torch.fx.passes.infra.pass_base import PassBase, PassResult

from ... import target_wrappers as wrappers
from .add_data_move_pass import is_device_node

has_side_effect(ttnn.deallocate)
_KEPT = frozenset((operator.getitem, wrappers.pack_to_tuple, wrappers.run_once))


class DeallocationPass(PassBase):
    """deallocate behind the last user of each value on the device, except parts of tuples and cached values."""

    def call(self, gm: GraphModule) -> PassResult:
        order = {node: place for place, node in enumerate(gm.graph.nodes)}
        modified = False
        for node in list(gm.graph.nodes):
            if not self._frees(node):
                continue
            last = max(node.users, key=lambda user: order[user])
            if last.op == "output":
                continue
            with gm.graph.inserting_after(last):
                made = gm.graph.call_function(ttnn.deallocate, (node,))
            made.meta = {"val": None}
            modified = True
        gm.recompile()
        return PassResult(gm, modified)

    def _frees(self, node: Node) -> bool:
        # a part of a packed tuple is the value itself
        return is_device_node(node) and node.target not in _KEPT and bool(node.users) and \
            isinstance(node.meta.get("val"), torch.Tensor) and not node.meta.get("is_cached") and \
            not any(user.target in (wrappers.pack_to_tuple, wrappers.clone) for user in node.users)
