"""Modules appended to others in tests."""
from __future__ import annotations

import torch


class CPUCombiner(torch.nn.Module):
    """The sum of all elements of its inputs."""

    def forward(self, *activations: torch.Tensor) -> torch.Tensor:
        """A tensor [1]."""
        return torch.stack([activation.sum() for activation in activations]).sum().reshape(1)


class MeanDifferences(torch.nn.Module):
    """The sum over outputs of the mean absolute difference of an output and its target; outputs, then targets."""

    def forward(self, *values: torch.Tensor) -> torch.Tensor:
        """A number."""
        half = len(values) // 2
        losses = [(output - target).abs().mean() for output, target in zip(values[:half], values[half:])]
        return torch.stack(losses).sum()
