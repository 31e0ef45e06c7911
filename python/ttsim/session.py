"""Netlists on a device: a session that lives from call to call, and whole runs of a file."""
from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy

from . import _ttsim, arrays
from ._ttsim import Engine, Netlist, Numerics, RunReport


def options(values: Mapping[str, Any]) -> _ttsim.SessionOptions:
    """SessionOptions of keywords: device, chip, cluster, harvested_rows, engine, numerics, threads, trace_file,
    trace_level. Engines and numerics also go by name. TypeError for another keyword."""
    made = _ttsim.SessionOptions()
    for name, value in values.items():
        if not hasattr(made, name):
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
    raise ValueError(f"'{name}' is none of {', '.join(member.name.lower() for member in enumeration)}")


class OnChip:
    """What a session and a model on one say of the simulated chip."""
    _raw: Any

    @property
    def cycles(self) -> int:
        """Of the chip's clock, since the session began."""
        return int(self._raw.cycles)

    @property
    def chip(self) -> str:
        """Its name."""
        return str(self._raw.chip)

    def report(self) -> RunReport:
        """Of all that ran so far."""
        made: RunReport = self._raw.report()
        return made


class Session(OnChip):
    """A device with state: push(), write() -> run() -> get(), pop(), read(). Entries are float32 [z, rows, columns].

    HangError says who waits for whom when a call cannot be served; `cycles` of push, get and pop are how long it may
    take, from the session's present."""

    def __init__(self, netlist: Netlist | str | os.PathLike[str], **keywords: Any) -> None:
        self.netlist = netlist if isinstance(netlist, Netlist) else Netlist.from_file(os.fspath(netlist))
        self._raw = _ttsim.Session(self.netlist, options(keywords))

    def run(self, program: str, **parameters: int) -> None:
        """Starts a program; parameters by name, with or without `p_`'s '$'. Returns when all programs are over or wait
        for inputs."""
        self._raw.run(program, parameters)

    def wait(self) -> None:
        """Until the programs that were started are done. HangError where they cannot be."""
        self._raw.wait()

    def push(self, queue: str, entry: Any, cycles: int | None = None) -> None:
        """One entry, of the queue's shape. InputError for another, HangError for a queue that is full."""
        self._raw.push(queue, _entry(entry), cycles)

    def get(self, queue: str, ahead: int = 0, cycles: int | None = None) -> numpy.ndarray:
        """The oldest entry, which stays. HangError where none comes."""
        entry: numpy.ndarray = self._raw.get(queue, ahead, cycles)
        return entry

    def pop(self, queue: str, count: int = 1, cycles: int | None = None) -> None:
        """Takes the oldest entry away."""
        self._raw.pop(queue, count, cycles)

    def write(self, ram: str, slot: int, entry: Any) -> None:
        """An entry of a ram. InputError for another shape."""
        self._raw.write(ram, slot, _entry(entry))

    def read(self, ram: str, slot: int) -> numpy.ndarray:
        """An entry of a ram or a queue."""
        entry: numpy.ndarray = self._raw.read(ram, slot)
        return entry

    def ready(self, queue: str) -> int:
        """Entries that can be taken."""
        return int(self._raw.ready(queue))

    def room(self, queue: str) -> int:
        """Entries that can be pushed."""
        return int(self._raw.room(queue))

    def finish_trace(self) -> None:
        """Writes the trace file to its end."""
        self._raw.finish_trace()


def _entry(values: Any) -> numpy.ndarray:
    given = arrays.numpy_of(values)
    if given.ndim > 3:
        raise ValueError(f"an entry of shape {list(given.shape)}; [z, rows, columns] is wanted")
    given = given.reshape((1,) * (3 - given.ndim) + given.shape)
    return numpy.ascontiguousarray(given, dtype=numpy.float32)


def run(netlist: str | os.PathLike[str], *, programs: Sequence[str] = (), parameters: Mapping[str, int] | None = None,
        inputs_count: int = 0, seed: int = 0, check: bool = True, **keywords: Any) -> RunReport:
    """What `ttsim run` does with a netlist file: inputs are made up, every output is compared with golden. Further
    keywords are those of Session."""
    return _ttsim.run_netlist(os.fspath(netlist), options(keywords), list(programs), dict(parameters or {}),
                              inputs_count, seed, check)
