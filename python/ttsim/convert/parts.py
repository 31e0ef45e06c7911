"""Models with ops that have no form in ONNX, in parts: those ops run in the framework on the host, between parts for the
device."""
from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, Protocol

from .._ttsim import UnsupportedError
from .base import Converted

_MOST_ATTEMPTS = 8
_KINDS = ("float", "bfloat16", "int", "uint", "bool")


@dataclasses.dataclass(frozen=True)
class Node:
    """An op of the framework. `operands` and `results`: names of values, without constants."""
    name: str
    type: str
    operands: tuple[str, ...]
    results: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class Value:
    """`kind`: name of the numpy type."""
    name: str
    shape: tuple[int, ...]
    kind: str


class _CannotPass(Exception):
    """`nodes`: that read or make a value that the device cannot have, such as complex numbers."""

    def __init__(self, nodes: set[str]) -> None:
        super().__init__()
        self.nodes = nodes


class Source(Protocol):
    """A model of a framework as a list of ops."""
    inputs: Sequence[str]
    outputs: Sequence[str]
    nodes: Sequence[Node]  # each after those whose results it reads
    moves: Collection[str]  # types that compute nothing

    def values(self, names: Sequence[str]) -> list[Value]:
        """Shapes and types."""

    def on_host(self, inputs: Sequence[str], outputs: Sequence[str]) -> Callable[[Sequence[Any]], list[Any]]:
        """A function of numpy arrays that runs the ops between these values in the framework."""

    def converted(self, inputs: Sequence[str], outputs: Sequence[str]) -> Converted:
        """The ops between these values in ONNX. UnsupportedError."""

    def refused(self, error: UnsupportedError) -> set[str]:
        """Names of the nodes that an error of converted() is about."""


@dataclasses.dataclass(frozen=True)
class HostPart:
    """`ops`: each as `name (type)`."""
    inputs: list[Value]
    outputs: list[Value]
    run: Callable[[Sequence[Any]], list[Any]]
    ops: list[str]


@dataclasses.dataclass(frozen=True)
class DevicePart:
    """Inputs and outputs are in the order of `converted`."""
    inputs: list[Value]
    outputs: list[Value]
    converted: Converted


def plan(source: Source, error: UnsupportedError) -> list[HostPart | DevicePart]:
    """The parts in the order in which they run. The error itself if it names no op of the model, or if the device would
    have no work."""
    host = set(source.refused(error))
    for _ in range(_MOST_ATTEMPTS):
        if not host:
            break
        levels = _levels(source, host)
        if not any(level % 2 == 0 for level in levels.values()):
            break
        try:
            return _parts(source, levels)
        except _CannotPass as other:
            found = other.nodes - host
        except UnsupportedError as other:
            found = set(source.refused(other)) - host
        if not found:
            break
        host |= found
    raise error


def _levels(source: Source, host: set[str]) -> dict[str, int]:
    """Of each node: even on the device, odd on the host. Parts of the device that compute nothing move to the host."""
    while True:
        levels: dict[str, int] = {}
        of_value: dict[str, int] = {}
        for node in source.nodes:
            least = max((of_value.get(name, 0) for name in node.operands), default=0)
            level = least + (least % 2 != (node.name in host))
            levels[node.name] = level
            of_value.update(dict.fromkeys(node.results, level))
        idle = {level for level in set(levels.values()) if level % 2 == 0 and all(
            node.type in source.moves for node in source.nodes if levels[node.name] == level)}
        moved = {name for name, level in levels.items() if level in idle}
        if not moved:
            return levels
        host = host | moved


def _parts(source: Source, levels: dict[str, int]) -> list[HostPart | DevicePart]:
    of_value = {result: levels[node.name] for node in source.nodes for result in node.results}
    made: list[HostPart | DevicePart] = []
    for level in sorted(set(levels.values())):
        nodes = [node for node in source.nodes if levels[node.name] == level]
        taken = _unique(name for node in nodes for name in node.operands if of_value.get(name) != level)
        read_later = {name for node in source.nodes if levels[node.name] != level for name in node.operands} | set(source.outputs)
        given = _unique(name for node in nodes for name in node.results if name in read_later)
        if not given:
            continue
        inputs, outputs = source.values(taken), source.values(given)
        if level % 2:
            made.append(HostPart(inputs, outputs, source.on_host(taken, given), [f"{node.name} ({node.type})" for node in nodes]))
        else:
            strange = {value.name for value in (*inputs, *outputs) if not value.kind.startswith(_KINDS)}
            if strange:
                raise _CannotPass({node.name for node in nodes if strange & {*node.operands, *node.results}})
            made.append(DevicePart(inputs, outputs, source.converted(taken, given)))
    return made


def _unique(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))
