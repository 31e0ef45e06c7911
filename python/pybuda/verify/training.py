"""Steps of training in torch, beside those of devices, and their comparison."""
from __future__ import annotations

import copy
import logging
from collections.abc import Sequence
from typing import Any

import torch

from ..cpudevice import CPUDevice
from ..stage import narrowed
from ..train_stages import OnnxTraining, torch_outputs
from ..training import Batch
from ..upper_layers import offered
from .compare import compare_tensor_to_golden
from .config import VerifyConfig

log = logging.getLogger("pybuda")


class _Copy:
    """Parameters of a device in float32, with torch's optimizers."""

    def __init__(self, device: Any) -> None:
        self.device = device
        self.optimizers: list[torch.optim.Optimizer] = []
        self.schedulers: list[Any] = []
        self.values: list[dict[str, torch.Tensor]] = []  # of each module or stage
        self._samples = 0  # of forward() so far
        (self._of_host if isinstance(device, CPUDevice) else self._of_chip)(device)

    def _of_host(self, device: Any) -> None:
        for module in device.modules:
            own = copy.deepcopy(module.module)
            self.values.append({**dict(own.named_parameters()), **dict(own.named_buffers())})
            if device.optimizer_f is not None and any(value.requires_grad for value in own.parameters()):
                self.optimizers.append(device.optimizer_f(own))
                if device.scheduler_f is not None:
                    self.schedulers.append(device.scheduler_f(self.optimizers[-1]))

    def _of_chip(self, device: Any) -> None:
        for stage in device.training.stages:
            trained = getattr(stage, "trained", [])
            if isinstance(stage, OnnxTraining):
                log.warning("device '%s': onnxruntime computes no gradients, so only outputs are compared, with the weights "
                            "of the device", device.name)
                trained = []
            own = {name: torch.nn.Parameter(one.value().detach().float().clone(), requires_grad=name in trained)
                   for name, one in (stage.parameters() if trained else {}).items() if name in trained}
            self.values.append(dict(own))
            if own and device.optimizer is not None:
                self.optimizers.append(device.optimizer.get_pytorch_optimizer(own))

    def parameters(self) -> dict[str, torch.Tensor]:
        """All by name."""
        return {name: value for values in self.values for name, value in values.items()
                if isinstance(value, torch.nn.Parameter)}

    def forward(self, batch: Batch, targets: Batch, scale: float) -> Batch:
        """Outputs, or scaled losses."""
        device, values = self.device, list(batch)
        if isinstance(device, CPUDevice):
            for module, own in zip(device.modules, self.values):
                is_loss = module is device.loss_module
                values = torch_outputs(module, own, [*values, *targets] if is_loss else values)
            return [value * scale for value in values] if device.loss_module is not None else values
        for stage, own in zip(device.training.stages, self.values):
            given = [*values, *targets] if stage.reads_targets else values
            if getattr(stage, "batch", 0):
                values = stage.reference(own, given, self._samples)
                continue
            rows = [stage.reference(own, narrowed(given, at), self._samples + at) for at in range(device.microbatch_size)]
            values = [torch.cat(row) if row[0].dim() else torch.stack(row) for row in zip(*rows)]
        self._samples += device.microbatch_size
        return values

    def step(self) -> None:
        """With the learning rate that the device has."""
        for optimizer in self.optimizers:
            if not isinstance(self.device, CPUDevice):
                for group in optimizer.param_groups:
                    group["lr"] = self.device.optimizer.learning_rate
            optimizer.step()


def _is_rounding(golden: torch.Tensor, found: torch.Tensor, largest: float) -> bool:
    """Whether a gradient is 0 but for rounding: that of a bias of attention's keys, or before a batch norm. `largest`:
    gradient of a parameter. The device rounds to 8 digits in 16 bits."""
    return float(golden.abs().max()) <= 1e-5 * largest and float(found.abs().max()) <= 0.02 * largest


