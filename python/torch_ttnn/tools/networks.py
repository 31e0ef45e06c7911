"""Networks for pictures, written out: as in torchvision, with random weights."""
from __future__ import annotations

from typing import Any

import torch
from torch import nn


class BasicBlock(nn.Module):
    """Two convolutions and a shortcut."""

    def __init__(self, inner: int, outer: int, stride: int = 1) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inner, outer, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(outer)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(outer, outer, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outer)
        self.downsample = None
        if stride != 1 or inner != outer:
            self.downsample = nn.Sequential(nn.Conv2d(inner, outer, 1, stride, bias=False), nn.BatchNorm2d(outer))

    def forward(self, x: Any) -> Any:
        y = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
        y += x if self.downsample is None else self.downsample(x)
        return self.relu(y)


class ResNet(nn.Module):
    """ResNet of basic blocks. `depths`: blocks of each stage; `width`: channels of the first one."""

    def __init__(self, depths: tuple[int, ...] = (2, 2, 2, 2), width: int = 64, classes: int = 1000) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, width, 7, 2, 3, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.relu = nn.ReLU(inplace=True)
        self.maxpool = nn.MaxPool2d(3, 2, 1)
        blocks: list[nn.Module] = []
        inner = width
        for stage, depth in enumerate(depths):
            outer = width << stage
            for place in range(depth):
                blocks.append(BasicBlock(inner, outer, 2 if stage and place == 0 else 1))
                inner = outer
        self.layers = nn.Sequential(*blocks)
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(inner, classes)

    def forward(self, x: Any) -> Any:
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        return self.fc(torch.flatten(self.avgpool(self.layers(x)), 1))


class InvertedResidual(nn.Module):
    """A block of MobileNetV2: expansion, depthwise convolution, projection."""

    def __init__(self, inner: int, outer: int, stride: int, expansion: int) -> None:
        super().__init__()
        hidden = inner * expansion
        parts: list[nn.Module] = []
        if expansion != 1:
            parts += [nn.Conv2d(inner, hidden, 1, bias=False), nn.BatchNorm2d(hidden), nn.ReLU6(inplace=True)]
        parts += [nn.Conv2d(hidden, hidden, 3, stride, 1, groups=hidden, bias=False), nn.BatchNorm2d(hidden),
                  nn.ReLU6(inplace=True), nn.Conv2d(hidden, outer, 1, bias=False), nn.BatchNorm2d(outer)]
        self.conv = nn.Sequential(*parts)
        self.joins = stride == 1 and inner == outer

    def forward(self, x: Any) -> Any:
        return x + self.conv(x) if self.joins else self.conv(x)


class MobileNetV2(nn.Module):
    """MobileNetV2. `settings`: expansion, channels, blocks, stride of each stage."""

    def __init__(self, settings: tuple[tuple[int, int, int, int], ...] = (
            (1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)),
            last: int = 1280, classes: int = 1000) -> None:
        super().__init__()
        parts: list[nn.Module] = [nn.Conv2d(3, 32, 3, 2, 1, bias=False), nn.BatchNorm2d(32), nn.ReLU6(inplace=True)]
        inner = 32
        for expansion, outer, count, stride in settings:
            for place in range(count):
                parts.append(InvertedResidual(inner, outer, stride if place == 0 else 1, expansion))
                inner = outer
        parts += [nn.Conv2d(inner, last, 1, bias=False), nn.BatchNorm2d(last), nn.ReLU6(inplace=True)]
        self.features = nn.Sequential(*parts)
        self.classifier = nn.Sequential(nn.Dropout(0.2), nn.Linear(last, classes))

    def forward(self, x: Any) -> Any:
        return self.classifier(self.features(x).mean([2, 3]))


class Mnist(nn.Module):
    """Two convolutions, a pool and two linear layers."""

    def __init__(self, p: tuple[float, float] = (0.25, 0.5)) -> None:
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 32, 3), nn.Conv2d(32, 64, 3)
        self.dropout1, self.dropout2 = nn.Dropout(p[0]), nn.Dropout(p[1])
        self.fc1, self.fc2 = nn.Linear(9216, 128), nn.Linear(128, 10)

    def forward(self, x: Any) -> Any:
        x = torch.relu(self.conv2(torch.relu(self.conv1(x))))
        x = self.dropout1(torch.max_pool2d(x, 2))
        x = self.dropout2(torch.relu(self.fc1(torch.flatten(x, 1))))
        return torch.log_softmax(self.fc2(x), 1)


def with_statistics(module: nn.Module, seed: int = 0) -> nn.Module:
    """Gives batch norms statistics and scales that are not 0 and 1."""
    generator = torch.Generator().manual_seed(seed)
    for part in module.modules():
        if isinstance(part, nn.BatchNorm2d):
            assert part.running_mean is not None and part.running_var is not None
            part.running_mean.copy_(torch.randn(part.num_features, generator=generator) * 0.1)
            part.running_var.copy_(torch.rand(part.num_features, generator=generator) + 0.5)
    return module
