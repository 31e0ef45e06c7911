"""Learning rate schedules for torch optimizers."""
from __future__ import annotations

from typing import Any

import torch


class TorchLearningRateScheduler(torch.optim.lr_scheduler.LRScheduler):
    """Subclasses define get_lr(). Creation makes no step."""

    def __init__(self, optimizer: torch.optim.Optimizer) -> None:
        self.optimizer = optimizer
        self.last_epoch = 0

    def get_lr(self) -> Any:
        """For subclasses: a rate, or one for each group."""
        raise NotImplementedError(f"{type(self).__name__} has no get_lr(); define it in the subclass")

    def step(self, epoch: int | None = None) -> None:
        """Sets the optimizer's rates to get_lr()."""
        self.last_epoch += 1
        rates = self.get_lr()
        for group, rate in zip(self.optimizer.param_groups, rates if isinstance(rates, (list, tuple)) else
                               [rates] * len(self.optimizer.param_groups)):
            group["lr"] = rate


def warmed(rate: float, step: int, steps: int) -> float:
    """The rate after `step` of `steps` equal increases."""
    return rate * min(step, steps) / steps


class TorchLinearWarmupScheduler(TorchLearningRateScheduler):
    """Increases the rate in `num_steps` equal steps to each group's rate, then keeps it."""

    def __init__(self, optimizer: torch.optim.Optimizer, num_steps: int) -> None:
        super().__init__(optimizer)
        self.num_steps = num_steps
        self.full = [group["lr"] for group in optimizer.param_groups]

    def get_lr(self) -> Any:
        """The share of the full rate, for each group."""
        return [warmed(rate, self.last_epoch, self.num_steps) for rate in self.full]
