"""Stages: modules compiled for the simulated chip, each run by one ttsim.Model, with their host parts."""
from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy
import torch
import ttsim

from . import compile_options, op_overrides
from ._C import DataFormat
from .dtypes import buda_dataformat_to_pytorch_dtype, output_format

_TORCH = {ttsim.ElementType.Bool: torch.bool, ttsim.ElementType.I64: torch.int32}


@dataclasses.dataclass
class Settings:
    """Settings for compiling and running the stages of a device."""
    config: Any
    device: Any
    data_format: DataFormat
    microbatch: int
    session: dict[str, Any]  # keywords of ttsim.Model
    input_formats: Sequence[DataFormat] = ()  # formats of the device's inputs


def narrowed(tensors: Sequence[torch.Tensor | None], at: int = 0) -> list[Any]:
    """The first sample of a micro-batch, with dim 0 of size 1."""
    return [tensor if tensor is None or tensor.dim() == 0 else tensor.narrow(0, min(at, tensor.shape[0] - 1), 1)
            for tensor in tensors]


def wide(tensors: Sequence[torch.Tensor | None]) -> list[Any]:
    """16-bit floats as float32."""
    return [tensor.float() if tensor is not None and tensor.dtype in (torch.float16, torch.bfloat16) else tensor
            for tensor in tensors]


def compile_graph(graph: ttsim.Graph, settings: Settings, intermediates: Sequence[str] = (),
                  chip_of: dict[str, int] | None = None, formats: dict[str, DataFormat] | None = None,
                  device_comparisons: bool = False, training: Mapping[str, Any] | None = None) -> ttsim.CompiledModel:
    """Compiles a graph with the configuration's overrides. `chip_of`: ops that have their own chip; `formats`: of
    inputs and parameters; `device_comparisons`: the host compares nothing; `training`: options of a backward program. ttsim.InputError, ttsim.UnsupportedError."""
    given = compile_options.options(settings.config, settings.device, settings.data_format, settings.microbatch,
                                    formats)
    given |= training or {}
    if device_comparisons:
        given["device_comparisons"] = True
    if intermediates:
        given["intermediates"] = list(intermediates)
    if op_overrides.wanted(settings.config) or chip_of:
        chip_ids = list(settings.device.chip_ids)[:given.get("chips", 1)]
        given["choose_overrides"] = lambda ops: op_overrides.text(settings.config, ops, chip_ids, chip_of or {})
    # each chip runs complete epochs
    made = ttsim.compile(graph, fewer_chips=True, ignore_impossible_slices=True, **given)
    for ignored in made.report().ignored_overrides:
        if ignored.code == "cannot-stream":
            warnings.warn(f"op '{ignored.op}' cannot be streamed in the slices of its override ({ignored.message}): it "
                          "is streamed as the compiler chooses", stacklevel=2)
    return made


def _integer_outputs(compiled: ttsim.CompiledModel) -> set[str]:
    """Queues that the host reads in an integer format."""
    return {queue.name for queue in compiled.layout.queues
            if queue.filled_by and queue.format.removeprefix("U").startswith("Int")}


