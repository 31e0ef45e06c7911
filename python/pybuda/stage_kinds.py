"""Types of stages of a device: modules of pybuda's ops, torch modules, ONNX models and models of other frameworks."""
from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import torch
import ttsim.torch
from ttsim.evaluation import evaluating

from . import compile_options, op_homes, progress
from ._C import DataFormat
from .config_check import of_field
from .dtypes import (buda_dataformat_to_pytorch_dtype, is_integer, output_format,
                     pytorch_dtype_to_buda_dataformat)
from .fracture import fracture
from .module import FrameworkModule, OnnxModule, PyBudaModule, PyTorchModule
from .parameter import Parameter
from .part_stages import PartedModel
from .stage import Settings, Stage, compile_graph, narrowed, wide
from .tensor import Tensor
from .trace import to_graph, trace
from .utils import flatten


def _formats(tensors: Sequence[torch.Tensor | None]) -> list[DataFormat]:
    return [DataFormat.RawUInt32 if tensor.dtype == torch.int64 else pytorch_dtype_to_buda_dataformat(tensor.dtype)
            for tensor in tensors if tensor is not None]


class TraceStage(Stage):
    """Consecutive PyBudaModules as one graph. `samples` have dim 0 = 1. `formats`: of inputs, if the device has them as
    they were pushed."""

    def __init__(self, modules: Sequence[PyBudaModule], samples: Sequence[torch.Tensor], settings: Settings,
                 formats: Sequence[DataFormat] = ()) -> None:
        names = modules[0].forward_names(len(samples))
        if len(set(names)) < len(samples):
            names = [f"input_{k}" for k in range(len(samples))]
        inputs = [(name, Tensor(None, sample.shape, data_format))
                  for name, sample, data_format in zip(names, samples, _formats(samples))]
        given = formats if len(formats) == len(samples) else _formats(samples)
        self.formats = {name: data_format for name, sample, data_format in zip(names, samples, given)
                        if is_integer(data_format) or (sample.dtype.is_floating_point and len(formats))}
        self.bytes: set[str] = set()
        self.modules = list(modules)
        self.trace = trace(modules, inputs)
        with of_field("fracture_groups", settings.config.fracture_groups):
            fracture(self.trace, settings.config.fracture_groups)
        saved = list(settings.config.op_intermediates_to_save)
        known = {op.name for op in self.trace.ops}
        self.saved = [name for name in saved if name in known]
        self.settings = settings
        self.make()

    def make(self) -> None:
        """Builds and compiles the graph of the trace."""
        self.graph = to_graph(self.trace, self.saved, self.trains)
        held: dict[str, Any] = {**self.trace.parameters, **self.trace.constants}
        formats = self.formats | {name: one.data_format for name, one in held.items()}
        if not compile_options.has_integer_rules(self.settings.config):
            alone = self.trace.computed_whole()
            formats = {name: one for name, one in formats.items() if name in alone or not is_integer(one)}
        self.compiled = compile_graph(self.graph, self.settings, chip_of=self.trace.chips, formats=formats,
                                      device_comparisons=True, training=self.training_options())
        self.bytes = op_homes.int8_results(self.trace.ops, self.compiled.layout)

    def whole_outputs(self) -> set[str]:
        """Determined by the formats of ops."""
        return {name for name, tensor in self.trace.outputs if is_integer(tensor.data_format)}

    def run(self, tensors: Sequence[torch.Tensor]) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
        """Integers that the device computes as floats are converted back."""
        results, saved = super().run(tensors)
        whole = self.whole_outputs()
        return [value.round().to(torch.int32) if name in whole and value.dtype.is_floating_point else value
                for value, (name, _) in zip(results, self.trace.outputs)], saved

    def evaluate(self, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """In torch, sample by sample, like the graph."""
        if self.settings.microbatch == 1:
            return self.trace.evaluate(wide(tensors), saturated=self.bytes)
        parts = [self.trace.evaluate(wide(narrowed(tensors, at)), saturated=self.bytes) for at in range(self.settings.microbatch)]
        return [torch.cat(values) for values in zip(*parts)]

    def evaluate_sample(self, tensors: Sequence[Any]) -> list[torch.Tensor]:
        """Regardless of the size of micro-batches."""
        return self.trace.evaluate(wide(tensors), saturated=self.bytes)

    def shapes(self) -> list[tuple[int, ...]]:
        """Shapes of the outputs for one sample."""
        return [tensor.shape.dims for _, tensor in self.trace.outputs]

    def parameters(self) -> dict[str, Parameter]:
        """By name."""
        return self.trace.parameters

    def set_parameter(self, name: str, value: torch.Tensor) -> None:
        """For later runs. ttsim.InputError if compilation depended on the old value."""
        self.trace.parameters[name].set_value(value)
        self.running.model.set_parameter(name, value)


class TorchStage(Stage):
    """A torch module imported by ttsim.torch.import_module(), which determines the host parts."""

    def __init__(self, module: PyTorchModule, samples: Sequence[Any], settings: Settings) -> None:
        self.module, self.settings = module, settings
        self.saved = list(settings.config.op_intermediates_to_save)
        self._shapes: list[tuple[int, ...]] | None = None
        self._dtype = module.parameter_dtype()
        self._samples = self._cast(samples)
        self.make()

    def _cast(self, tensors: Sequence[Any]) -> list[Any]:
        """Casts floats to the dtype of the module's parameters, if there is one."""
        return [tensor if tensor is None or self._dtype is None or not tensor.dtype.is_floating_point
                else tensor.to(self._dtype) for tensor in tensors]

    def make(self) -> None:
        """Captures and compiles the module."""
        module, config = self.module, self.settings.config
        args, kwargs = module.call_arguments(self._samples)
        fallback_ops = tuple(sorted(config.cpu_fallback_ops)) if config.enable_tvm_cpu_fallback else ()
        with OwnForward(module):
            self.imported = ttsim.torch.import_module(
                module.module, args, kwargs, name=module.get_name(), fallback=config.enable_tvm_cpu_fallback,
                fallback_ops=fallback_ops,
                host_moves=config.tm_cpu_fallback_max_depth if config.enable_tm_cpu_fallback else 0)
        self.graph = self.imported.graph
        self.compiled = compile_graph(self.graph, self.settings, self.saved)

    def run(self, tensors: Sequence[Any]) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
        """Runs sample by sample, since host parts are for one sample."""
        tensors = [_like(tensor, sample) for tensor, sample in zip(self._cast(tensors), self._samples)]
        calls = [self.module.call_arguments(narrowed(tensors, at)) for at in range(self.settings.microbatch)]
        with torch.no_grad():
            results = self.running.run_samples([self.imported.device_inputs(*args, **kwargs) for args, kwargs in calls])
            count = len(results[0]) - len(self.saved)
            outputs = [self.imported.finish(result[:count], *args, **kwargs)
                       for result, (args, kwargs) in zip(results, calls)]
        wide = buda_dataformat_to_pytorch_dtype(output_format(self.settings.data_format))
        joined = [as_queue(torch.cat(values) if len(values) > 1 else values[0], wide)
                  for values in zip(*outputs) if values[0] is not None]
        saved = [torch.cat(values) for values in zip(*(result[count:] for result in results))]
        return joined, saved

    def evaluate(self, tensors: Sequence[Any]) -> list[torch.Tensor]:
        """Runs the module in torch."""
        args, kwargs = self.module.call_arguments(self._cast(tensors))
        with torch.no_grad(), OwnForward(self.module), evaluating(self.module.module):
            return flatten(self.module.module(*args, **kwargs))

    def shapes(self) -> list[tuple[int, ...]]:
        """Shapes of the outputs for one sample."""
        if self._shapes is None:
            self._shapes = [tuple(value.shape) for value in self.evaluate(self._samples)]
        return self._shapes

    def parameters(self) -> dict[str, Parameter]:
        """By name."""
        return {str(parameter.get_name()): parameter for parameter in self.module.get_parameters()}

    def set_parameter(self, name: str, value: torch.Tensor) -> None:
        """For later runs. ttsim.InputError if compilation depended on the old value."""
        self.module.set_parameters(**{name: value})
        self.running.model.set_parameter(name, value)


def _like(tensor: Any, sample: Any) -> Any:
    """Floats in the dtype that the module was captured with."""
    if tensor is None or sample is None or not tensor.dtype.is_floating_point:
        return tensor
    return tensor.to(sample.dtype)


def as_queue(output: torch.Tensor, wide: torch.dtype) -> torch.Tensor:
    """Converts an output as a queue of the device would: floats to its format, integers to 32 bits."""
    if output.dtype.is_floating_point:
        return output.to(wide) if wide.is_floating_point else output
    return output.to(torch.int32) if output.dtype == torch.int64 else output


class OwnForward:
    """Context in which the torch module uses its own forward(), not the redirected one."""

    def __init__(self, module: PyTorchModule) -> None:
        self.module = module

    def __enter__(self) -> None:
        self.kept = self.module.module.__dict__.pop("forward", None)

    def __exit__(self, *_: Any) -> None:
        if self.kept is not None:
            self.module.module.forward = self.kept


class OnnxStage(Stage):
    """An ONNX model."""

    def __init__(self, module: OnnxModule, samples: Sequence[torch.Tensor], settings: Settings) -> None:
        self.module = module
        graph = self.graph = module.graph_of([tuple(sample.shape) for sample in samples])
        wanted = [(info.name, list(info.shape)) for info in graph.inputs]
        given = [list(sample.shape) for sample in samples]
        if [shape for _, shape in wanted] != given:
            raise RuntimeError(f"ONNX module '{module.get_name()}' has inputs {wanted}; samples of shapes {given} were "
                               "pushed (dim 0 is that of the micro-batch, and 1 for the model)")
        self.settings = settings
        self.saved = list(settings.config.op_intermediates_to_save)
        self.make()
        self._shapes = [tuple(info.shape) for info in graph.outputs]

    def make(self) -> None:
        """Compiles the graph."""
        self.compiled = compile_graph(self.graph, self.settings, self.saved, training=self.training_options())

    def evaluate(self, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """Runs the model in onnxruntime."""
        return self.module.cpu_eval_forward(*tensors)

    def shapes(self) -> list[tuple[int, ...]]:
        """Shapes of the outputs for one sample."""
        return self._shapes

    def parameters(self) -> dict[str, Parameter]:
        """None: the model has its own."""
        return {}

    def set_parameter(self, name: str, value: torch.Tensor) -> None:
        """Sets a constant of the model. ttsim.InputError for an unknown name."""
        self.running.model.set_parameter(name, value)


class FrameworkStage(OnnxStage):
    """A model of another framework, converted to ONNX. With a constant batch in the model, a micro-batch is one input of
    the compiled model. What the model keeps between runs returns as its last inputs."""

    def __init__(self, module: FrameworkModule, samples: Sequence[torch.Tensor], settings: Settings) -> None:
        self.module: Any = module
        batch = module.fixed_batch()
        if batch is not None and batch != settings.microbatch:
            raise RuntimeError(f"the inputs of {module!r} have {batch} samples, as a constant of the model; "
                               f"{settings.microbatch} were pushed: push {batch}, or make the model with an open batch")
        self._samples = framework_samples(module, samples)
        self.states = [torch.from_numpy(value) for value in module.states()]
        if self.states and settings.microbatch > 1 and batch is None:
            raise RuntimeError(f"{module!r} keeps values from run to run, so its samples run one after the other; "
                               f"{settings.microbatch} were pushed at once: push one at a time")
        self.settings = settings if batch is None else dataclasses.replace(settings, microbatch=1)
        self.saved = list(settings.config.op_intermediates_to_save)
        self.make()
        first = [tuple(info.shape) for info in self.graph.outputs]
        first = first[:len(first) - len(self.states)]
        self._shapes = [(1, *shape[1:]) if batch is not None and shape else shape for shape in first]

    def make(self) -> None:
        """Converts and compiles the model with its current parameters."""
        with progress.stage(f"module '{self.module.get_name()}': converting from {self.module.framework}"):
            converted = self.module.converted(self._samples)
        self.graph = ttsim.Graph.from_onnx(converted.serialized())
        self.compiled = compile_graph(self.graph, self.settings, self.saved)

    def run(self, tensors: Sequence[torch.Tensor]) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
        """Inputs are brought into the order and the types of the model."""
        results, saved = super().run([*self.module.in_order(tensors), *self.states])
        count = len(results) - len(self.states)
        self.states = [value.to(state.dtype) for value, state in zip(results[count:], self.states)]
        return results[:count], saved

    def parameters(self) -> dict[str, Parameter]:
        """By the framework's names."""
        return {str(parameter.get_name()): parameter for parameter in self.module.get_parameters()}

    def set_parameter(self, name: str, value: torch.Tensor) -> None:
        """Sets it in the framework, and compiles again: converters fold and rearrange parameters."""
        self.module.set_parameters(**{name: value})
        self.compile_again()


def framework_samples(module: FrameworkModule, samples: Sequence[Any]) -> list[torch.Tensor]:
    """Samples with the constant batch of the model, if it has one."""
    batch = module.fixed_batch()
    return [sample if batch is None or not sample.dim() else sample.expand(batch, *sample.shape[1:])
            for sample in samples if sample is not None]


def framework_stages(module: FrameworkModule, samples: Sequence[Any], settings: Settings) -> list[Any]:
    """One stage, or with ops that the framework must run, if CPU fallback is enabled, a stage for each part."""
    try:
        return [FrameworkStage(module, samples, settings)]
    except ttsim.UnsupportedError as error:
        if not settings.config.enable_tvm_cpu_fallback or not hasattr(error, "found"):
            raise
        fixed = module.fixed_batch() is not None
        return list(PartedModel(module, framework_samples(module, samples),
                                dataclasses.replace(settings, microbatch=1) if fixed else settings, error).stages)


def make_stages(modules: Sequence[Any], samples: Sequence[Any], settings: Settings) -> list[Any]:
    """Consecutive PyBudaModules become one stage; the samples of each stage are the outputs of the previous one."""
    stages: list[Any] = []
    at = 0
    while at < len(modules):
        module = modules[at]
        if isinstance(module, PyBudaModule):
            group = [module]
            while at + len(group) < len(modules) and isinstance(modules[at + len(group)], PyBudaModule):
                group.append(modules[at + len(group)])
            stages.append(TraceStage(group, [sample for sample in samples if sample is not None], settings,
                                     settings.input_formats if not stages else ()))
            at += len(group)
        elif isinstance(module, FrameworkModule):
            stages += framework_stages(module, samples, settings)
            at += 1
        else:
            stages.append(_stage_of(module)(module, samples, settings))
            at += 1
        if at < len(modules):
            samples = [torch.zeros(shape) for shape in stages[-1].shapes()]
    return stages


def _stage_of(module: Any) -> Any:
    for kind, stage in ((PyTorchModule, TorchStage), (OnnxModule, OnnxStage)):
        if isinstance(module, kind):
            return stage
    raise RuntimeError(f"{module!r} cannot be compiled; a TTDevice runs modules of pybuda, PyTorch, ONNX, TensorFlow, "
                       "TensorFlow Lite and JAX")
