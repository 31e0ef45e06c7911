"""Stages of a device that trains: modules compiled with a backward program, and losses that the host computes."""
from __future__ import annotations

import abc
import dataclasses
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy
import torch
import ttsim
import ttsim.torch

from .batch_statistics import BatchStatistics
from .dropout_masks import mask_seed, masks_of_device
from .module import OnnxModule, PyBudaModule, PyTorchModule
from .parameter import Parameter
from .stage import Settings, compile_graph, narrowed, wide
from .stage_kinds import OnnxStage, OwnForward, TorchStage, TraceStage
from .training import Batch
from .utils import flatten

Values = Mapping[str, torch.Tensor]
SAVED_SUFFIXES = ("_intermediate_output", ".intermediate")  # of outputs that are saved results of ops


@dataclasses.dataclass
class Plan:
    """`wanted`: inputs of a stage whose gradients are needed; `choose`: names of the parameters to train, of all by
    name; `keywords` of ttsim.compile() for the optimizer and the number of micro-batches."""
    wanted: Sequence[bool]
    choose: Callable[[Mapping[str, Parameter]], list[str]]
    keywords: Mapping[str, Any]


class TrainStage(Protocol):
    """Forward and backward passes of a part of a device. `reads_targets`: inputs are followed by targets."""
    reads_targets: bool

    def forward(self, batches: Sequence[Batch]) -> list[Batch]:
        """Outputs of each micro-batch."""

    def backward(self, gradients: Sequence[Batch] | None, clear: bool, count: int) -> list[Batch]:
        """Gradients of the inputs of the first `count` micro-batches that had none; `gradients` None: the outputs are
        losses."""

    def reference(self, values: Values, tensors: Sequence[Any], sample: int = 0) -> list[torch.Tensor]:
        """Outputs of one sample in torch, with parameters of these values and the dropouts of sample `sample`."""


class WithLoss:
    """PyBudaModules and their loss, traced as one module; the last inputs are the targets."""

    def __init__(self, modules: Sequence[PyBudaModule], loss: PyBudaModule, targets: int) -> None:
        self.modules, self.loss, self.targets = list(modules), loss, targets

    def get_name(self) -> str:
        """Of the loss, after which the outputs are named."""
        return self.loss.get_name()

    def forward_names(self, count: int) -> list[str]:
        """Names of inputs, then of targets."""
        names = ["target"] if self.targets == 1 else [f"target_{place}" for place in range(self.targets)]
        return self.modules[0].forward_names(count - self.targets) + names if self.modules else \
            self.loss.forward_names(count)

    def named_parameters(self) -> dict[str, Parameter]:
        """Of all modules."""
        return {name: one for module in [*self.modules, self.loss] for name, one in module.named_parameters().items()}

    def trace_forward(self, *tensors: Any) -> list[Any]:
        """The losses: forward(output, target), or of tuples if there are several."""
        values, targets = list(tensors[:-self.targets]), list(tensors[-self.targets:])
        for module in self.modules:
            values = module.trace_forward(*values)
        if len(values) == len(targets) == 1:
            return self.loss.trace_forward(values[0], targets[0])
        return flatten(self.loss(tuple(values), tuple(targets)))


def saved_op(output: str) -> str | None:
    """The op whose saved result an output is; None for other outputs."""
    return next((output.removesuffix(suffix) for suffix in SAVED_SUFFIXES if output.endswith(suffix)), None)


