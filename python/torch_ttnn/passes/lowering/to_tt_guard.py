"""Ops that stay on the host for exact operands, in the form of metrics.schema_of()."""
from __future__ import annotations

from torch.fx import Node

guarded: dict[str, list[list[str]]] = {}  # op -> lists of input strings; empty: the simulator has no such faults


def can_lowering_to_ttnn(node: Node) -> bool:
    """Whether an op may be converted with these operands."""
    listed = guarded.get(str(node.target))
    if not listed:
        return True
    from ...metrics import schema_of
    schema = schema_of(node)
    return schema is None or schema["inputs"] not in listed
