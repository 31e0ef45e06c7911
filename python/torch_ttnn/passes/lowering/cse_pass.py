"""One node for equal calls."""
from __future__ import annotations

from typing import Any

import ttnn
from torch.fx import GraphModule
from torch.fx.passes.dialect.common.cse_pass import CSEPass as _TorchCse
from torch.fx.passes.infra.pass_base import PassBase, PassResult

from ... import target_wrappers as wrappers


class CSEPass(PassBase):
    """torch's pass; random calls, deallocations and copies stay."""

    def call(self, gm: GraphModule) -> PassResult:
        meta = dict(gm.meta)
        results = gm.graph.output_node().meta
        banned: Any = {ttnn.deallocate, wrappers.dropout, wrappers.clone, ttnn.empty, ttnn.rand}
        made = _TorchCse(banned_ops=banned)(gm)
        assert made is not None
        made.graph_module.meta.update(meta)
        made.graph_module.graph.output_node().meta = dict(results)
        return PassResult(made.graph_module, made.modified)
