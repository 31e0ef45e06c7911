"""Finds the netlist op that computes an op of a module: itself, the last op it was split into, or the op it was fused
with."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ttsim import Netlist


def homes(ops: Sequence[Any], netlist: Netlist) -> dict[str, str]:
    """For ops of a trace that have another name in the netlist, that name. The compiler splits an op into parts named
    OP.dc.KIND.N; the last part has its result. A fused op has the name of one op of its chain."""
    sources = {queue.name: queue.filled_by for queue in netlist.queues}
    operands_of = {op.name: [sources.get(operand) or operand for operand in op.operands] for op in netlist.ops}
    parts = {name.split(".dc.", 1)[0]: name for name in operands_of if ".dc." in name}  # the last part of each op
    found = {op.name: op.name if op.name in operands_of else parts[op.name] for op in ops
             if op.name in operands_of or op.name in parts}
    readers: dict[str, list[str]] = {}
    for op in ops:
        for operand in _operands(op):
            readers.setdefault(operand, []).append(op.name)
    for op in ops:  # fused into the kernel of the op before
        if op.name in found:
            continue
        before = [found[operand] for operand in _operands(op) if operand in found]
        read = {operand for reader in readers.get(op.name, []) if reader in found for operand in operands_of[found[reader]]}
        if before and (not readers.get(op.name) or read & set(before)):
            found[op.name] = next((one for one in before if one in read), before[0])
    for op in reversed(ops):  # fused chains are named after their last op
        after = [found[reader] for reader in readers.get(op.name, []) if reader in found]
        if op.name not in found and after:
            found[op.name] = after[0]
    return {name: home for name, home in found.items() if name != home}


def int8_results(ops: Sequence[Any], netlist: Netlist) -> set[str]:
    """Ops of a trace whose results are Int8 in the netlist. If one netlist op computes several, the last of them."""
    int8_ops = {op.name for op in netlist.ops if op.format == "Int8"}
    if not int8_ops:
        return set()
    moved = homes(ops, netlist)
    last = {moved.get(op.name, op.name): op.name for op in ops}
    return {op for home, op in last.items() if home in int8_ops}


def _operands(op: Any) -> list[str]:
    """Ops that produce its operands."""
    sources = [getattr(operand, "src_op", None) for operand in op.operands]
    return [source.name for source in sources if source is not None]
