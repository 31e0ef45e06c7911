"""Joins calls that one call of ttnn computes."""
from __future__ import annotations

import math
from typing import Any

import torch
import ttnn
from torch.fx import GraphModule, Node
from torch.fx.passes.infra.pass_base import PassBase, PassResult

_ACTIVATIONS: dict[Any, str] = {ttnn.gelu: "gelu", ttnn.relu: "relu", ttnn.silu: "silu"}
_VIEWS = frozenset((ttnn.experimental.view, ttnn.reshape))


def _only(node: Any, target: Any) -> bool:
    """Whether a node is such a call with one user."""
    return isinstance(node, Node) and node.op == "call_function" and node.target is target and len(node.users) == 1


class FusionPass(PassBase):
    """transpose, matmul, add (, view, activation) to linear; mul, add, softmax to transformer.attention_softmax."""

    def call(self, gm: GraphModule) -> PassResult:
        modified = False
        for node in list(gm.graph.nodes):
            if node.op != "call_function":
                continue
            if node.target is ttnn.add:
                modified = self._linear(gm, node) or modified
            elif node.target in _ACTIVATIONS:
                modified = self._activation(gm, node) or modified
            elif node.target is ttnn.softmax:
                modified = self._attention(gm, node) or modified
        if modified:
            gm.graph.eliminate_dead_code()
            gm.recompile()
        return PassResult(gm, modified)

    def _linear(self, gm: GraphModule, node: Node) -> bool:
        bias, product = node.args[0], node.args[1]
        if not _only(product, ttnn.matmul) or not isinstance(bias, Node) or node.kwargs:
            return False
        assert isinstance(product, Node)
        x, turned = product.args
        if not _only(turned, ttnn.transpose) or bias.meta["val"].dim() > 1 or turned.meta["val"].dim() != 2:  # type: ignore[union-attr]
            return False
        assert isinstance(turned, Node)
        with gm.graph.inserting_before(node):
            made = gm.graph.call_function(ttnn.linear, (x, turned.args[0]), {"bias": bias, "transpose_b": True})
        return _put(gm, node, made)

    def _activation(self, gm: GraphModule, node: Node) -> bool:
        source = node.args[0]
        view = source if isinstance(source, Node) and source.target in _VIEWS and len(source.users) == 1 else None
        linear = view.args[0] if view is not None else source
        if not _only(linear, ttnn.linear) or node.kwargs or len(node.args) > 1:
            return False
        assert isinstance(linear, Node)
        if "activation" in linear.kwargs:
            return False
        linear.kwargs = {**linear.kwargs, "activation": _ACTIVATIONS[node.target]}
        node.replace_all_uses_with(source)  # type: ignore[arg-type]
        gm.graph.erase_node(node)
        return True

    def _attention(self, gm: GraphModule, node: Node) -> bool:
        masked = node.args[0]
        rank = node.meta["val"].dim()
        if not _only(masked, ttnn.add) or node.args[1] not in (-1, rank - 1):
            return False
        assert isinstance(masked, Node)
        scaled, mask = masked.args
        if masked.kwargs or not _only(scaled, ttnn.mul) or not isinstance(mask, Node):
            return False
        assert isinstance(scaled, Node)
        factor = scaled.args[1]
        if not isinstance(factor, float) or not 0 < factor < 1 or not torch.is_floating_point(mask.meta["val"]):
            return False
        size = round(1 / factor ** 2)
        if not math.isclose(1 / math.sqrt(size), factor, rel_tol=1e-6):
            return False
        with gm.graph.inserting_before(node):
            made = gm.graph.call_function(ttnn.transformer.attention_softmax, (scaled.args[0],),
                                          {"head_size": size, "attention_mask": mask})
        return _put(gm, node, made)


def _put(gm: GraphModule, node: Node, made: Node) -> bool:
    made.meta = dict(node.meta)
    node.replace_all_uses_with(made)
    gm.graph.erase_node(node)
    return True
