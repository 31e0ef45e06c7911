"""What a graph is for."""
from __future__ import annotations

import enum

from torch.fx import GraphModule, Node
from torch.fx.passes.infra.pass_base import PassBase, PassResult


class ModelType(enum.Enum):
    """What a graph computes."""
    INFERENCE = 1
    TRAIN_FORWARD = 2
    TRAIN_BACKWARD = 3


def _results(gm: GraphModule) -> list[Node]:
    return list(gm.graph.output_node().all_input_nodes)


class GraphModuleAnalysisPass(PassBase):
    """Sets gm.meta["graph_type"]. `hint`: what torch says that it is compiling, if it does; else a graph that returns an
    input is a forward graph for training, and one with gradient ops or inputs a backward graph."""

    def __init__(self, hint: ModelType | None = None) -> None:
        super().__init__()
        self.hint = hint

    def call(self, gm: GraphModule) -> PassResult:
        found = self.hint
        if found is None:
            found = ModelType.INFERENCE
            if any(node.op == "call_function" and "backward" in str(node.target) for node in gm.graph.nodes) or \
                    any(node.name.startswith("tangents_") for node in gm.graph.find_nodes(op="placeholder")):
                found = ModelType.TRAIN_BACKWARD
            elif any(node.op == "placeholder" for node in _results(gm)):
                found = ModelType.TRAIN_FORWARD
        gm.meta["graph_type"] = found
        return PassResult(gm, False)
