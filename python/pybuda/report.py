"""Report of a run on the simulated chips."""
from __future__ import annotations

import dataclasses
from typing import Any

from .host_work import host_ops
from .process import get_devices
from .run import context


@dataclasses.dataclass(frozen=True)
class OpReport:
    """`busy_share`: busy cycles of the busiest core as a share of the graph's cycles."""
    name: str
    type: str
    graph: str
    cores: int
    busy_cycles: int
    busy_share: float


@dataclasses.dataclass(frozen=True)
class EpochTypeReport:
    """Of the forward, backward or optimizer epochs of a device that trains, or of the whole step ("step")."""
    epoch_type: str
    epochs: int
    cycles: int
    step_share: float
    utilization: float
    math_utilization: float


@dataclasses.dataclass(frozen=True)
class DeviceReport:
    """Report of a compiled device. Cycles are of the chip's clock, 0 without one (Golden and Model). docs/figures.md
    defines the figures; `inputs_per_second` is 0 if unknown. `busy_share`: share of the cycles of the graphs, over all
    cores in use, each op counted as its busiest core. `host_ops`: ops that the host computed, as name (type), in
    `host_seconds` of wall time, which is not simulated. `training`: of a device that trains on a chip with a clock, by
    epoch type and "step"; `saved_bytes`: of the queues from its forward to its backward epochs."""
    device: str
    chip: str
    product: str
    clock_mhz: int
    cycles: int
    latency_cycles: int
    inputs_per_second: float
    end_to_end_per_second: float
    busy_share: float
    ops: tuple[OpReport, ...]
    notes: tuple[str, ...]
    text: str
    host_ops: tuple[str, ...] = ()
    host_seconds: float = 0.0
    training: tuple[EpochTypeReport, ...] = ()
    saved_bytes: int = 0

    @property
    def utilisation(self) -> float:
        """Older name of busy_share."""
        return self.busy_share


@dataclasses.dataclass(frozen=True)
class Report:
    """`samples` ran in `host_seconds` of wall time; the slowest device determines the rate of the simulated chips."""
    devices: tuple[DeviceReport, ...]
    samples: int
    host_seconds: float

    @property
    def cycles(self) -> int:
        """Cycles of all devices together."""
        return sum(device.cycles for device in self.devices)

    @property
    def inputs_per_second(self) -> float:
        """Rate of the slowest device; 0 without a clock."""
        rates = [device.inputs_per_second for device in self.devices if device.inputs_per_second]
        return min(rates) if rates else 0.0

    def __str__(self) -> str:
        return "\n".join(device.text for device in self.devices)


def get_report() -> Report:
    """The report of the current run. RuntimeError if nothing ran."""
    run = context.current()
    if run is None:
        raise RuntimeError("there is no run to report on; call run_inference() first, and get_report() "
                           "before shutdown()")
    reports = [_of_stage(device, stage) for device in get_devices() for stage in getattr(device, "_stages", ())
               if stage.on_chip() is not None]
    return Report(tuple(reports), run.samples, run.seconds)


def _of_stage(device: Any, stage: Any) -> DeviceReport:
    found = stage.on_chip().report()
    on_host = tuple(host_ops(stage))
    ops, busy, available = [], 0, 0
    for graph in found.graphs:
        for op in graph.ops:
            cores = op.rows * op.columns
            ops.append(OpReport(op.name, op.type, graph.name, cores, op.busy_cycles, op.busy_share))
            busy += op.busy_cycles * cores
            available += graph.cycles * cores
    return DeviceReport(device.name, found.chip, found.device, found.clock_mhz, found.cycles, found.latency_cycles,
                        found.inputs_per_second, found.end_to_end_per_second, busy / available if available else 0.0,
                        tuple(ops), tuple(found.notes),
                        found.text() + _host_text(on_host, found.host_seconds), on_host, found.host_seconds,
                        tuple(EpochTypeReport(one.epoch_type, one.epochs, one.cycles, one.step_share, one.utilization,
                                              one.math_utilization) for one in found.training), found.saved_bytes)


def _host_text(ops: tuple[str, ...], seconds: float) -> str:
    """A line about the host after the chip's report; "" if the host only moves tensors."""
    if not ops:
        return ""
    return f"\non the host, in {seconds * 1e3:.3f} ms of wall time: {', '.join(ops)}\n"