class _Compiled:
    """A stage on the simulated chip. Subclasses add a stage that traces or imports modules. `wanted`: inputs whose
    gradients are needed; `choose`: names of the parameters to train, of all by name."""
    reads_targets = False
    losses = False
    trains = True
    settings: Settings
    graph: Any
    compiled: Any
    saved: list[str]  # ops whose results are saved
    saved_results: Sequence[Batch] = ()  # of each micro-batch of the last forward pass

    def begin(self, plan: Plan, where: str) -> None:
        """Sets how the stage is compiled. `where`: its device and modules."""
        self.plan = plan
        self.batch = 0  # samples of a micro-batch, if it is compiled for whole ones
        self.dropout_seed = mask_seed(where)
        self.wanted = list(plan.wanted)
        self.trained: list[str] = []
        self._trainer: ttsim.Trainer | None = None
        self._forms: list[list[tuple[int, ...]]] = []

    def options(self, inputs: Sequence[str | None], parameters: Mapping[str, Parameter],
                outputs: Sequence[str]) -> dict[str, Any]:
        """Keywords of ttsim.compile() for inputs in the order of the stage."""
        self.trained = self.plan.choose(parameters)
        gradients = [name for name, wanted in zip(inputs, self.wanted) if wanted and name is not None]
        return {**self.plan.keywords, "training": True, "input_gradients": gradients, "train": self.trained,
                "freeze": [] if self.trained else ["*"], "losses": list(outputs) if self.losses else [],
                "dropout_seed": self.dropout_seed, **_recompute(self.settings.config)}

    def set_parameter(self, name: str, value: torch.Tensor) -> None:
        """On the device. RuntimeError for a parameter that is not trained."""
        if name not in {info.name for info in self.trainer.parameters}:
            raise RuntimeError(f"parameter '{name}' is not trained, and compiled as a constant; set it in the module "
                               "before the pipeline is compiled")
        self.trainer.set_parameter(name, value)

    @property
    def trainer(self) -> ttsim.Trainer:
        """Begins the session on the device."""
        if self._trainer is None:
            self._trainer = ttsim.Trainer(self.compiled, **self.settings.session)
        return self._trainer

    def on_chip(self) -> Any:
        """The trainer; None before it ran."""
        return self._trainer

    def run_forward(self, given: Mapping[str, torch.Tensor], count: int) -> list[Batch]:
        """Outputs of `count` micro-batches, for inputs with all samples along a new axis."""
        results = self.trainer.forward(given)
        samples = count * self.settings.microbatch

        def parts(infos: Sequence[Any]) -> list[Batch]:
            return _split([_wide_result(results[info.name], samples, tuple(info.shape)) for info in infos], count)
        self.saved_results = parts(self._saved_outputs()) if self.saved else ()
        return parts(self.own_outputs())

    def own_outputs(self) -> list[Any]:
        """Outputs of the module; those of the graph may be followed by saved results of ops."""
        outputs: list[Any] = list(self.graph.outputs)
        return outputs

    def _saved_outputs(self) -> list[Any]:
        """In the order of the option. RuntimeError for results of the backward pass."""
        own = {info.name for info in self.own_outputs()}
        extra = {info.name: info for info in self.compiled.outputs if info.name not in own}
        found = []
        for name in self.saved:
            info = next((extra[name + suffix] for suffix in SAVED_SUFFIXES if name + suffix in extra), None)
            if info is None or name.startswith(("bw_", "opt_")):
                raise RuntimeError(f"op_intermediates_to_save: '{name}' is no op of the forward pass of device "
                                   f"'{self.settings.device.name}'; results of forward ops are saved in training")
            found.append(info)
        return found

    def run_backward(self, gradients: Sequence[Batch] | None, clear: bool, count: int) -> dict[str, torch.Tensor]:
        """Gradients of inputs by name, with all samples along a new axis."""
        own = self.own_outputs()
        samples = count * self.settings.microbatch
        given = {info.name: torch.zeros((samples, *info.shape)) for info in list(self.graph.outputs)[len(own):]}
        if gradients is not None:
            for place, info in enumerate(own):
                if not info.type.name.startswith(("F", "BF")):
                    continue
                shape = (samples, *info.shape)
                parts = [one[place] for one in gradients]
                given[info.name] = torch.zeros(shape) if parts[0] is None else \
                    torch.cat([part.detach().float().reshape(-1) for part in parts]).reshape(shape)
        return {name: torch.from_numpy(numpy.array(value)) for name, value in
                self.trainer.backward(given, clear, count * self.settings.microbatch).items()}

    def input_gradients(self, found: Mapping[str, torch.Tensor], names: Sequence[str | None], count: int) -> list[Batch]:
        """For each of the `count` micro-batches of the last backward, in the shapes of its inputs."""
        made: list[Batch] = []
        forms, self._forms = self._forms[:count], self._forms[count:]
        for place, shapes in enumerate(forms):
            batch: Batch = []
            for name, shape, wanted in zip(names, shapes, self.wanted):
                if not wanted or name is None or name not in found:
                    batch.append(None)
                    continue
                own = found[name].reshape(count, self.batch or self.settings.microbatch, -1)[place]
                batch.append((own if own.numel() == numpy.prod(shape, dtype=int) else own.sum(0)).reshape(shape))
            made.append(batch)
        return made

    def check_trained(self, values: Values, samples: Sequence[Any]) -> None:
        """RuntimeError if a parameter or an input has a gradient in torch and none on the device, and for results to
        save that the forward pass does not have."""
        self._saved_outputs()
        leaves = {name: value.detach().float().requires_grad_(name in self.trained) for name, value in values.items()}
        noise = torch.Generator().manual_seed(0)  # so that few gradients are 0 by chance
        inputs = [(sample.detach().float() + torch.rand(sample.shape, generator=noise)).requires_grad_(wanted)
                  if sample is not None and sample.dtype.is_floating_point else sample
                  for sample, wanted in zip(samples, [*self.wanted, *([False] * len(samples))])]
        outputs = [one for one in self.reference(leaves, inputs) if one.requires_grad]
        if outputs:
            torch.autograd.backward([one.sum() for one in outputs])
        there = {info.name for info in self.trainer.parameters}
        given = {info.name for info in self.compiled.outputs}
        lost = [f"parameter '{name}'" for name in self.trained if _has_gradient(leaves[name]) and name not in there]
        lost += [f"result '{name[5:]}'" for name in self._foreign_gradients()]
        lost += [f"input '{name}'" for name, one in zip(self.input_names(), inputs)
                 if one is not None and _has_gradient(one) and f"grad_{name}" not in given]
        if lost:
            steps = ", ".join(dict.fromkeys(f"{step.origin} ({step.op})" for step in self.compiled.host_steps))
            raise RuntimeError(f"{lost[0]} has no gradient on the device: the host computes {steps or 'ops beside it'}, "
                               "and gradients do not pass host steps; place this part of the module on a CPUDevice, or "
                               "set requires_grad to False")

    def _foreign_gradients(self) -> list[str]:
        """Queues of gradients of results that the host goes on computing with, instead of outputs."""
        own = ["loss_" + re.sub(r"\W", "_", info.name) for info in self.graph.outputs]
        return [queue.name for queue in self.compiled.layout.queues if queue.name.startswith("loss_")
                and not any(queue.name == name or queue.name.startswith(name + "_") for name in own)]

    def input_names(self) -> list[str | None]:
        """Of the graph, in the order of the stage's inputs; None: it does not read this one."""
        raise NotImplementedError

    def reference(self, values: Values, tensors: Sequence[Any], sample: int = 0) -> list[torch.Tensor]:
        """Outputs of one sample in torch, with parameters of these values."""
        raise NotImplementedError


