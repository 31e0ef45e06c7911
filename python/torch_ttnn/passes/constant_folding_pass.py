"""Computes ops of constants."""
from __future__ import annotations

from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor, unset_fake_temporarily
from torch.fx import GraphModule, Node
from torch.fx.passes.infra.pass_base import PassBase, PassResult

aten = torch.ops.aten
_FOLDED = frozenset((
    aten.lift_fresh_copy.default, aten.pow.Tensor_Tensor, aten.arange.default, aten.arange.start, aten.arange.start_step,
    aten.unsqueeze.default, aten.view.default, aten.add.Tensor, aten.mul.Tensor, aten.sub.Tensor, aten._to_copy.default,
    aten.expand.default, aten.ceil.default, aten.clamp.default, aten.ones.default, aten.cumsum.default, aten.index.Tensor,
    aten._unsafe_index.Tensor, aten.index_select.default, aten.ne.Scalar, aten.select.int, aten.bitwise_not.default,
    aten.floor_divide.default))
_MOST = 1 << 24  # elements of a folded result


class ConstantFoldingPass(PassBase):
    """Replaces ops whose operands are numbers and constants by constants `_folded_<name>`, in the graph's order."""

    def call(self, gm: GraphModule) -> PassResult:
        modified = False
        for node in list(gm.graph.nodes):
            if node.op == "call_function" and node.target in _FOLDED and self._foldable(gm, node):
                modified = self._fold(gm, node) or modified
        if modified:
            gm.graph.eliminate_dead_code()
            gm.recompile()
        return PassResult(gm, modified)

    def _foldable(self, gm: GraphModule, node: Node) -> bool:
        value = node.meta.get("val")
        return isinstance(value, torch.Tensor) and 0 < value.numel() <= _MOST and \
            all(one.op == "get_attr" and isinstance(_values(gm, one), torch.Tensor) and
                not isinstance(_values(gm, one), FakeTensor) for one in node.all_input_nodes)

    def _fold(self, gm: GraphModule, node: Node) -> bool:
        with unset_fake_temporarily(), torch.no_grad():
            def values(one: Node) -> Any:
                return _values(gm, one)
            args, kwargs = torch.fx.node.map_arg((node.args, node.kwargs), values)
            target: Any = node.target
            made = target(*args, **kwargs).contiguous()
        name = f"_folded_{node.name}"
        gm.register_parameter(name, torch.nn.Parameter(made, requires_grad=False))
        with gm.graph.inserting_before(node):
            constant = gm.graph.get_attr(name)
        constant.meta = dict(node.meta)
        node.replace_all_uses_with(constant)
        gm.graph.erase_node(node)
        return True


def _values(gm: GraphModule, node: Node) -> object:
    found: object = gm
    for part in str(node.target).split("."):
        found = getattr(found, part)
    return found
