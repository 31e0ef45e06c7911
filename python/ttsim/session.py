"""Netlists on a device: sessions with state, and runs of a netlist file."""
from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy

from . import _ttsim, arrays
from ._run_keywords import SessionKeywords
from ._ttsim import Engine, Netlist, Numerics, RunReport

if TYPE_CHECKING:
    from typing import Unpack


def options(values: Mapping[str, Any]) -> _ttsim.SessionOptions:
    """SessionOptions from keywords of docs/options.md. Engines and numerics may be given by name. TypeError for another
    keyword."""
    made = _ttsim.SessionOptions()
    for name, value in values.items():
        if name not in SessionKeywords.__annotations__:
            raise TypeError(f"there is no option '{name}'")
        if name == "engine" and isinstance(value, str):
            value = _named(Engine, value)
        if name == "numerics" and isinstance(value, str):
            value = _named(Numerics, value)
        setattr(made, name, list(value) if name == "harvested_rows" else value)
    return made


def _named(enumeration: Any, name: str) -> Any:
    for member in enumeration:
        if member.name.lower() == name.lower():
            return member
    raise ValueError(f"'{name}' is not one of {', '.join(member.name.lower() for member in enumeration)}")


class OnChip:
    """Cycles, chip and report, common to sessions and models."""
    _raw: Any

    @property
    def cycles(self) -> int:
        """Cycles of the chip's clock since the session began."""
        return int(self._raw.cycles)

    @property
    def chip(self) -> str:
        """Its name."""
        return str(self._raw.chip)

    def report(self) -> RunReport:
        """Report of everything run so far."""
        made: RunReport = self._raw.report()
        return made


class Session(OnChip):
    """A device with state: push(), write() -> run() -> get(), pop(), read(). Entries are float32 [z, rows, columns].

    HangError lists the chain of waits if a call cannot complete. `cycles` of push, get and pop is a timeout in cycles
    from the current cycle."""

    def __init__(self, netlist: Netlist | str | os.PathLike[str], **keywords: Unpack[SessionKeywords]) -> None:
        self.netlist = netlist if isinstance(netlist, Netlist) else Netlist.from_file(os.fspath(netlist))
        self._raw = _ttsim.Session(self.netlist, options(keywords))

    def run(self, program: str, **parameters: int) -> None:
        """Starts a program; parameters by name, with or without the '$'. Returns when all programs have ended or wait
        for inputs."""
        self._raw.run(program, parameters)

    def wait(self) -> None:
        """Waits until the started programs have ended. HangError if they cannot end."""
        self._raw.wait()

    def push(self, queue: str, entry: Any, cycles: int | None = None) -> None:
        """Pushes an entry of the queue's shape. InputError for another shape, HangError if the queue stays full."""
        self._raw.push(queue, _entry(entry), cycles)

    def get(self, queue: str, ahead: int = 0, cycles: int | None = None) -> numpy.ndarray:
        """The oldest entry, without removing it. HangError if none arrives."""
        entry: numpy.ndarray = self._raw.get(queue, ahead, cycles)
        return entry

    def pop(self, queue: str, count: int = 1, cycles: int | None = None) -> None:
        """Removes the oldest entries."""
        self._raw.pop(queue, count, cycles)

    def write(self, ram: str, slot: int, entry: Any) -> None:
        """Writes an entry of a ram. InputError for another shape."""
        self._raw.write(ram, slot, _entry(entry))

    def read(self, ram: str, slot: int) -> numpy.ndarray:
        """Reads an entry of a ram or a queue."""
        entry: numpy.ndarray = self._raw.read(ram, slot)
        return entry

    def ready(self, queue: str) -> int:
        """Number of entries ready to get."""
        return int(self._raw.ready(queue))

    def room(self, queue: str) -> int:
        """Number of entries that can be pushed."""
        return int(self._raw.room(queue))

    def finish_trace(self) -> None:
        """Completes the trace file."""
        self._raw.finish_trace()


def _entry(values: Any) -> numpy.ndarray:
    given = arrays.numpy_of(values)
    if given.ndim > 3:
        raise ValueError(f"an entry of shape {list(given.shape)}; expected [z, rows, columns]")
    given = given.reshape((1,) * (3 - given.ndim) + given.shape)
    return numpy.ascontiguousarray(given, dtype=numpy.float32)


def run(netlist: str | os.PathLike[str], *, programs: Sequence[str] = (), parameters: Mapping[str, int] | None = None,
        inputs_count: int = 0, seed: int = 0, check: bool = True,
        **keywords: Unpack[SessionKeywords]) -> RunReport:
    """Runs a netlist file as `ttsim run` does: with generated inputs, every output compared with golden. Further
    keywords are those of Session."""
    return _ttsim.run_netlist(os.fspath(netlist), options(keywords), list(programs), dict(parameters or {}),
                              inputs_count, seed, check)