def _recompute(config: Any) -> dict[str, Any]:
    """Keywords of ttsim.compile() for what the backward program reads and what it computes again. RuntimeError for
    checkpoints without enable_recompute."""
    made = {"recompute": bool(config.enable_recompute), "checkpoints": [str(one) for one in config.recompute_checkpoints],
            "saved_limit": int(config.recompute_saved_limit)}
    if not made["recompute"] and (made["checkpoints"] or made["saved_limit"]):
        raise RuntimeError("recompute_checkpoints and recompute_saved_limit choose what is saved when the backward "
                           "program computes values again: set enable_recompute=True, or leave them out")
    return made


def _has_gradient(value: torch.Tensor) -> bool:
    return value.grad is not None and bool(value.grad.any())


def _wide_result(values: numpy.ndarray, samples: int, shape: tuple[int, ...]) -> torch.Tensor:
    result = torch.from_numpy(numpy.array(values)).reshape(samples, *shape)
    return result.flatten(0, 1) if shape else result


def _split(results: Sequence[torch.Tensor], count: int) -> list[Batch]:
    return [[result.chunk(count)[place] for result in results] for place in range(count)]


def _expanded(tensor: torch.Tensor, samples: int) -> torch.Tensor:
    return tensor.expand(samples, *tensor.shape[1:]) if tensor.shape[0] == 1 != samples else tensor


