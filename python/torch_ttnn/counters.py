"""Counters of calls of a compiled graph."""
from __future__ import annotations

import collections
import math
from dataclasses import dataclass, field
from typing import Any

import torch


@dataclass
class Moves:
    """Transfers in one direction. Bytes as they lie on the device, cycles of its clock."""
    count: int = 0
    bytes: int = 0
    cycles: int = 0

    def add(self, count: int, size: int, cycles: int = 0) -> None:
        self.count += count
        self.bytes += size
        self.cycles += cycles

    def as_dict(self) -> dict[str, int]:
        return {"count": self.count, "bytes": self.bytes, "cycles": self.cycles}


@dataclass
class Counters:
    """Sums over calls. `cycles`: total of the calls, of which `first_cycles` the first call; `last_cycles`: the last one."""
    calls: int = 0
    h2d: Moves = field(default_factory=Moves)
    h2d_params: Moves = field(default_factory=Moves)
    d2h: Moves = field(default_factory=Moves)
    layout: int = 0
    typecast: int = 0
    dispatches: int = 0
    programs_new: int = 0
    programs_cached: int = 0
    device_busy: int = 0
    gap: int = 0
    host_bound: int = 0
    fallback: collections.Counter[str] = field(default_factory=collections.Counter)
    cycles: int = 0
    first_cycles: int = 0
    last_cycles: int = 0
    compile_s: float = 0.0
    simulate_s: float = 0.0

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        made: dict[str, Any] = {key: value for key, value in vars(self).items() if isinstance(value, (int, float))}
        made |= {key: getattr(self, key).as_dict() for key in ("h2d", "h2d_params", "d2h")}
        made["fallback"] = dict(self.fallback)
        return made


def device_bytes(value: torch.Tensor) -> int:
    """Bytes of a tensor on the device: whole tiles, 2 bytes a float, 4 an integer."""
    shape = [1] * (2 - min(2, value.dim())) + list(value.shape)
    rows, columns = (-(-size // 32) * 32 for size in shape[-2:])
    whole = not value.dtype.is_floating_point and value.dtype != torch.bool
    return math.prod(shape[:-2]) * rows * columns * (4 if whole else 2)


class SessionMark:
    """The counters of a device at a moment; since() adds what came after."""

    def __init__(self, device: Any) -> None:
        self.device = device
        session = device.open_session("torch_ttnn")
        self.before = session.counters()
        self.cycles, self.hits, self.misses = device.cycles, device.hits, device.misses

    def since(self, counters: Counters, written: Moves) -> int:
        """Adds to the counters, writes to `written`. Returns the cycles that passed."""
        now, was = self.device.open_session("torch_ttnn").counters(), self.before
        written.add(now.writes - was.writes, now.bytes_written - was.bytes_written, now.write_cycles - was.write_cycles)
        counters.d2h.add(now.reads - was.reads, now.bytes_read - was.bytes_read, now.read_cycles - was.read_cycles)
        counters.dispatches += now.launches + now.moves - was.launches - was.moves
        counters.device_busy += now.busy_cycles - was.busy_cycles
        counters.gap += now.gap_cycles - was.gap_cycles
        counters.host_bound += now.host_bound_cycles - was.host_bound_cycles
        counters.programs_cached += self.device.hits - self.hits
        counters.programs_new += self.device.misses - self.misses
        return int(self.device.cycles - self.cycles)
