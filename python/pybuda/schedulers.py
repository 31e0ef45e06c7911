"""Learning rate schedules."""
from __future__ import annotations

from typing import Any

import torch

from .optimizers import Optimizer
from .torch_schedulers import TorchLinearWarmupScheduler, warmed


class LearningRateScheduler:
    """Subclasses define get_lr(). AssertionError for an optimizer that is not one of pybuda's."""

    def __init__(self, optimizer: Optimizer) -> None:
        assert isinstance(optimizer, Optimizer), f"a scheduler needs an optimizer of pybuda, not {optimizer!r}"
        self.optimizer = optimizer

    def get_lr(self) -> float:
        """For subclasses: the current rate."""
        raise NotImplementedError(f"{type(self).__name__} has no get_lr(); define it in the subclass")

    def step(self) -> None:
        """Sets the optimizer's rate to get_lr()."""
        self.optimizer.set_optimizer_parameters(learning_rate=self.get_lr())

    def get_scheduler_params(self, name: str, is_buda: bool) -> dict[str, Any] | None:
        """Optimizer parameters for the device after a step."""
        found = self.optimizer.get_optimizer_params(name, is_buda)
        return None if found is None else {key: value for key, value in found.items() if key == "lr"}

    def get_pytorch_scheduler(self, optimizer: Any) -> Any:
        """The equivalent scheduler for a torch optimizer."""
        raise NotImplementedError(f"{type(self).__name__} has no equivalent in torch")


class LinearWarmupScheduler(LearningRateScheduler):
    """Increases the rate in `num_steps` equal steps to the optimizer's rate, then keeps it."""

    def __init__(self, optimizer: Optimizer, num_steps: int) -> None:
        super().__init__(optimizer)
        self.num_steps, self.steps, self.full = num_steps, 0, optimizer.learning_rate

    def step(self) -> None:
        """Advances by one step, up to the full rate."""
        self.steps += 1
        super().step()

    def get_lr(self) -> float:
        """The share of the full rate."""
        return warmed(self.full, self.steps, self.num_steps)

    def get_pytorch_scheduler(self, optimizer: torch.optim.Optimizer) -> TorchLinearWarmupScheduler:
        """The equivalent scheduler for a torch optimizer."""
        return TorchLinearWarmupScheduler(optimizer, self.num_steps)
