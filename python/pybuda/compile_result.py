"""The result of compiling a device."""
from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from ttsim import Netlist

from .op_homes import homes
from .placer_solution import LoweredGraph, PlacerSolution
from .tensor import Tensor
from .whole_file import write_whole


class CompileResult:
    """`outputs`: tensors, with values if pybuda_compile() was given inputs. `netlist_filename` is written on first
    access."""

    def __init__(self, device: Any, settings: Any) -> None:
        self.device = device
        self.outputs = [Tensor(None, shape, settings.data_format) for shape in device._stages[-1].shapes()]
        self.compiled = [stage.compiled for stage in device._stages]
        self.golden_outputs: list[Any] = []
        self.golden_intermediates: dict[str, Any] = {}
        self.perf_model_results = {"cycles_per_input": sum(one.report().estimated_cycles for one in self.compiled)}
        self.pass_specific_output_kwargs: dict[str, Any] = {
            "placer_solution": PlacerSolution(self._layouts(), device.chip_ids, self._homes()),
            "output_host_tms": {}, "consteval_trace": {}}  # empty, since the host computes nothing for them
        self._folder = settings.config.backend_output_dir

    def _layouts(self) -> list[Netlist]:
        """The netlists of all stages, as values."""
        return [one.layout for one in self.compiled]

    def _homes(self) -> dict[str, str]:
        """Names in the netlists of ops of modules that are made of pybuda's ops."""
        return {op: home for stage in self.device._stages if hasattr(stage, "trace")
                for op, home in homes(stage.trace.ops, stage.compiled.layout).items()}

    def take_golden(self, values: Sequence[Any]) -> None:
        """Sets the outputs that torch computes for the inputs."""
        self.golden_outputs = [value.detach() for value in values]
        self.outputs = [Tensor(value, value.shape, output.data_format)
                        for value, output in zip(self.golden_outputs, self.outputs)]

    @property
    def initial_graph(self) -> Any:
        """The trace of modules made of pybuda's ops."""
        return getattr(self.device._stages[0], "trace", None)

    @property
    def lowered_graph(self) -> LoweredGraph:
        """Ops of the netlist, by name."""
        return LoweredGraph(self._layouts())

    @property
    def netlist(self) -> str:
        """Netlists of all stages, as one text."""
        return "\n".join(one.netlist for one in self.compiled)

    @property
    def netlist_filename(self) -> str:
        """Path of the netlist, which is written to backend_output_dir."""
        os.makedirs(self._folder, exist_ok=True)
        name = os.path.join(self._folder, f"{self.device.graph_name}_netlist.yaml")
        write_whole(name, self.compiled[0].netlist)
        return name