class OfGraphInputs(_Compiled):
    """A stage whose tensors are the inputs of its graph, in order, without those that are None."""

    @abc.abstractmethod
    def input_names(self) -> list[str | None]:
        """Of the model."""

    def forward(self, batches: Sequence[Batch]) -> list[Batch]:
        """Outputs of each micro-batch."""
        given = {}
        batches = [[tensor for tensor in batch if tensor is not None] for batch in batches]
        self._forms = [[tuple(tensor.shape) for tensor in batch] for batch in batches]
        for place, info in enumerate(self.graph.inputs):
            parts = [_expanded(batch[place], self.settings.microbatch) for batch in batches]
            given[info.name] = torch.cat(parts).reshape(-1, *info.shape).detach()
        return self.run_forward(given, len(batches))

    def backward(self, gradients: Sequence[Batch] | None, clear: bool, count: int) -> list[Batch]:
        """Gradients of the inputs of each micro-batch."""
        return self.input_gradients(self.run_backward(gradients, clear, count), self.input_names(), count)


class TracedTraining(OfGraphInputs, TraceStage):
    """PyBudaModules, with a loss of pybuda's ops as their last part or alone."""

    def __init__(self, modules: Sequence[PyBudaModule], loss: PyBudaModule | None, targets: int,
                 samples: Sequence[Any], settings: Settings, plan: Plan) -> None:
        parts = [*modules, *([loss] if loss is not None else [])]
        self.begin(plan, " ".join([settings.device.name, *(one.get_name() for one in parts)]))
        self.wanted = [one for one, sample in zip(plan.wanted, samples) if sample is not None]
        self.losses = self.reads_targets = loss is not None
        traced: list[Any] = list(modules) if loss is None else [WithLoss(modules, loss, targets)]
        TraceStage.__init__(self, traced, [sample for sample in samples if sample is not None], settings,
                            settings.input_formats)

    def own_outputs(self) -> list[Any]:
        """Of the trace."""
        return list(self.graph.outputs)[:len(self.trace.outputs)]

    def training_options(self) -> dict[str, Any]:
        """For the backward program and the optimizer."""
        return self.options(self.input_names(), self.trace.parameters, [name for name, _ in self.trace.outputs])

    def input_names(self) -> list[str | None]:
        """Of the trace."""
        return [name for name, _ in self.trace.inputs]

    def set_parameter(self, name: str, value: torch.Tensor) -> None:
        """On the device and in the module."""
        super().set_parameter(name, value)
        self.trace.parameters[name].set_value(value)

    def reference(self, values: Values, tensors: Sequence[Any], sample: int = 0) -> list[torch.Tensor]:
        """Outputs of one sample in torch, with parameters of these values."""
        with masks_of_device(self.dropout_seed, sample):
            return self.trace.evaluate(wide([tensor for tensor in tensors if tensor is not None]), parameters=values)


