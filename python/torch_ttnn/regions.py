"""Graph mode: maximal runs of ttnn nodes, each one model for the compiler of the simulator."""
from __future__ import annotations

import operator
import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
import ttnn
import ttsim
from torch.fx import Graph, Node
from ttsim.torch import import_module

from . import target_wrappers as wrappers
from .passes.lowering.add_data_move_pass import is_device_node
from .region_module import RegionModule

_MOVES = frozenset((ttnn.from_torch, ttnn.to_torch, ttnn.to_layout, ttnn.to_device, ttnn.from_device, ttnn.deallocate,
                    ttnn.to_memory_config, wrappers.clone))
_READ_BY_HOST = frozenset((ttnn.embedding, ttnn.index_select))


def on_device(node: Node) -> bool:
    """Whether a node belongs to regions: ttnn calls and reads of their results."""
    return is_device_node(node) or (node.op == "call_function" and node.target is ttnn.to_torch)


def is_cached(node: Node) -> bool:
    """Whether it is a value of run_once, or run_once."""
    return bool(node.meta.get("is_cached"))


def levels(graph: Graph, apart: Sequence[Node] = ()) -> dict[Node, int]:
    """For each call the number of changes between host and device before it, at most: calls of ttnn with one level form
    a region. Calls of `apart` count as those of the host."""
    found: dict[Node, int] = {}
    for node in graph.nodes:
        if node.op != "call_function" or is_cached(node):
            continue
        device = on_device(node) and node not in apart
        before = [0]
        for one in node.all_input_nodes:
            if one in found:
                step = 0 if device or not (on_device(one) and one not in apart) else 1
                before.append(found[one] + step)
        found[node] = max(before)
    return found


@dataclass
class Region:
    """Nodes in order; values of other nodes that they take; values that others take; cached values of parameters."""
    name: str
    nodes: list[Node]
    inputs: list[Node]
    outputs: list[Node]
    constants: list[Node]

    @property
    def computes(self) -> bool:
        """Whether it has more than moves."""
        return any(node.target not in _MOVES and node.target is not operator.getitem for node in self.nodes)


def regions_of(graph: Graph, prefix: str) -> tuple[list[Node | Region], list[Region]]:
    """Host calls and regions in the order in which they run, and the regions."""
    found = levels(graph)
    order: list[Node | Region] = []
    regions: list[Region] = []
    for level in range(max(found.values(), default=-1) + 1):
        order += [node for node in found if found[node] == level and not on_device(node)]
        nodes = [node for node in found if found[node] == level and on_device(node) and node.target is not ttnn.deallocate]
        if nodes:
            regions.append(_region(f"{prefix}_{len(regions)}", nodes))
            order.append(regions[-1])
    return order, regions


def _region(name: str, nodes: list[Node]) -> Region:
    inside = set(nodes)
    taken = list(dict.fromkeys(one for node in nodes for one in node.all_input_nodes if one not in inside))
    outputs = [node for node in nodes if any(user not in inside and user.target is not ttnn.deallocate for user in node.users)]
    return Region(name, nodes, [one for one in taken if not is_cached(one) and one.op != "get_attr"], outputs,
                  [one for one in taken if is_cached(one) or one.op == "get_attr"])


@dataclass
class RegionProgram:
    """A region compiled for a device. `reason`: why it runs op by op instead; "": it does not."""
    region: Region
    options: dict[str, Any]
    reason: str = ""
    compile_s: float = 0.0
    compilations: int = 0
    epochs: int = 0
    host_steps: list[str] = field(default_factory=list)  # ops of the region that the host computes
    refused: list[str] = field(default_factory=list)  # those that the compiler does not have, with reasons
    inputs: list[str] = field(default_factory=list)
    cycles: int = 0

    def __post_init__(self) -> None:
        self._model: Any = None
        self._imported: Any = None
        self._module: RegionModule | None = None
        self._names: dict[Node, str] = {}
        self._versions: dict[Node, Any] = {}
        self._given: list[Node] = []
        if not self.region.computes:
            self.reason = "it only moves data"

    def prepare(self, given: Mapping[Node, Any], constants: Mapping[Node, Any], now: dict[Node, Any]) -> None:
        """Compiles, or sets constants that changed: those with another entry in `now`. Sets `reason` if the compiler
        refuses the region."""
        if self.reason:
            return
        if self._model is not None and now == self._versions:
            return
        changed = [node for node, version in now.items() if self._versions.get(node) != version]
        if self._model is None or not self._set(changed, constants):
            self._compile(given, constants)
        self._versions = now

    def _set(self, changed: Sequence[Node], constants: Mapping[Node, Any]) -> bool:
        """Gives the model new values of constants. False if it must be compiled anew."""
        names = {info.name for info in self._model.parameters}
        for node in changed:
            if self._names.get(node) not in names or any(user.target in _READ_BY_HOST for user in node.users):
                return False
        for node in changed:
            values = constants[node].detach()
            self._model.set_parameter(self._names[node], values.float() if values.is_floating_point() else values)
        return True

    def _compile(self, given: Mapping[Node, Any], constants: Mapping[Node, Any]) -> None:
        begin = time.perf_counter()
        self._given = [node for node in self.region.inputs if isinstance(given[node], torch.Tensor)]
        fixed = {node: given[node] for node in self.region.inputs if not isinstance(given[node], torch.Tensor)}
        self._module = RegionModule(self.region.nodes, self.region.outputs, self._given, {**constants, **fixed})
        self._names = self._module.names
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self._imported = import_module(self._module, tuple(given[node] for node in self._given), name=self.region.name)
            compiled = ttsim.compile(self._imported.graph, **self.options)
            self._model = ttsim.Model(compiled)
        except (ttsim.Error, NotImplementedError, ValueError, TypeError, AssertionError) as refusal:
            self.reason = (str(refusal).splitlines() or [type(refusal).__name__])[0]
            self._model = self._imported = self._module = None
            return
        finally:
            self.compile_s += time.perf_counter() - begin
        self.compilations += 1
        self.epochs = len(compiled.layout.graphs)
        self.inputs = list(self._imported.inputs)
        self.host_steps = sorted({one.op for one in self._imported.fallbacks} | {step.op for step in compiled.host_steps})
        self.refused = sorted({f"{one.op}: {one.reason}" for one in self._imported.fallbacks
                               if not one.asked and not one.reason.startswith("it runs ")})

    def run(self, given: Mapping[Node, Any]) -> tuple[dict[Node, Any], list[torch.Tensor]]:
        """The values of the region's outputs, and what was pushed to the device."""
        values = [given[node].detach() for node in self._given]
        with torch.no_grad():
            pushed = self._imported.device_inputs(*values)
            before = self._model.cycles
            made = self._model.run({name: _plain(one) for name, one in zip(self._imported.inputs, pushed)})
            self.cycles = self._model.cycles - before
            results = self._imported.finish([torch.from_numpy(made[name].copy()) for name in self._imported.outputs], *values)
        return dict(zip(self.region.outputs, results, strict=True)), pushed

    @property
    def constant_values(self) -> list[torch.Tensor]:
        """The constants of the model."""
        return list(self._imported.parameters.values()) if self._imported is not None else []

    def close(self) -> None:
        """Frees the model."""
        self._model = self._imported = self._module = None
        self._versions = {}


def _plain(value: torch.Tensor) -> torch.Tensor:
    return value.float() if value.is_floating_point() else value
