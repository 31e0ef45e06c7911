"""Losses."""
from __future__ import annotations

import torch

from ..table import op


def _reduced(values: torch.Tensor, reduction: str) -> torch.Tensor:
    if reduction == "none":
        return values
    if reduction not in ("mean", "sum"):
        raise ValueError(f"there is no reduction '{reduction}'; use none, mean or sum")
    every = list(range(values.dim()))
    return torch.mean(values, every) if reduction == "mean" else torch.sum(values, every)


@op(group="loss")
def l1_loss(input_reference: torch.Tensor, input_prediction: torch.Tensor, reduction: str = "none") -> torch.Tensor:
    """|a - b|, each, their mean or their sum."""
    return _reduced(torch.abs(input_reference - input_prediction), reduction)


@op(group="loss")
def mse_loss(input_reference: torch.Tensor, input_prediction: torch.Tensor, reduction: str = "none") -> torch.Tensor:
    """(a - b)^2, each, their mean or their sum."""
    difference = input_reference - input_prediction
    return _reduced(difference * difference, reduction)
