"""Training of a TTDevice: its stages, the optimizer, and the state of both."""
from __future__ import annotations

import dataclasses
import logging
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import torch
import ttsim

from .device import _kinds
from .module import FrameworkModule, Module, OnnxModule, PyBudaModule, PyTorchModule
from .image_training import ImageTraining
from .module.framework import NO_TRAINING
from .optimizers import Optimizer
from .parameter import Parameter
from .stage import Settings
from .tensor import Tensor
from .trace import trace
from .stage_kinds import make_stages
from .train_stages import (FrozenStage, HostLoss, OnnxTraining, Plan, TorchTraining, TracedTraining, TrainStage, WithLoss,
                           torch_outputs)
from .training import Batch

log = logging.getLogger("pybuda")


class DeviceTraining:
    """`samples` and `targets` have dim 0 = 1. `wanted`: inputs of the device whose gradients are needed. Raises errors
    of compilation, and RuntimeError for what cannot train."""

    def __init__(self, device: Any, samples: Sequence[Any], targets: Sequence[Any], settings: Settings,
                 microbatch_count: int, wanted: Sequence[bool]) -> None:
        self.device, self._settings = device, settings
        self._optimizer: Optimizer | None = device.optimizer
        self._keywords: dict[str, Any] = {"microbatch_count": microbatch_count, "optimizer": "none"}
        self._on_host: _HostOptimizer | None = None
        if self._optimizer is not None:
            if not self._optimizer.parameter_to_opt_inputs:
                self._optimizer.device_params = True  # also of another device
            made = self._optimizer.device_options()
            if made is None:
                warnings.warn(f"device '{device.name}': the chip has no program for {self._optimizer.get_type()}, so "
                              "torch updates the parameters on the host in every step", stacklevel=5)
                self._on_host = _HostOptimizer(self._optimizer)
            else:
                self._keywords |= made
        self.has_loss = device.loss_module is not None
        self._warned = False
        self.stages: list[TrainStage] = []
        self._targets = _kinds(targets)
        self._check_optimizer(wanted)
        self._make(samples, targets, wanted)
        self._check_names()

    # --- compiling

    def _make(self, samples: Sequence[Any], targets: Sequence[Any], wanted: Sequence[bool]) -> None:
        if self.device._image is not None:
            self.stages.append(ImageTraining(self.device._image, self._settings, self._plan(wanted)))
            return
        loss = self.device.loss_module
        modules = [module for module in self.device.modules if module is not loss]
        values, passes = list(samples), list(wanted)
        groups = _groups(modules, self.device.name)
        for place, group in enumerate(groups):
            last = place + 1 == len(groups)
            with_loss = last and isinstance(loss, PyBudaModule) and isinstance(group[0], PyBudaModule)
            stage = self._compiled(group, loss if with_loss else None, values, targets, passes)
            self.stages.append(stage)
            if stage.reads_targets:
                return
            values = self._outputs_of(stage, values)
            passes = [value.dtype.is_floating_point for value in values]
        if loss is not None:
            self.stages.append(self._loss_stage(loss, values, targets, passes))

    def _plan(self, wanted: Sequence[bool]) -> Plan:
        return Plan(wanted, self._chosen, self._keywords)

    def _settings_of(self) -> Settings:
        return self._settings if not self.stages else dataclasses.replace(self._settings, input_formats=())

    def _compiled(self, group: list[Any], loss: PyBudaModule | None, values: list[Any], targets: Sequence[Any],
                  wanted: list[bool]) -> TrainStage:
        if loss is None and not any(wanted) and not self._chosen(_parameters(group)):
            return FrozenStage(make_stages(group, values, self._settings_of())[0])
        if isinstance(group[0], PyTorchModule):
            return TorchTraining(group[0], values, self._settings_of(), self._plan(wanted))
        if isinstance(group[0], OnnxModule):
            return OnnxTraining(group[0], values, self._settings_of(), self._plan(wanted))
        if loss is None:
            return TracedTraining(group, None, 0, values, self._settings_of(), self._plan(wanted))
        try:
            return TracedTraining(group, loss, len(targets), [*values, *targets], self._settings_of(),
                                  self._plan([*wanted, *(False for _ in targets)]))
        except (ttsim.UnsupportedError, ttsim.InputError) as problem:
            stage = TracedTraining(group, None, 0, values, self._settings_of(), self._plan(wanted))
            self.stages.append(stage)  # the model alone can train
            values = self._outputs_of(stage, values)
            return self._host_loss(loss, values, targets, problem)

    def _loss_stage(self, loss: Module, values: list[Any], targets: Sequence[Any], wanted: list[bool]) -> TrainStage:
        given, plan = [*values, *targets], self._plan([*wanted, *(False for _ in targets)])
        try:
            if isinstance(loss, PyTorchModule):
                return TorchTraining(loss, given, self._settings_of(), plan, loss=True)
            assert isinstance(loss, PyBudaModule)
            return TracedTraining([], loss, len(targets), given, self._settings_of(), plan)
        except (ttsim.UnsupportedError, ttsim.InputError) as problem:  # no ops, or only steps of the host
            return self._host_loss(loss, values, targets, problem)

    def _host_loss(self, loss: Module, values: list[Any], targets: Sequence[Any], problem: Exception) -> HostLoss:
        if list(loss.get_parameters()):
            raise problem
        warnings.warn(f"device '{self.device.name}': the loss '{loss.get_name()}' runs in torch on the host, since it "
                      f"cannot be compiled: {problem}", stacklevel=8)
        if isinstance(loss, PyTorchModule):
            return HostLoss(lambda tensors: torch_outputs(loss, {}, tensors), self._settings.microbatch)
        assert isinstance(loss, PyBudaModule)
        whole = WithLoss([], loss, len(targets))
        given = [*values, *targets]
        made = trace([whole], list(zip(whole.forward_names(len(given)), [Tensor.create_from_torch(one) for one in given])))
        return HostLoss(made.evaluate, self._settings.microbatch)

    def _outputs_of(self, stage: Any, values: list[Any]) -> list[torch.Tensor]:
        with torch.no_grad():
            return [value.detach() for value in stage.reference({}, values)]

    def _chosen(self, parameters: Mapping[str, Parameter]) -> list[str]:
        """Those that require gradients, and that the optimizer updates if it has a list."""
        return [name for name in self._able(parameters) if self._optimizer is None or self._optimizer.takes(name)]

    def _able(self, parameters: Mapping[str, Parameter]) -> list[str]:
        return [name for name, one in parameters.items()
                if one.requires_grad and one.pt_data_format.is_floating_point]

    def _check_names(self) -> None:
        names = [name for stage in self._trained_stages() for name in stage.trained]
        twice = [name for name in names if names.count(name) > 1]
        if twice:
            raise RuntimeError(f"device '{self.device.name}': two modules have a parameter '{twice[0]}', and parameters "
                               "of a device are known by name; place the modules on two TTDevices")
        if self._optimizer is not None:
            self._optimizer.set_parameters_to_optimize(
                [one for one in self.device.get_parameters(False) if one.get_name() in names
                 and one.get_name() not in self._optimizer.parameter_to_opt_inputs])

    def _check_optimizer(self, wanted: Sequence[bool]) -> None:
        """RuntimeError for parameters of the optimizer that the modules do not have, and if there is nothing to train."""
        able = self._able(_parameters(self.device.modules))
        unknown = [] if self._optimizer is None or self._optimizer.device_params else \
            [name for name in self._optimizer.parameter_to_opt_inputs if name not in able]
        if unknown:
            raise RuntimeError(f"the optimizer of device '{self.device.name}' has a parameter '{unknown[0]}', which its "
                               f"modules do not train; they have {', '.join(able) or 'none that requires gradients'}")
        if self.has_loss and not able and not any(wanted):
            raise RuntimeError(f"device '{self.device.name}' has the loss, and nothing to train: no parameter or input "
                               "requires gradients; call set_requires_grad(True) of some")

    def compiled_stages(self) -> list[Any]:
        """Stages on the chip."""
        return [stage.inner if isinstance(stage, FrozenStage) else stage for stage in self.stages
                if not isinstance(stage, HostLoss)]

    def _check_targets(self, targets: Sequence[Batch]) -> None:
        """RuntimeError for others than it was compiled for."""
        sizes = (1, self._settings.microbatch)
        for batch in targets if self.has_loss else []:
            if _kinds(batch) != self._targets or any(one.dim() and one.shape[0] not in sizes for one in batch):
                shown = ", ".join(str(list(one.shape)) for one in batch)
                wanted = ", ".join(str([self._settings.microbatch, *kind[0]]) for kind in self._targets if kind)
                raise RuntimeError(f"targets of shapes {shown} were pushed to device '{self.device.name}'; it was compiled "
                                   f"for {wanted}: push such tensors, or call pybuda.shutdown() to compile anew")

    def _trained_stages(self) -> list[Any]:
        return [stage for stage in self.stages
                if isinstance(stage, (TorchTraining, TracedTraining, OnnxTraining, ImageTraining))]

    def start(self, samples: Sequence[Any], targets: Sequence[Any]) -> None:
        """Begins the sessions, and loads the optimizer's state. RuntimeError for a parameter without a gradient."""
        values: list[Any] = list(samples)
        compiled = self._trained_stages()
        for stage in self.compiled_stages():
            if stage not in compiled:
                stage.start()
        for stage in self.stages:
            given = [*values, *targets] if stage.reads_targets else values
            own: Any = stage
            if own in compiled:
                own.check_trained({name: one.value() for name, one in own.parameters().items() if one.has_value()}, given)
            values = self._outputs_of(stage, given)
        if self._optimizer is not None:
            self.set_state(self._optimizer.parameter_to_opt_inputs)

    # --- running

    def forward(self, batches: Sequence[Batch], targets: Sequence[Batch]) -> list[Batch]:
        """Outputs of each micro-batch, or its losses."""
        self._check_targets(targets)
        values = list(batches)
        for stage in self.stages:
            given = [[*batch, *target] for batch, target in zip(values, targets)] if stage.reads_targets else values
            values = stage.forward(given)
        return values

    def saved_results(self) -> list[Batch]:
        """Results of the ops in op_intermediates_to_save, of each micro-batch of the last forward pass."""
        parts = [found for stage in self.stages if (found := getattr(stage, "saved_results", ()))]
        return [[value for one in batch for value in one] for batch in zip(*parts)]

    def backward(self, gradients: Sequence[Batch] | None, clear: bool, count: int) -> list[Batch]:
        """Gradients of the inputs of `count` micro-batches."""
        for stage in reversed(self.stages):
            gradients = stage.backward(None if stage.reads_targets else gradients, clear, count)
        return list(gradients or [])

    def step(self) -> None:
        """Runs the optimizer's program, or torch's optimizer on the host."""
        first: Any = self.stages[0]
        if isinstance(first, ImageTraining) and first.has_optimizer:
            first.trainer.step()
            return
        if self._optimizer is None:
            if not self._warned and any(stage.trained for stage in self._trained_stages()):
                log.warning("device '%s' has no optimizer, so its parameters stay; pass optimizer= to TTDevice, or set "
                            "them with update_device_parameters()", self.device.name)
            self._warned = True
            return
        for stage in self._trained_stages():
            if not stage.trainer.parameters:
                continue
            if self._on_host is not None:
                self._on_host.step(stage.trainer)
            else:
                stage.trainer.set_learning_rate(self._optimizer.learning_rate)
                stage.trainer.step()

    def schedule(self) -> None:
        """Steps the scheduler, if there is one."""
        if self.device.scheduler is not None:
            self.device.scheduler.step()

    # --- state

    def gradients(self) -> dict[str, torch.Tensor]:
        """Summed gradients by parameter."""
        return {info.name: torch.from_numpy(stage.trainer.gradient(info.name).copy())
                for stage in self._trained_stages() for info in stage.trainer.parameters}

    def values(self) -> dict[str, torch.Tensor]:
        """Values on the device of parameters that require gradients; of others that do, those of the module."""
        made = {str(one.get_name()): one.value().detach().clone() for one in self.device.get_parameters(False)
                if one.requires_grad and one.has_value()}
        for stage in self._trained_stages():
            made |= {info.name: torch.from_numpy(stage.trainer.parameter(info.name).copy())
                     for info in stage.trainer.parameters}
        return made

    def state(self) -> dict[str, dict[str, Tensor]]:
        """The optimizer's state on the device by parameter, under the names of pybuda's optimizers. With dropouts also
        the number of samples so far, on which the masks depend."""
        if self._optimizer is None or self._on_host is not None:
            return {}
        made: dict[str, dict[str, Tensor]] = {}
        for stage in self._trained_stages():
            count = {"samples": Tensor.create_from_torch(torch.tensor([stage.trainer.samples], dtype=torch.int32))} \
                if _draws(stage) else {}
            made |= {info.name: self._optimizer.read_state(stage.trainer, info.name) | count
                     for info in stage.trainer.parameters}
        return made

    def set_state(self, state: Mapping[str, Mapping[str, Any]]) -> None:
        """Gives the device the optimizer's state."""
        if self._optimizer is not None and self._on_host is None:
            for stage in self._trained_stages():
                self._optimizer.load_state(stage.trainer, state)
                counts = [state[info.name]["samples"] for info in stage.trainer.parameters
                          if "samples" in state.get(info.name, {})]
                if counts and _draws(stage):
                    stage.trainer.samples = int(counts[0].value().reshape(-1)[0])

    def needs_gradients(self) -> bool:
        """Whether parameters are trained, or earlier devices wait for gradients."""
        return any(stage.trained or any(stage.wanted) for stage in self._trained_stages())


