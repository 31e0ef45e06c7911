"""Residual networks: blocks of two or three convolutions with skip connections."""
from __future__ import annotations

import torch
from torch import nn

from .blocks import conv_norm, init


class Block(nn.Module):
    def __init__(self, inner: int, width: int, outer: int, stride: int, narrow: bool) -> None:
        super().__init__()
        if narrow:
            self.path = nn.Sequential(conv_norm(inner, width, 1), conv_norm(width, width, 3, stride),
                                      conv_norm(width, outer, 1, activation=None))
        else:
            self.path = nn.Sequential(conv_norm(inner, width, 3, stride), conv_norm(width, outer, 3, activation=None))
        same = stride == 1 and inner == outer
        self.shortcut = nn.Identity() if same else conv_norm(inner, outer, 1, stride, activation=None)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(self.path(x) + self.shortcut(x))


class ResNet(nn.Module):
    """`depths`: blocks of each stage; `narrow`: 1x1, 3x3, 1x1 convolutions with four times the channels at the end."""

    def __init__(self, depths: list[int], narrow: bool, classes: int = 1000) -> None:
        super().__init__()
        self.stem = nn.Sequential(conv_norm(3, 64, 7, 2), nn.MaxPool2d(3, 2, 1))
        inner, stages = 64, []
        for k, depth in enumerate(depths):
            width = 64 << k
            outer = 4 * width if narrow else width
            for block in range(depth):
                stages.append(Block(inner, width, outer, 2 if k and not block else 1, narrow))
                inner = outer
        self.stages = nn.Sequential(*stages)
        self.pool, self.classifier = nn.AdaptiveAvgPool2d(1), nn.Linear(inner, classes)
        init(self)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.classifier(self.pool(self.stages(self.stem(x))).flatten(1))