class DeviceModel:
    """A ttsim.Model whose inputs and outputs have dim 0 = 1 per sample. `order`: names of inputs and outputs in the
    order of the caller; None: that of the compiled model. `whole`: outputs that are integers in the model. The host may
    compute them, and as floats they keep all digits."""

    def __init__(self, compiled: ttsim.CompiledModel, settings: Settings,
                 order: tuple[Sequence[str], Sequence[str]] | None = None, whole: Collection[str] = ()) -> None:
        self.compiled = compiled
        self.model = ttsim.Model(compiled, **settings.session)
        self.microbatch = settings.microbatch
        inputs = {info.name: tuple(info.shape) for info in compiled.inputs}
        outputs = {info.name: info.type for info in compiled.outputs}
        in_queues = _integer_outputs(compiled)
        taken, self.outputs = order or (list(inputs), list(outputs))
        self.inputs = [(name, inputs.get(name)) for name in taken]
        floats = buda_dataformat_to_pytorch_dtype(output_format(settings.data_format))

        def dtype(name: str) -> torch.dtype:
            if outputs[name].name[0] in "IU" or name in in_queues:
                return torch.int32
            return _TORCH.get(outputs[name], torch.float32 if name in whole else floats)

        self.dtypes = [dtype(name) for name in self.outputs]

    def run(self, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """Outputs of a micro-batch; dim 0 is the sample."""
        given = {name: self._given(tensor, shape) for (name, shape), tensor in zip(self.inputs, tensors)
                 if shape is not None}
        results = self.model.run(given)
        return [self._result(results[name], dtype) for name, dtype in zip(self.outputs, self.dtypes)]

    def run_samples(self, samples: Sequence[Sequence[torch.Tensor]]) -> list[list[torch.Tensor]]:
        """Outputs of each sample, in the shapes of the model."""
        given = {name: samples[0][k] if self.microbatch == 1 else torch.stack([one[k] for one in samples])
                 for k, (name, shape) in enumerate(self.inputs) if shape is not None}
        results = self.model.run(given)
        whole = [torch.from_numpy(numpy.array(results[name])).to(dtype)
                 for name, dtype in zip(self.outputs, self.dtypes)]
        return [whole] if self.microbatch == 1 else [[value[at] for value in whole] for at in range(len(samples))]

    def _given(self, tensor: torch.Tensor, shape: tuple[int, ...]) -> Any:
        if self.microbatch == 1:
            return tensor
        if tensor.shape[0] == 1:
            tensor = tensor.expand(self.microbatch, *tensor.shape[1:])
        return tensor.reshape(self.microbatch, *shape)

    def _result(self, values: numpy.ndarray, dtype: torch.dtype) -> torch.Tensor:
        result = torch.from_numpy(numpy.array(values) if not values.flags.writeable else values)
        if self.microbatch > 1:
            result = result.flatten(0, 1) if result.dim() > 1 else result
        return result.to(dtype)


class Stage:
    """make() compiles; start() begins a session on the device."""
    settings: Settings
    graph: Any = None
    compiled: Any = None
    saved: list[str] = []  # ops whose results are saved
    trains = False  # whether it is compiled with a backward program
    device: DeviceModel | None = None

    @property
    def host_ops(self) -> list[str]:
        """Ops of the stage that run in the model's framework on the host, as `name (type)`."""
        return []

    @property
    def running(self) -> DeviceModel:
        """The model that start() created."""
        assert self.device is not None, "the stage was compiled but not started"
        return self.device

    def on_chip(self) -> Any:
        """What runs on the chip, a ttsim.Model or ttsim.Trainer; None before start()."""
        return None if self.device is None else self.device.model

    def evaluate(self, tensors: Sequence[Any]) -> list[torch.Tensor]:
        """Outputs computed by torch on the host."""
        raise NotImplementedError

    def evaluate_sample(self, tensors: Sequence[Any]) -> list[torch.Tensor]:
        """evaluate() of one sample."""
        return self.evaluate(tensors)

    def make(self) -> None:
        """Compiles."""
        raise NotImplementedError

    def start(self) -> None:
        """Begins a session on the device."""
        order = ([info.name for info in self.graph.inputs], [info.name for info in self.graph.outputs])
        extra = [info.name for info in self.compiled.outputs if info.name not in order[1]]  # saved results of ops
        self.device = DeviceModel(self.compiled, self.settings, (order[0], order[1] + extra), self.whole_outputs())

    def whole_outputs(self) -> set[str]:
        """Names of outputs that are integers, regardless of the format the device computes them in."""
        return set()

    def training_options(self) -> dict[str, Any]:
        """Keywords of ttsim.compile() for stages that train."""
        return {}

    def compile_again(self) -> None:
        """Compiles again with the current parameters."""
        self.make()
        self.start()

    def run(self, tensors: Sequence[torch.Tensor]) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
        """Outputs, and saved results of ops."""
        results = self.running.run(tensors)
        count = len(results) - len(self.saved)
        return results[:count], results[count:]