def _draws(stage: Any) -> bool:
    """Whether it has dropouts on the device."""
    return any(op.type == "dropout" for op in stage.compiled.layout.ops)


class _HostOptimizer:
    """Updates parameters of the device by torch."""

    def __init__(self, optimizer: Optimizer) -> None:
        self._optimizer = optimizer
        self._held: dict[str, torch.nn.Parameter] = {}
        self._torch: dict[str, torch.optim.Optimizer] = {}

    def step(self, trainer: ttsim.Trainer) -> None:
        """One step on all parameters of a trainer."""
        for info in trainer.parameters:
            held = self._held.setdefault(info.name, torch.nn.Parameter(torch.zeros(tuple(info.shape))))
            with torch.no_grad():
                held.copy_(torch.from_numpy(trainer.parameter(info.name)))
            held.grad = torch.from_numpy(trainer.gradient(info.name).copy())
            if info.name not in self._torch:
                self._torch[info.name] = self._optimizer.get_pytorch_optimizer({info.name: held})
            for group in self._torch[info.name].param_groups:
                group["lr"] = self._optimizer.learning_rate
            self._torch[info.name].step()
            trainer.set_parameter(info.name, held.detach())


def _parameters(group: Sequence[Any]) -> dict[str, Parameter]:
    return {str(one.get_name()): one for module in group for one in module.get_parameters()}


