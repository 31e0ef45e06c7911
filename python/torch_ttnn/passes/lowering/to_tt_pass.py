"""Replaces aten ops by calls of ttnn, in three parts: aten ops by others, one by one, and with shapes."""
from __future__ import annotations

from typing import Any

import torch
from torch.fx import GraphModule, Node
from torch.fx.passes.infra.pass_base import PassBase, PassResult

from ...conversions import Stays, record_of
from ...metrics import schema_of
from .decompose import DecomposePass
from .rewriter import Rewriter, kind_of
from .to_tt_guard import can_lowering_to_ttnn

_FAILURES = (Stays, RuntimeError, NotImplementedError, TypeError, ValueError, IndexError)


def ReplaceMoreTt(gm: GraphModule, device: Any = None) -> tuple[GraphModule, bool]:
    """Replaces the ops that become one call with the same arguments. Returns the module and whether it changed."""
    return gm, _converted(gm, "same")


def ReplaceMoreTtManually(gm: GraphModule, device: Any = None, use_less_ttnn_op_types: bool = True) -> tuple[GraphModule, bool]:
    """Replaces the ops that need shapes or several calls. Returns the module and whether it changed."""
    return gm, _converted(gm, "rewrite")


class ToTtPass(PassBase):
    """All three parts, until nothing changes, then without dead code. An op that stays has the reason in meta["stays"]."""

    def __init__(self, device: Any = None, use_less_ttnn_op_types: bool = True) -> None:
        super().__init__()
        self.device, self.use_less_ttnn_op_types = device, use_less_ttnn_op_types

    def call(self, gm: GraphModule) -> PassResult:
        output = gm.graph.output_node()
        output.meta["torch_dtypes"] = [one.meta["val"].dtype if isinstance(one, Node) and
                                       isinstance(one.meta.get("val"), torch.Tensor) else None for one in _listed(output.args[0])]
        DecomposePass()(gm)
        gm, modified = ReplaceMoreTt(gm, self.device)
        while True:
            gm, changed = ReplaceMoreTtManually(gm, self.device, self.use_less_ttnn_op_types)
            modified = modified or changed
            if not changed:
                break
        gm.graph.eliminate_dead_code()
        gm.recompile()
        return PassResult(gm, modified)


def _listed(results: Any) -> list[Any]:
    return list(results) if isinstance(results, (list, tuple)) else [results]


def _why_not(node: Node, takes_empty: bool) -> str:
    """Why no op with such operands runs on a device; "": it may."""
    values = [one.meta.get("val") for one in node.all_input_nodes if not takes_empty] + \
        (list(node.meta["val"]) if isinstance(node.meta.get("val"), (list, tuple)) else [node.meta.get("val")])
    for value in values:
        if isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool)):
            return "a size depends on values"
        if not isinstance(value, torch.Tensor):
            continue
        if any(isinstance(size, torch.SymInt) for size in value.shape):
            return "a size depends on values"
        if value.numel() == 0 and not isinstance(node.meta.get("val"), (list, tuple)):
            return "it has no elements"
        if value.dtype.is_complex or value.is_sparse:
            return f"its dtype is {value.dtype}" if value.dtype.is_complex else "it is sparse"
        kind_of(value.dtype)
        if value.dim() > 8:
            return "it has more than 8 axes"
    return ""


def _converted(gm: GraphModule, part: str) -> bool:
    modified = False
    rewriter = Rewriter(gm)
    for node in list(gm.graph.nodes):
        record = record_of(node.target) if node.op == "call_function" else None
        if record is None or record.part != part or "stays" in node.meta:
            continue
        if not can_lowering_to_ttnn(node):
            node.meta["stays"] = "it is guarded for these operands"
            continue
        reason = _why_not(node, record.takes_empty)
        if reason:
            node.meta["stays"] = reason
            continue
        modified = _convert(rewriter, node, record.function) or modified
    return modified


def _convert(rewriter: Rewriter, node: Node, function: Any) -> bool:
    rewriter.node, rewriter.made = node, set()
    variations = schema_of(node)
    before = set(rewriter.graph.nodes)
    try:
        made = function(rewriter, *node.args, **node.kwargs)
    except _FAILURES as failure:
        node.meta["stays"] = (str(failure).splitlines() or [type(failure).__name__])[0]
        for one in reversed([one for one in rewriter.graph.nodes if one not in before]):
            rewriter.graph.erase_node(one)
        return False
    assert isinstance(made, Node), f"the conversion of {node.target} returned {made!r}"
    for one in rewriter.made:
        one.meta["original_input_variations"] = None
    if made in rewriter.made:
        old, new = node.meta["val"], made.meta["val"]
        if isinstance(old, torch.Tensor):
            assert tuple(old.shape) == tuple(new.shape), f"{node.target} became {list(new.shape)}, not {list(old.shape)}"
        made.meta["val"] = old
        made.meta["original_input_variations"] = variations
    node.replace_all_uses_with(made)
    rewriter.graph.erase_node(node)
    return True
