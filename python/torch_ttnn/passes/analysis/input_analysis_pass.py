"""Which inputs are parameters."""
from __future__ import annotations

import enum
from collections.abc import Sequence

from torch.fx import GraphModule
from torch.fx.passes.infra.pass_base import PassBase, PassResult


class PrimalTag(enum.Enum):
    """What an input of a graph is."""
    ARGUMENT = 1
    PARAMETER = 2
    BUFFER = 3


class InputAnalysisPass(PassBase):
    """Sets meta["primal_tag"] of placeholders. `tags`: those of the inputs that torch.compile lists; a graph that torch
    derives from these says which it takes, or has them in the same order."""

    def __init__(self, tags: Sequence[PrimalTag]) -> None:
        super().__init__()
        self.tags = list(tags)

    def call(self, gm: GraphModule) -> PassResult:
        nodes = gm.graph.find_nodes(op="placeholder")
        described = any(_index(node.meta.get("desc")) is not None for node in nodes)
        for place, node in enumerate(nodes):
            index = _index(node.meta.get("desc")) if described else place
            node.meta["primal_tag"] = self.tags[index] if index is not None and index < len(self.tags) else PrimalTag.ARGUMENT
        return PassResult(gm, False)


def _index(description: object) -> int | None:
    """The position of an input in torch.compile's list, of a description such as PlainAOTInput(idx=3)."""
    if type(description).__name__ not in ("PlainAOTInput", "ParamAOTInput", "BufferAOTInput"):
        return None
    found = getattr(description, "idx", None)
    return found if isinstance(found, int) else None
