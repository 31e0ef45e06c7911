"""Building blocks of several networks. Images are [n, channels, rows, columns]."""
from __future__ import annotations

import torch
from torch import nn


def conv_norm(inner: int, outer: int, kernel: int, stride: int = 1, groups: int = 1,
              activation: type[nn.Module] | None = nn.ReLU, epsilon: float = 1e-5) -> nn.Sequential:
    """Convolution that keeps the size (at stride 1), batch norm and activation."""
    layers: list[nn.Module] = [nn.Conv2d(inner, outer, kernel, stride, (kernel - 1) // 2, groups=groups, bias=False),
                               nn.BatchNorm2d(outer, eps=epsilon)]
    if activation is not None:
        layers.append(activation())
    return nn.Sequential(*layers)


class Residual(nn.Module):
    """x + f(x)"""

    def __init__(self, inside: nn.Module) -> None:
        super().__init__()
        self.inside = inside

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.inside(x)


class SqueezeExcite(nn.Module):
    """Channels scaled by gates that are computed from the mean of the image."""

    def __init__(self, channels: int, squeezed: int, activation: type[nn.Module], gate: type[nn.Module]) -> None:
        super().__init__()
        self.gates = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(channels, squeezed, 1), activation(),
                                   nn.Conv2d(squeezed, channels, 1), gate())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.gates(x)


def init(module: nn.Module) -> nn.Module:
    """Kaiming weights for convolutions, so that activations keep their magnitude through many layers."""
    for part in module.modules():
        if isinstance(part, (nn.Conv2d, nn.ConvTranspose2d)):
            nn.init.kaiming_normal_(part.weight, mode="fan_in", nonlinearity="relu")
            if part.bias is not None:
                nn.init.zeros_(part.bias)
    return module
