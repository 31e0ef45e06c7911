"""A compiled graph: what torch.compile calls."""
from __future__ import annotations

import time
from typing import Any

import torch
import ttnn
from torch.fx import GraphModule, Node
from ttnn import types

from .counters import Counters, SessionMark, device_bytes
from .once import OnceSpec
from .regions import Region, RegionProgram, is_cached, on_device, regions_of
from .steps import Step, Steps, attribute, nodes_of
from .target_wrappers import run_once
from .torch_forms import form_of
from .utils import CustomObject

_COUNTED = {ttnn.to_layout: "layout", ttnn.typecast: "typecast"}


def _specs(gm: GraphModule) -> list[tuple[Node, OnceSpec]]:
    return [(node, node.args[0].value) for node in gm.graph.nodes
            if node.target is run_once and isinstance(node.args[0], CustomObject)]


class CompiledGraph:
    """Runs a final graph: op by op ("eager"), or with its runs of ttnn nodes as programs ("graph")."""

    def __init__(self, gm: GraphModule, device: Any, mode: str, number: int, kind: str = "inference",
                 compile_options: dict[str, Any] | None = None) -> None:
        self.gm, self.device, self.mode, self.number, self.kind = gm, device, mode, number, kind
        self.counters = Counters()
        self.placeholders = gm.graph.find_nodes(op="placeholder")
        self.attributes = [node for node in gm.graph.nodes if node.op == "get_attr"]
        results: Any = gm.graph.output_node().args[0]
        self.results = list(results) if isinstance(results, (list, tuple)) else [results]
        self.specs = _specs(gm)
        self.regions: list[RegionProgram] = []
        for _, spec in self.specs:
            spec.run = self._once(spec)
        constant = [node for node in nodes_of(gm.graph) if is_cached(node) and not _is_once(node)]
        self._constants: dict[Node, Any] | None = None  # values of nodes that depend on constants only
        self._constant_steps = Steps(constant, device, constant, _in_torch if mode == "graph" else self._around)
        needed = [one for one in self.results if isinstance(one, Node)]
        if mode == "graph":
            self.order, regions = regions_of(gm.graph, f"graph{number}")
            options = {"device": device.product, **(compile_options or {})}
            self.regions = [RegionProgram(region, options) for region in regions]
            self._programs = {region.name: program for region, program in zip(regions, self.regions)}
            self._host = {one: Steps([one], device, [one], self._around) for one in self.order if isinstance(one, Node)}
        else:
            calls = [node for node in nodes_of(gm.graph) if not is_cached(node)]
            self.steps = Steps(calls, device, needed, self._around)

    def __call__(self, *values: Any) -> list[Any]:
        """The results. RuntimeError if the device was closed."""
        self.device.open_session("the compiled model")
        begin = time.perf_counter()
        counters = self.counters
        compiled = sum(one.compile_s for one in self.regions)
        known: dict[Node, Any] = dict(zip(self.placeholders, values))
        known |= {node: attribute(self.gm, node) for node in self.attributes}
        with torch.no_grad():
            cycles = self._in_regions(known) if self.mode == "graph" else self._op_by_op(known)
        counters.calls += 1
        counters.cycles += cycles
        counters.last_cycles = cycles
        if counters.calls == 1:
            counters.first_cycles = cycles
        compiled = sum(one.compile_s for one in self.regions) - compiled
        counters.compile_s += compiled
        counters.simulate_s += time.perf_counter() - begin - compiled
        return [known[one] if isinstance(one, Node) else one for one in self.results]

    # --- parameters ---

    def _once(self, spec: OnceSpec) -> Any:
        """Computes the nodes that depend on parameters: on the device, or for constants of programs in torch."""
        graph = spec.gm.graph
        nodes, places = nodes_of(graph), graph.find_nodes(op="placeholder")
        constants = [node for node in graph.nodes if node.op == "get_attr"]
        results: Any = graph.output_node().args[0]
        steps = Steps(nodes, self.device, results, _in_torch if self.mode == "graph" else self._around)

        def run(*values: Any) -> tuple[Any, ...]:
            known: dict[Node, Any] = dict(zip(places, values))
            known |= {node: attribute(spec.gm, node) for node in constants}
            with torch.no_grad():
                steps.run(known)
            return tuple(known[node] for node in results)
        return run

    def _cached(self, known: dict[Node, Any]) -> None:
        if self._constants is None:
            made: dict[Node, Any] = {node: known[node] for node in self.attributes}
            self._constant_steps.run(made)
            self._constants = made
        known |= self._constants
        for node, spec in self.specs:
            known[node] = spec(*(known[one] for one in node.all_input_nodes))
            for user in node.users:
                known[user] = known[node][user.args[1]]

    def _key_of(self, node: Node) -> Any:
        """Equal as long as a constant is the same."""
        if not _is_once(node):
            return 0
        spec = next(spec for once, spec in self.specs if once is node.args[0])
        return spec.key_of(node.args[1])  # type: ignore[arg-type]

    # --- op by op ---

    def _around(self, step: Step, args: Any, kwargs: Any) -> Any:
        name = _COUNTED.get(step.target)
        if name is not None:
            setattr(self.counters, name, getattr(self.counters, name) + 1)
        elif isinstance(step.target, torch._ops.OpOverload):
            self.counters.fallback[str(step.target)] += 1
        return step.target(*args, **kwargs)

    def _op_by_op(self, known: dict[Node, Any]) -> int:
        mark = SessionMark(self.device)
        self._cached(known)
        cycles = mark.since(self.counters, self.counters.h2d_params)
        mark = SessionMark(self.device)
        self.steps.run(known)
        return cycles + mark.since(self.counters, self.counters.h2d)

    # --- programs ---

    def _in_regions(self, known: dict[Node, Any]) -> int:
        self._cached(known)
        cycles = 0
        for one in self.order:
            if isinstance(one, Region):
                cycles += self._region(self._programs[one.name], known)
            else:
                self._host[one].run(known)
        return cycles

    def _region(self, program: RegionProgram, known: dict[Node, Any]) -> int:
        region = program.region
        constants = {node: known[node] for node in region.constants}
        before = program.compilations
        program.prepare(known, constants, {node: self._key_of(node) for node in constants})
        if program.reason:
            return self._region_op_by_op(region, known)
        if program.compilations != before:
            values = program.constant_values
            self.counters.h2d_params.add(len(values), sum(map(device_bytes, values)))
            self.counters.programs_new += program.epochs
        else:
            self.counters.programs_cached += program.epochs
        made, pushed = program.run(known)
        known |= made
        self.counters.dispatches += program.epochs
        self.counters.device_busy += program.cycles
        self.counters.h2d.add(len(pushed), sum(map(device_bytes, pushed)))
        results = [value for value in made.values() if isinstance(value, torch.Tensor)]
        self.counters.d2h.add(len(results), sum(map(device_bytes, results)))
        return program.cycles

    def _region_op_by_op(self, region: Region, known: dict[Node, Any]) -> int:
        mark = SessionMark(self.device)
        inside: dict[Node, Any] = {node: known[node] if node.op == "placeholder" else self._moved(known[node], region, node)
                                   for node in (*region.inputs, *region.constants)}
        Steps(region.nodes, self.device, region.outputs, self._around).run(inside)
        for node in region.outputs:
            value = inside[node]
            known[node] = ttnn.to_torch(value, dtype=node.meta["val"].dtype) if isinstance(value, ttnn.Tensor) else value
        return mark.since(self.counters, self.counters.h2d)

    def _moved(self, value: Any, region: Region, node: Node) -> Any:
        """A value of the host as the region's calls take it: read by from_torch, or on the device."""
        if not isinstance(value, torch.Tensor) or not (on_device(node) or is_cached(node)) or node.target is ttnn.to_torch:
            return value
        whole = not value.dtype.is_floating_point and value.dtype != torch.bool
        return ttnn.from_torch(value, dtype=types.int32 if whole else types.bfloat16, layout=types.TILE_LAYOUT, device=self.device)

    def close(self) -> None:
        """Frees models and cached values."""
        self._constants = None
        for _, spec in self.specs:
            spec.clear()
        for program in self.regions:
            program.close()


def _is_once(node: Node) -> bool:
    """Whether it is run_once or a result of it."""
    source = node.args[0] if node.op == "call_function" and node.args else None
    return node.target is run_once or (isinstance(source, Node) and source.target is run_once)


def _in_torch(step: Step, args: Any, kwargs: Any) -> Any:
    """A call of ttnn on tensors of torch."""
    if isinstance(step.target, torch._ops.OpOverload) or getattr(step.target, "__name__", "") == "getitem":
        return step.target(*args, **kwargs)
    return form_of(step.target)(*args, **kwargs)

