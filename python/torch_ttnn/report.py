"""Counters of compiled graphs as a table."""
from __future__ import annotations

import collections
from collections.abc import Sequence
from typing import Any

from .counters import Counters
from .runtime import CompiledGraph


def _graph(one: CompiledGraph) -> dict[str, Any]:
    clock = one.device.clock_mhz
    made: dict[str, Any] = {"graph": one.number, "kind": one.kind, "mode": one.mode, **one.counters.as_dict()}
    made["clock_mhz"] = clock
    for name in ("cycles", "first_cycles", "last_cycles"):
        made[name.replace("cycles", "ms")] = getattr(one.counters, name) / (clock * 1e3)
    stays = collections.Counter((str(node.target), node.meta["stays"]) for node in one.gm.graph.nodes if "stays" in node.meta)
    made["stays"] = [{"op": op, "reason": reason, "nodes": count} for (op, reason), count in sorted(stays.items())]
    made["parts"] = [{"name": part.region.name, "nodes": len(part.region.nodes), "epochs": part.epochs,
                      "way": f"op by op: {part.reason}" if part.reason else "one program" if part.compilations else "not run yet",
                      "inputs": part.inputs, "host_steps": part.host_steps, "refused": part.refused, "cycles": part.cycles} for part in one.regions]
    return made


class Report(dict[str, Any]):
    """Sums over the graphs ("total") and each graph ("graphs"). Times: cycles and ms of the simulated clock; compile_s and
    simulate_s are wall time. str() is a table."""

    def __init__(self, graphs: Sequence[CompiledGraph]) -> None:
        made = [_graph(one) for one in graphs]
        super().__init__(total=_sum(graphs), graphs=made)

    def __str__(self) -> str:
        lines = []
        for one in self["graphs"]:
            lines.append(f"graph {one['graph']} ({one['kind']}, {one['mode']} mode): {one['calls']} calls, last "
                         f"{one['last_cycles']} cycles ({one['last_ms']:.3f} ms), first {one['first_cycles']}")
            lines.append(f"  to the device {one['h2d']['count']} ({one['h2d']['bytes']} bytes), parameters "
                         f"{one['h2d_params']['count']} ({one['h2d_params']['bytes']} bytes), back {one['d2h']['count']} "
                         f"({one['d2h']['bytes']} bytes)")
            lines.append(f"  dispatches {one['dispatches']}, programs new {one['programs_new']}, from the cache {one['programs_cached']}")
            lines += [f"  part {part['name']}: {part['nodes']} nodes, {part['way']}, {part['epochs']} epochs, {part['cycles']} cycles"
                      + (f"; host: {', '.join(part['host_steps'])}" if part["host_steps"] else "") for part in one["parts"]]
            lines += [f"  on the host: {name} x {count}" for name, count in sorted(one["fallback"].items())]
            lines += [f"  stays: {stay['op']} x {stay['nodes']}: {stay['reason']}" for stay in one["stays"]]
            lines.append(f"  wall time: compile {one['compile_s']:.2f} s, simulate {one['simulate_s']:.2f} s")
        return "\n".join(lines) or "no graph was compiled"


def _sum(graphs: Sequence[CompiledGraph]) -> dict[str, Any]:
    total = Counters()
    for one in graphs:
        for name, value in vars(one.counters).items():
            if isinstance(value, (int, float)):
                setattr(total, name, getattr(total, name) + value)
            elif isinstance(value, collections.Counter):
                total.fallback.update(value)
            else:
                getattr(total, name).add(value.count, value.bytes, value.cycles)
    return total.as_dict()
