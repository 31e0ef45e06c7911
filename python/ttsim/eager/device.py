"""Open devices: their session, cache of programs, counters and records of launches."""
from __future__ import annotations

import collections
import itertools
import threading
import warnings
import weakref
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .._ttsim import DeviceMemory, DeviceSession
from .memory import MemoryConfig

if TYPE_CHECKING:
    from .programs import Program
    from .tensor import EagerTensor

RECORDED_LAUNCHES = 1 << 14  # launches whose times are kept for traces and reports, the latest ones

_open: weakref.WeakValueDictionary[tuple[str, int], Device] = weakref.WeakValueDictionary()
_lock = threading.RLock()
_numbers = itertools.count(1)


def open_devices() -> list[Device]:
    """The open devices, by id."""
    return [_open[key] for key in sorted(_open)]


@dataclass
class OpCounts:
    """Sums over the launches of one op on one device; times in cycles."""
    kind: str  # chip, move, host, view
    calls: int = 0
    cycles: int = 0  # on the device, with launch costs
    launch_cycles: int = 0  # of these: spread of starts, and the gap before
    bytes: int = 0  # of operands and results


@dataclass
class Launch:
    """One launch. Times are cycles; `inputs` and `outputs` describe tensors."""
    number: int
    op: str
    kind: str
    program: Program | None
    enqueued: int
    start: int
    end: int
    is_new: bool
    gap: int
    inputs: tuple[Any, ...]
    outputs: tuple[Any, ...]


@dataclass
class HiddenSteps:
    """Steps that a call made beside its op."""
    tilize: int = 0
    untilize: int = 0
    pad: int = 0
    fallback: collections.Counter[str] = field(default_factory=collections.Counter)


class DeviceId(int):
    """A number that may be called: programs read device.id, or call device.id()."""

    def __call__(self) -> int:
        return int(self)


class Device:
    """An open device. `product`: as in `ttsim devices`, such as "wh_n150"."""

    def __init__(self, device_id: int, product: str = "wh_n150", surface: str = "ttnn", **accepted: Any) -> None:
        with _lock:
            if (surface, device_id) in _open:
                raise RuntimeError(f"device {device_id} is open already; close it first")
            self.session: DeviceSession | None = DeviceSession(product)
            _open[surface, device_id] = self
        self.surface = surface
        self.id = DeviceId(device_id)
        self.product = product
        self.number = next(_numbers)  # of all devices of the process: a closed device and its successor differ
        self.options = accepted
        self.programs: dict[Any, Program] = {}
        self.cache_enabled = True
        self.hits = 0
        self.misses = 0
        self.counts: dict[tuple[str, str], OpCounts] = {}
        self.hidden = HiddenSteps()
        self.launches: collections.deque[Launch] = collections.deque(maxlen=RECORDED_LAUNCHES)
        self.tensors: weakref.WeakSet[EagerTensor] = weakref.WeakSet()
        self.warn_of_leaks = False
        self._count = itertools.count(1)
        self._last_end = 0
        self.lock = threading.RLock()
        self.chip = self.session.chip
        self.clock_mhz: int = self.session.clock_mhz
        self.grid = (self.session.columns, self.session.rows)

    def open_session(self, op: str = "the call") -> DeviceSession:
        """The session. RuntimeError if the device was closed."""
        if self.session is None:
            raise RuntimeError(f"{op}: device {self.id} was closed; open it again and make the tensors anew")
        return self.session

    @property
    def is_open(self) -> bool:
        return self.session is not None

    def close(self) -> bool:
        """Frees all buffers and programs. False if it was closed before. Tensors on it cannot be used any more."""
        with _lock, self.lock:
            if self.session is None:
                return False
            leaked = [tensor for tensor in self.tensors if tensor.is_allocated()]
            if leaked and self.warn_of_leaks:
                shown = "".join(f"\n  {tensor.summary()}" for tensor in leaked[:10])
                more = f"\n  and {len(leaked) - 10} more" if len(leaked) > 10 else ""
                warnings.warn(f"device {self.id} is closed with {len(leaked)} live tensors:{shown}{more}", stacklevel=3)
            self.session = None
            self.programs.clear()
            if _open.get((self.surface, self.id)) is self:
                del _open[self.surface, self.id]
            return True

    # --- records ---

    def record(self, op: str, kind: str, program: Program | None, inputs: tuple[Any, ...],
               outputs: tuple[Any, ...], size: int) -> None:
        """Adds the last launch of the session to the counts and the list of launches."""
        session = self.open_session(op)
        last = session.last_launch()
        counts = self.counts.get((op, kind))
        if counts is None:
            counts = self.counts[op, kind] = OpCounts(kind)
        gap = max(0, last.start - self._last_end) if self._last_end else 0
        cycles = last.end - last.start
        counts.calls += 1
        counts.cycles += cycles
        counts.launch_cycles += gap + (cycles - program.cycles if program is not None else 0)
        counts.bytes += size
        self._last_end = last.end
        self.launches.append(Launch(next(self._count), op, kind, program, last.enqueued, last.start, last.end,
                                    last.is_new, gap, inputs, outputs))

    def record_host(self, op: str, size: int) -> None:
        """Counts an op that torch computed on the host."""
        self.hidden.fallback[op] += 1
        self.count_only(op, "host", size)

    def count_only(self, op: str, kind: str, size: int = 0) -> None:
        """Counts a call that takes no time on the device."""
        counts = self.counts.setdefault((op, kind), OpCounts(kind))
        counts.calls += 1
        counts.bytes += size

    @property
    def cycles(self) -> int:
        """The later of the two clocks."""
        session = self.open_session()
        return int(max(session.host_cycles, session.device_cycles))

    def memory_of(self, config: MemoryConfig) -> DeviceMemory:
        return DeviceMemory.L1 if config.in_l1 else DeviceMemory.Dram

    # --- cache of programs ---

    def enable_program_cache(self) -> None:
        """On by default."""
        self.cache_enabled = True

    def disable_and_clear_program_cache(self) -> None:
        """Forgets all programs; later ops make theirs anew."""
        self.cache_enabled = False
        self.clear_programs()

    def clear_programs(self) -> None:
        """Forgets all programs."""
        with self.lock:
            self.programs.clear()
            self.open_session().remove_programs()

    def num_program_cache_entries(self) -> int:
        """Programs in the cache, of ops that the chip computes."""
        return sum(program.number is not None for program in self.programs.values())