class TorchTraining(_Compiled, TorchStage):
    """A torch module, captured without host parts. As a loss its last inputs are the targets. With batch norms in
    training mode it is compiled for whole micro-batches."""

    def __init__(self, module: PyTorchModule, samples: Sequence[Any], settings: Settings, plan: Plan,
                 loss: bool = False) -> None:
        self.begin(plan, f"{settings.device.name} {module.get_name()}")
        self.losses = self.reads_targets = loss
        self.statistics = BatchStatistics(module.module)
        if self.statistics:
            _check_batch(module, loss)
            self.batch = settings.microbatch
            settings = dataclasses.replace(settings, microbatch=1)
            samples = self._whole(samples)
        TorchStage.__init__(self, module, samples, settings)

    def _whole(self, tensors: Sequence[Any]) -> list[Any]:
        """Tensors of a whole micro-batch; those with one sample are for all."""
        return [tensor if tensor is None or tensor.dim() == 0 else _expanded(tensor, self.batch) for tensor in tensors]

    def make(self) -> None:
        """Captures and compiles the module."""
        if self.losses:
            self.saved = []  # names of ops are those of the model
        args, kwargs = self.module.call_arguments(self._samples)
        with OwnForward(self.module), self.statistics.returned():
            self.imported = ttsim.torch.import_module(self.module.module, args, kwargs, name=self.module.get_name(),
                                                      fallback=False, training=True)
        if not self.imported.from_device:
            raise RuntimeError(f"module '{self.module.get_name()}' returns an input, a constant or one result twice, "
                               "which has no gradient of its own on the device; return each computed result once")
        self.graph = self.imported.graph
        named = {name: one for name, one in self.parameters().items() if name in self.imported.parameters}
        training = self.options(self.input_names(), named, [info.name for info in self.graph.outputs])
        self.compiled = compile_graph(self.graph, self.settings, self.saved, training=training, device_comparisons=True)

    def input_names(self) -> list[str | None]:
        """Of the graph, for the tensors of a call."""
        return [name if name in self.imported.inputs else None for name in self.imported.input_names]

    def set_parameter(self, name: str, value: torch.Tensor) -> None:
        """On the device and in the module."""
        super().set_parameter(name, value)
        self.module.set_parameters(**{name: value})

    def forward(self, batches: Sequence[Batch]) -> list[Batch]:
        """Outputs of each micro-batch."""
        batches = [self._cast(batch) for batch in batches]
        self._forms = [[tuple(tensor.shape) for tensor in batch if tensor is not None] for batch in batches]
        rows: list[list[torch.Tensor]] = []
        with torch.no_grad():
            for batch in batches:
                parts = [self._whole(batch)] if self.batch else \
                    [narrowed(batch, at) for at in range(self.settings.microbatch)]
                for part in parts:
                    args, kwargs = self.module.call_arguments(part)
                    rows.append(self.imported.device_inputs(*args, **kwargs))
        given = {name: torch.stack([row[place] for row in rows]) for place, name in enumerate(self.imported.inputs)}
        found = self.run_forward(given, len(batches))
        order = [[info.name for info in self.graph.outputs].index(name) for name in self.imported.outputs]
        results = [[batch[place] for place in order] for batch in found]
        count = len(order) - self.statistics.results
        for result in results:
            self.statistics.update(result[count:])
        return [result[:count] for result in results]

    def backward(self, gradients: Sequence[Batch] | None, clear: bool, count: int) -> list[Batch]:
        """Gradients of the inputs of each micro-batch."""
        if gradients is not None:
            order = [self.imported.outputs.index(info.name) for info in self.graph.outputs]
            rest = [None] * self.statistics.results
            gradients = [[[*batch, *rest][place] for place in order] for batch in gradients]
        return self.input_gradients(self.run_backward(gradients, clear, count), self.input_names(), count)

    def reference(self, values: Values, tensors: Sequence[Any], sample: int = 0) -> list[torch.Tensor]:
        """Outputs of one sample in torch, with parameters of these values; of a micro-batch if it is compiled for whole
        ones, where a sample stands for all."""
        if not self.batch:
            with masks_of_device(self.dropout_seed, sample):
                return torch_outputs(self.module, values, tensors)
        one = all(tensor is None or tensor.dim() == 0 or tensor.shape[0] == 1 for tensor in tensors)
        with masks_of_device(self.dropout_seed, sample // self.batch):
            found = torch_outputs(self.module, {**self.statistics.buffers(), **values}, self._whole(tensors))
        return narrowed(found) if one else found


class OnnxTraining(OfGraphInputs, OnnxStage):
    """An ONNX model. Its references have no gradients, since onnxruntime computes none."""

    def __init__(self, module: OnnxModule, samples: Sequence[Any], settings: Settings, plan: Plan) -> None:
        self.begin(plan, f"{settings.device.name} {module.get_name()}")
        OnnxStage.__init__(self, module, samples, settings)

    def training_options(self) -> dict[str, Any]:
        """For the backward program and the optimizer."""
        return self.options(self.input_names(), self.parameters(), [info.name for info in self.graph.outputs])

    def input_names(self) -> list[str | None]:
        """Of the model."""
        return [info.name for info in self.graph.inputs]

    def parameters(self) -> dict[str, Parameter]:
        """By name."""
        return {str(one.get_name()): one for one in self.module.get_parameters()}

    def set_parameter(self, name: str, value: torch.Tensor) -> None:
        """On the device and in the module."""
        _Compiled.set_parameter(self, name, value)
        self.parameters()[name].set_value(value)

    def reference(self, values: Values, tensors: Sequence[Any], sample: int = 0) -> list[torch.Tensor]:
        """Outputs of one sample in onnxruntime, with parameters of these values; without any, those of the device."""
        if not values and self._trainer is not None:
            values = {info.name: torch.from_numpy(self._trainer.parameter(info.name).copy())
                      for info in self._trainer.parameters}
        found: list[torch.Tensor] = self.module.with_values(values).forward(*wide(tensors))
        return found


class FrozenStage:
    """Modules of which nothing is trained, and before which nothing needs gradients: they run as in inference."""
    reads_targets = False

    def __init__(self, stage: Any) -> None:
        self.inner = stage
        self.saved_results: list[Batch] = []

    def forward(self, batches: Sequence[Batch]) -> list[Batch]:
        """Outputs of each micro-batch."""
        results = [self.inner.run(batch) for batch in batches]
        self.saved_results = [saved for _, saved in results]
        return [outputs for outputs, _ in results]

    def backward(self, gradients: Sequence[Batch] | None, clear: bool, count: int) -> list[Batch]:
        """None."""
        return [[] for _ in range(count)]

    def reference(self, values: Values, tensors: Sequence[Any], sample: int = 0) -> list[torch.Tensor]:
        """Outputs of one sample in torch."""
        found: list[torch.Tensor] = self.inner.evaluate_sample(wide(tensors))
        return found


class HostLoss:
    """A loss of a device that the chip has no ops for: torch computes it on the host, sample by sample. `losses`: of
    the outputs and targets of a sample."""
    reads_targets = True

    def __init__(self, losses: Callable[[Sequence[Any]], list[torch.Tensor]], microbatch: int) -> None:
        self._losses, self._microbatch = losses, microbatch
        self._saved: list[tuple[list[Any], torch.Tensor]] = []

    def forward(self, batches: Sequence[Batch]) -> list[Batch]:
        """The losses of the samples of each micro-batch."""
        found: list[Batch] = []
        self._saved = []
        for batch in batches:
            leaves = [tensor.detach().float().requires_grad_() if tensor.dtype.is_floating_point else tensor
                      for tensor in batch]
            samples = [self._losses(narrowed(leaves, at)) for at in range(self._microbatch)]
            total = torch.stack([value.sum() for sample in samples for value in sample]).sum()
            self._saved.append((leaves, total))
            found.append([(torch.cat(values) if values[0].dim() else torch.stack(values)).detach()
                          for values in zip(*samples)])
        return found

    def backward(self, gradients: Sequence[Batch] | None, clear: bool, count: int) -> list[Batch]:
        """Gradients of the inputs."""
        taken, self._saved = self._saved[:count], self._saved[count:]
        for _, total in taken:
            torch.autograd.backward(total)
        return [[leaf.grad if leaf.requires_grad else None for leaf in leaves] for leaves, _ in taken]

    def reference(self, values: Values, tensors: Sequence[Any], sample: int = 0) -> list[torch.Tensor]:
        """The losses of one sample."""
        return self._losses(tensors)


def torch_outputs(module: Any, values: Values, tensors: Sequence[Any]) -> list[torch.Tensor]:
    """Outputs of a PyTorchModule in float32, with parameters of these values, in the mode that its parts have."""
    short = {name: value.float() for name, value in [*module.module.named_parameters(), *module.module.named_buffers()]
             if value.dtype in (torch.float16, torch.bfloat16)}
    args, kwargs = module.call_arguments(wide(tensors))
    with OwnForward(module):
        return flatten(torch.func.functional_call(module.module, short | dict(values), args, kwargs))


def _check_batch(module: PyTorchModule, loss: bool) -> None:
    """RuntimeError for batch norms in training mode where there is no micro-batch to take statistics of."""
    if loss:
        raise RuntimeError(f"loss '{module.get_name()}' has batch norms in training mode, and a loss is compiled for one "
                           "sample; call its eval(), or move them to the module before it")
