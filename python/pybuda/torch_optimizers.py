"""LAMB, LARS and Adam without bias correction in torch: references for updates on the device."""
from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch


class _Stepped(torch.optim.Optimizer):
    """`update(value, gradient, state, group)` returns the decrement of the value."""

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            for value in group["params"]:
                if value.grad is not None:
                    value -= self.update(value, value.grad, self.state[value], group)
        return loss

    def update(self, value: torch.Tensor, gradient: torch.Tensor, state: Any, group: Any) -> torch.Tensor:
        raise NotImplementedError


def _moments(gradient: torch.Tensor, state: Any, betas: tuple[float, float]) -> tuple[torch.Tensor, torch.Tensor]:
    if not state:
        state.update(step=0, mean=torch.zeros_like(gradient), variance=torch.zeros_like(gradient))
    state["step"] += 1
    state["mean"].mul_(betas[0]).add_(gradient, alpha=1 - betas[0])
    state["variance"].mul_(betas[1]).addcmul_(gradient, gradient, value=1 - betas[1])
    return state["mean"], state["variance"]


class AdamNoBiasCorrection(_Stepped):
    """`decoupled`: decoupled weight decay, as in AdamW."""

    def __init__(self, params: Iterable[Any], lr: float = 1e-3, betas: tuple[float, float] = (0.9, 0.999),
                 eps: float = 1e-8, weight_decay: float = 0.0, decoupled: bool = False) -> None:
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay,
                                  "decoupled": decoupled})

    def update(self, value: torch.Tensor, gradient: torch.Tensor, state: Any, group: Any) -> torch.Tensor:
        """The decrement of the value."""
        decay = group["weight_decay"]
        if decay and not group["decoupled"]:
            gradient = gradient + decay * value
        mean, variance = _moments(gradient, state, group["betas"])
        step = mean / (variance.sqrt() + group["eps"])
        change: torch.Tensor = group["lr"] * (step + decay * value if group["decoupled"] else step)
        return change


class LAMB(_Stepped):
    """As pybuda.LAMB."""

    def __init__(self, params: Iterable[Any], lr: float = 1e-3, betas: tuple[float, float] = (0.9, 0.999),
                 eps: float = 1e-8, weight_decay: float = 0.01, clip_value: tuple[float, float] = (0.0, 10.0),
                 correction: bool = False) -> None:
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay,
                                  "clip_value": clip_value, "correction": correction})

    def update(self, value: torch.Tensor, gradient: torch.Tensor, state: Any, group: Any) -> torch.Tensor:
        """The decrement of the value."""
        mean, variance = _moments(gradient, state, group["betas"])
        if group["correction"]:
            mean = mean / (1 - group["betas"][0]**state["step"])
            variance = variance / (1 - group["betas"][1]**state["step"])
        direction = mean / (variance.sqrt() + group["eps"]) + group["weight_decay"] * value
        length, step = value.norm(), direction.norm()
        ratio = torch.clamp(length / step, *group["clip_value"]) if float(length) and float(step) else 1.0
        change: torch.Tensor = group["lr"] * ratio * direction
        return change


class LARS(_Stepped):
    """As pybuda.LARS."""

    def __init__(self, params: Iterable[Any], lr: float = 1e-3, momentum: float = 0.9, dampening: float = 0.0,
                 weight_decay: float = 0.01, lars_coeff: float = 1e-3, nesterov: bool = False,
                 epsilon: float = 1e-8) -> None:
        super().__init__(params, {"lr": lr, "momentum": momentum, "dampening": dampening,
                                  "weight_decay": weight_decay, "lars_coeff": lars_coeff, "nesterov": nesterov,
                                  "epsilon": epsilon})

    def update(self, value: torch.Tensor, gradient: torch.Tensor, state: Any, group: Any) -> torch.Tensor:
        """The decrement of the value."""
        decay, length, slope = group["weight_decay"], value.norm(), gradient.norm()
        local = 1.0
        if float(length) and float(slope):
            local = group["lars_coeff"] * length / (slope + decay * length + group["epsilon"])
        moved = group["lr"] * local * (gradient + decay * value)
        kept = state.setdefault("momentum", torch.zeros_like(value))
        kept.mul_(group["momentum"]).add_(moved, alpha=1 - group["dampening"])
        change: torch.Tensor = moved + group["momentum"] * kept if group["nesterov"] else kept.clone()
        return change
