"""Training of a CPUDevice: torch modules, their optimizers, and the loss."""
from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

import torch

from .module import Module, PyTorchModule
from .stage_kinds import OwnForward
from .training import Batch
from .utils import flatten

log = logging.getLogger("pybuda")


class HostTraining:
    """`scale`: factor of the loss. `wanted`: inputs whose gradients are needed. RuntimeError for modules of other
    frameworks than torch, and optimizers that are none of torch's."""

    def __init__(self, device: Any, wanted: Sequence[bool], scale: float = 1.0) -> None:
        self.device, self._wanted, self._scale = device, list(wanted), scale
        loss = device.loss_module
        self._modules = [module for module in device.modules if module is not loss]
        self._loss: Module | None = loss
        self._saved: list[tuple[Batch, list[Any]]] = []
        self._warned = False
        for module in device.modules:
            if not isinstance(module, PyTorchModule):
                raise RuntimeError(f"{module!r} of device '{device.name}' runs only inference; train a PyTorchModule")
        self._optimizers = [self._optimizer(module) for module in device.modules if _trained(module)] \
            if device.optimizer_f is not None else []
        self._schedulers = [device.scheduler_f(one) for one in self._optimizers] if device.scheduler_f is not None else []

    def _optimizer(self, module: Any) -> torch.optim.Optimizer:
        made = self.device.optimizer_f(module.module)
        if not isinstance(made, torch.optim.Optimizer):
            raise RuntimeError(f"optimizer_f of device '{self.device.name}' returned a {type(made).__name__} for module "
                               f"'{module.get_name()}'; it must return a torch.optim.Optimizer of module.parameters()")
        return made

    def forward(self, batches: Sequence[Batch], targets: Sequence[Batch]) -> list[Batch]:
        """Outputs of each micro-batch, or its loss as a tuple of floats."""
        self._saved, found = [], []
        for place, batch in enumerate(batches):
            leaves = [self._leaf(at, value) for at, value in enumerate(self.device._converted(batch))]
            values: list[Any] = leaves
            for module in self._modules:
                values = _called(module, values)
            if self._loss is not None:
                losses = self._losses(values, targets[place])
                values = losses
                found.append([tuple(float(one.detach()) for one in losses)])
            else:
                found.append([value.detach() for value in values])
            self._saved.append((leaves, values))
        return found

    def saved_results(self) -> list[Batch]:
        """None: only ops of the chip are named in op_intermediates_to_save."""
        return []

    def _leaf(self, place: int, value: Any) -> Any:
        if value is None or not value.dtype.is_floating_point:
            return value
        wanted = place < len(self._wanted) and self._wanted[place]
        return value.detach().clone().requires_grad_(wanted)

    def _losses(self, values: list[Any], targets: Batch) -> list[torch.Tensor]:
        """The scaled loss. RuntimeError unless it is one number."""
        losses = [one * self._scale for one in _called(self._loss, [*values, *targets])]
        for one in losses:
            if one.numel() != 1:
                raise RuntimeError(f"loss module '{self._loss}' returned a tensor of shape {list(one.shape)}; the loss of "
                                   "a micro-batch must be one number, such as with reduction='sum'")
        return losses

    def backward(self, gradients: Sequence[Batch] | None, clear: bool, count: int) -> list[Batch]:
        """Gradients of the inputs of `count` micro-batches. Parameters of torch collect theirs in `grad`."""
        if clear:
            for module in self.device.modules:
                module.module.zero_grad()
        found: list[Batch] = []
        for place, (leaves, values) in enumerate(self._saved[:count]):
            given = [None] * len(values) if gradients is None else gradients[place]
            pairs = [(value, gradient) for value, gradient in zip(values, given) if value.requires_grad
                     and (gradients is None or gradient is not None)]
            if pairs:
                torch.autograd.backward([value for value, _ in pairs],
                                        [None if gradient is None else gradient.to(value.dtype).reshape(value.shape)
                                         for value, gradient in pairs],
                                        retain_graph=bool(self.device.retain_backward_graph))
            found.append([leaf.grad if isinstance(leaf, torch.Tensor) and leaf.requires_grad else None
                          for leaf in leaves])
        self._saved = self._saved[count:]
        if self.device._gradient_trace is not None:
            self.device._gradient_trace.put(self.gradients())
        return found

    def step(self) -> None:
        """Steps torch's optimizers."""
        if not self._optimizers and not self._warned and any(_trained(module) for module in self.device.modules):
            log.warning("device '%s' has no optimizer, so its parameters stay; pass optimizer_f= to CPUDevice",
                        self.device.name)
        self._warned = True
        for optimizer in self._optimizers:
            optimizer.step()

    def schedule(self) -> None:
        """Steps torch's schedulers."""
        for scheduler in self._schedulers:
            scheduler.step()

    def gradients(self) -> dict[str, torch.Tensor]:
        """Summed gradients by parameter."""
        return {name: value.grad.detach().clone() for module in self.device.modules
                for name, value in module.module.named_parameters() if value.grad is not None}

    def values(self) -> dict[str, torch.Tensor]:
        """Values by parameter."""
        return {name: value.detach().clone() for module in self.device.modules
                for name, value in module.module.named_parameters()}

    def state(self) -> dict[str, Any]:
        """None: torch's optimizers have it."""
        return {}

    def set_state(self, state: dict[str, Any]) -> None:
        """Does nothing."""

    def needs_gradients(self) -> bool:
        """Whether parameters are trained, or earlier devices wait for gradients."""
        return any(_trained(module) for module in self.device.modules) or any(self._wanted)


def _trained(module: Any) -> bool:
    return any(value.requires_grad for value in module.module.parameters())


def _called(module: Any, values: Sequence[Any]) -> list[Any]:
    args, kwargs = module.call_arguments(list(values))
    with OwnForward(module):
        return flatten(module.module(*args, **kwargs))