class TrainingReference:
    """The same steps in torch. Each pass is compared; RuntimeError if a tensor differs by more than allowed."""

    def __init__(self, devices: Sequence[Any], verify_cfg: VerifyConfig) -> None:
        self._config = verify_cfg
        self._copies = [_Copy(device) for device in devices]
        self._losses: list[torch.Tensor] = []
        self._inputs: list[Batch] = []
        self._rounded: set[str] = set()  # parameters whose gradients are 0 but for rounding, of which Adam makes steps

    def forward(self, batches: Sequence[Batch], targets: Sequence[Batch], outputs: Sequence[Sequence[Batch]]) -> None:
        """`outputs`: of each device, for each micro-batch."""
        self._losses, self._inputs = [], []
        for place, batch in enumerate(batches):
            values: Batch = [one if one is None or not one.dtype.is_floating_point else
                             one.detach().float().clone().requires_grad_(one.requires_grad) for one in batch]
            self._inputs.append(values)
            for own, found in zip(self._copies, outputs):
                values = own.forward(values, targets[place], float(self._config.scale_loss))
                self._compare(f"outputs of device '{own.device.name}'", values, found[place])
            self._losses.append(torch.stack([value.sum() for value in values]).sum())

    def _compare(self, what: str, golden: Sequence[Any], found: Sequence[Any]) -> None:
        for place, (want, got) in enumerate(zip(golden, found)):
            got = torch.as_tensor(got)
            self._check(f"{what} ({place})", want.detach().reshape(got.shape), got)

    def _check(self, name: str, golden: torch.Tensor, found: torch.Tensor) -> None:
        settings = self._config
        if golden.numel() == found.numel() == 1:  # a Parameter holds a number in one dimension
            golden = golden.reshape(found.shape)
        if not compare_tensor_to_golden(name, golden, found.float(), verify_cfg=settings):
            raise RuntimeError(f"{name} of {settings.graph_name} differs from torch's (the log has the difference); "
                               "VerifyConfig(pcc=, relative_atol=) sets the tolerance")

    def backward(self, gradients: Sequence[Batch], clear: bool, count: int) -> None:
        """Of the first `count` micro-batches that had none. `gradients`: of the first device's inputs."""
        for own in self._copies if clear else []:
            for value in own.parameters().values():
                value.grad = None
        total = torch.stack(self._losses[:count]).sum()
        self._losses = self._losses[count:]
        if total.requires_grad:
            torch.autograd.backward(total)
        if self._config.enable_input_gradient_checking:
            inputs, self._inputs = self._inputs[:count], self._inputs[count:]
            for golden, found in zip(inputs, gradients):
                for place, (want, got) in enumerate(zip(golden, found)):
                    if got is not None and want.grad is not None:
                        self._check(f"gradient of input {place}", want.grad, got.reshape(want.shape))
        if self._config.enable_parameter_gradient_checking:
            largest = max((float(value.grad.abs().max()) for own in self._copies for value in own.parameters().values()
                           if value.grad is not None), default=0.0)
            for own in self._copies:
                found = own.device.training.gradients()
                for name, value in own.parameters().items():
                    if value.grad is None or name in self._config.waive_gradient_errors:
                        continue
                    if name in found and _is_rounding(value.grad, found[name], largest):
                        self._rounded.add(name)
                        continue
                    if name not in found and not bool(value.grad.any()):
                        continue
                    if name not in found:
                        raise RuntimeError(f"parameter '{name}' of device '{own.device.name}' has a gradient in torch and "
                                           "none on the device")
                    self._check(f"gradient of parameter '{name}'", value.grad, found[name])

    def step(self) -> None:
        """Compares updated parameters."""
        for own in self._copies:
            own.step()
            found = own.device.training.values()
            for name, value in own.parameters().items():
                if name in found and name not in self._config.waive_gradient_errors and name not in self._rounded:
                    self._check(f"updated parameter '{name}'", value.detach(), found[name])

    def schedule(self) -> None:
        """Steps the schedulers of devices on the host; those of the chip have set the rate of its optimizer."""
        for own in self._copies:
            for scheduler in own.schedulers:
                scheduler.step()


@offered
def training_reference(devices: Sequence[Any], verify_cfg: VerifyConfig) -> TrainingReference:
    """For a pipeline that was just compiled."""
    return TrainingReference(devices, verify_cfg)