def _groups(modules: Sequence[Any], device: str) -> list[list[Any]]:
    """Consecutive PyBudaModules together, others alone. RuntimeError for modules that do not train."""
    groups: list[list[Any]] = []
    for module in modules:
        if not isinstance(module, (PyBudaModule, PyTorchModule, OnnxModule)):
            raise RuntimeError(f"{module!r} of device '{device}' runs only inference; train a PyTorchModule, an OnnxModule "
                               "or a PyBudaModule")
        if groups and isinstance(module, PyBudaModule) and isinstance(groups[-1][0], PyBudaModule):
            groups[-1].append(module)
        else:
            groups.append([module])
    return groups


def check_trainable(device: Any, settings: Any) -> None:
    """RuntimeError for a device and a configuration that do not train."""
    refused = [("compile_subgraphs", settings.compile_subgraphs, "set it to False"),
               ("loopback_outputs", bool(settings.loopback_outputs), "set it to {}"),
               ("a device image", device._image is not None and not device._image.is_compiled_for_training(),
                "an image for inference has only its forward program; write it by compile_to_image(training=True)")]
    for what, used, remedy in refused:
        if used:
            raise RuntimeError(f"device '{device.name}' cannot train with {what}: {remedy}")
    if not device.modules:
        raise RuntimeError(f"device '{device.name}' has no module; add one with place_module()")
    for module in device.modules if device._image is None else []:
        if isinstance(module, FrameworkModule):
            raise RuntimeError(f"{module!r} of device '{device.name}' cannot train: {NO_TRAINING}")
