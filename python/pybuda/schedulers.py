"""Learning rates that change from epoch to epoch."""
from __future__ import annotations

from typing import Any

import torch

from .optimizers import Optimizer
from .torch_schedulers import TorchLinearWarmupScheduler, warmed


class LearningRateScheduler:
    """Subclasses say by get_lr() what the rate is. AssertionError for an optimizer that is none of pybuda's."""

    def __init__(self, optimizer: Optimizer) -> None:
        assert isinstance(optimizer, Optimizer), f"a scheduler is for an optimizer of pybuda, not {optimizer!r}"
        self.optimizer = optimizer

    def get_lr(self) -> float:
        """For subclasses: the rate now."""
        raise NotImplementedError(f"{type(self).__name__} has no get_lr(); define it in the subclass")

    def step(self) -> None:
        """Gives the optimizer the rate of get_lr()."""
        self.optimizer.set_optimizer_parameters(learning_rate=self.get_lr())

    def get_scheduler_params(self, name: str, is_buda: bool) -> dict[str, Any] | None:
        """What the device gets of the optimizer after a step."""
        found = self.optimizer.get_optimizer_params(name, is_buda)
        return None if found is None else {key: value for key, value in found.items() if key == "lr"}

    def get_pytorch_scheduler(self, optimizer: Any) -> Any:
        """The same for an optimizer of torch."""
        raise NotImplementedError(f"{type(self).__name__} has no counterpart in torch")


class LinearWarmupScheduler(LearningRateScheduler):
    """In `num_steps` steps in equal parts to the optimizer's rate, then that rate."""

    def __init__(self, optimizer: Optimizer, num_steps: int) -> None:
        super().__init__(optimizer)
        self.num_steps, self.steps, self.full = num_steps, 0, optimizer.learning_rate

    def step(self) -> None:
        """One step further, up to the whole rate."""
        self.steps += 1
        super().step()

    def get_lr(self) -> float:
        """The share of the whole rate."""
        return warmed(self.full, self.steps, self.num_steps)

    def get_pytorch_scheduler(self, optimizer: torch.optim.Optimizer) -> TorchLinearWarmupScheduler:
        """The same for an optimizer of torch."""
        return TorchLinearWarmupScheduler(optimizer, self.num_steps)
