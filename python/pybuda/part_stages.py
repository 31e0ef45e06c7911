"""Stages of a model of another framework that has ops without a form in ONNX: each stage is a part for the device, with the
parts that run in the framework on the host before and after it."""
from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy
import torch
import ttsim
from ttsim.convert.parts import DevicePart, HostPart, Value

from . import progress
from .module import FrameworkModule
from .parameter import Parameter
from .stage import DeviceModel, Settings, Stage, compile_graph
from .tensor import to_pt_tensor

Values = dict[str, torch.Tensor]  # by name; dim 0 is that of all samples


class PartStage(Stage):
    """A stage of a model; `place`: among its stages."""

    def __init__(self, whole: PartedModel, place: int, settings: Settings) -> None:
        self.whole, self.place, self.settings = whole, place, settings
        self.saved = []
        self.make()

    @property
    def _group(self) -> Group:
        return self.whole.groups[self.place]

    @property
    def _is_last(self) -> bool:
        return self.place == len(self.whole.groups) - 1

    @property
    def host_ops(self) -> list[str]:
        return [op for part in (*self._group.before, *self._group.after) for op in part.ops]

    def make(self) -> None:
        """Compiles the part of the device."""
        self.graph = ttsim.Graph.from_onnx(self._group.device.converted.serialized())
        self.compiled = compile_graph(self.graph, self.settings)

    def start(self) -> None:
        """Begins a session on the device."""
        converted = self._group.device.converted
        self.device = DeviceModel(self.compiled, self.settings, (converted.inputs, converted.outputs))

    def run(self, tensors: Sequence[torch.Tensor]) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
        """Host parts, the device, host parts. Passes on what later stages read."""
        values: Values = dict(zip(self.whole.taken(self.place), self.whole.ordered(tensors) if self.place == 0 else tensors))
        for part in self._group.before:
            self._run_on_host(part, values)
        device = self._group.device
        given = [_typed(values[value.name], value) for value in device.inputs]
        values.update(zip((value.name for value in device.outputs), self.running.run(given)))
        for part in self._group.after:
            self._run_on_host(part, values)
        return [values[name] for name in self.whole.taken(self.place + 1)], []

    def _run_on_host(self, part: HostPart, values: Values) -> None:
        """Sample by sample: the part is for one."""
        count = self.settings.microbatch
        samples = [_samples(values[value.name], value, count) for value in part.inputs]
        results = [part.run([sample[at] for sample in samples]) for at in range(count)]
        for value, parts in zip(part.outputs, zip(*results)):
            stacked = numpy.stack(parts)
            values[value.name] = to_pt_tensor(stacked.reshape(-1, *stacked.shape[2:]) if stacked.ndim > 1 else stacked)
            if count == 1 and stacked.ndim == 1:
                values[value.name] = to_pt_tensor(parts[0])

    def evaluate(self, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """The last stage runs the whole model in its framework; those before pass their inputs on."""
        return self.whole.module.cpu_eval_forward(*tensors) if self._is_last else list(tensors)

    def shapes(self) -> list[tuple[int, ...]]:
        """Shapes of the outputs of the model for one sample."""
        return self.whole.shapes()

    def parameters(self) -> dict[str, Parameter]:
        """Of the model, by the framework's names; the first stage has them."""
        return {str(one.get_name()): one for one in self.whole.module.get_parameters()} if self.place == 0 else {}

    def set_parameter(self, name: str, value: torch.Tensor) -> None:
        """Sets it in the framework, and compiles all stages again."""
        self.whole.module.set_parameters(**{name: value})
        self.whole.make_again()


class Group:
    """A part for the device with the host parts around it."""

    def __init__(self, device: DevicePart, before: Sequence[HostPart]) -> None:
        self.device, self.before, self.after = device, list(before), list[HostPart]()

    def parts(self) -> list[HostPart | DevicePart]:
        """In the order in which they run."""
        return [*self.before, self.device, *self.after]

    def reads(self) -> set[str]:
        """Names of values that it reads."""
        return {value.name for part in self.parts() for value in part.inputs}


class PartedModel:
    """A module in parts. `error`: why it cannot be converted whole, raised if it has no parts."""

    def __init__(self, module: FrameworkModule, samples: Sequence[torch.Tensor], settings: Settings,
                 error: ttsim.UnsupportedError) -> None:
        if module.states():
            raise error
        self.module, self._samples, self._error = module, samples, error
        self._plan()
        self.stages = [PartStage(self, place, settings) for place in range(len(self.groups))]
        ops = [op for stage in self.stages for op in stage.host_ops]
        shown = ", ".join(ops[:10]) + (f" and {len(ops) - 10} more" if len(ops) > 10 else "")
        runs = "1 op runs" if len(ops) == 1 else f"{len(ops)} ops run"
        warnings.warn(f"module '{module.get_name()}': {runs} in {module.framework} on the host, because of ops that the "
                      f"converter to ONNX has no form of: {shown}", stacklevel=2)

    def _plan(self) -> None:
        with progress.stage(f"module '{self.module.get_name()}': converting from {self.module.framework} in parts"):
            self.source, parts = self.module.parts(self._samples, self._error)
        self.groups: list[Group] = []
        waiting: list[HostPart] = []
        for part in parts:
            if isinstance(part, DevicePart):
                self.groups.append(Group(part, waiting))
                waiting = []
            else:
                waiting.append(part)
        self.groups[-1].after += waiting

    def make_again(self) -> None:
        """Converts and compiles with the current parameters."""
        self._plan()
        for stage in self.stages:
            stage.compile_again()

    def ordered(self, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """Inputs in the order and the types of the model."""
        return self.module.in_order(tensors)

    def taken(self, place: int) -> list[str]:
        """Names of the values that pass to a stage; after the last one those of the outputs."""
        if place == len(self.groups):
            return list(self.source.outputs)
        if place == 0:
            return list(self.source.inputs)
        later = set(self.source.outputs).union(*(group.reads() for group in self.groups[place:]))
        known = list(self.source.inputs) + [value.name for group in self.groups[:place]
                                            for part in group.parts() for value in part.outputs]
        return [name for name in dict.fromkeys(known) if name in later]

    def shapes(self) -> list[tuple[int, ...]]:
        """Of the outputs, for one sample."""
        return [value.shape for value in self.source.values(list(self.source.outputs))]


def _typed(tensor: torch.Tensor, value: Value) -> torch.Tensor:
    """In the type that the converted part declares."""
    kind = getattr(torch, value.kind)
    return tensor if tensor.dtype == kind else tensor.to(kind)


def _samples(tensor: torch.Tensor, value: Value, count: int) -> numpy.ndarray[Any, Any]:
    """Values for a host part, with the sample in front."""
    return _typed(tensor.detach().cpu(), value).numpy().reshape(count, *value.shape)
