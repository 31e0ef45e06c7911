"""The same for optimizers of torch."""
from __future__ import annotations

from typing import Any

import torch


class TorchLearningRateScheduler(torch.optim.lr_scheduler.LRScheduler):
    """Subclasses say by get_lr() what the rates are. It does not step when it is made."""

    def __init__(self, optimizer: torch.optim.Optimizer) -> None:
        self.optimizer = optimizer
        self.last_epoch = 0

    def get_lr(self) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no get_lr(); define it in the subclass")

    def step(self, epoch: int | None = None) -> None:
        self.last_epoch += 1
        rates = self.get_lr()
        for group, rate in zip(self.optimizer.param_groups, rates if isinstance(rates, (list, tuple)) else
                               [rates] * len(self.optimizer.param_groups)):
            group["lr"] = rate
