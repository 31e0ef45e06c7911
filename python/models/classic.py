"""VGG and DenseNet."""
from __future__ import annotations

import torch
from torch import nn

from .blocks import init


class VGG(nn.Module):
    """`plan`: channels of 3x3 convolutions; 0: pooling."""

    VGG11 = [64, 0, 128, 0, 256, 256, 0, 512, 512, 0, 512, 512, 0]
    VGG16 = [64, 64, 0, 128, 128, 0, 256, 256, 256, 0, 512, 512, 512, 0, 512, 512, 512, 0]

    def __init__(self, plan: list[int], wide: int = 4096, classes: int = 1000) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        inner = 3
        for outer in plan:
            if outer:
                layers += [nn.Conv2d(inner, outer, 3, padding=1), nn.ReLU(inplace=True)]
                inner = outer
            else:
                layers.append(nn.MaxPool2d(2, 2))
        self.features, self.pool = nn.Sequential(*layers), nn.AdaptiveAvgPool2d(7)
        self.classifier = nn.Sequential(nn.Linear(inner * 49, wide), nn.ReLU(True), nn.Dropout(),
                                        nn.Linear(wide, wide), nn.ReLU(True), nn.Dropout(), nn.Linear(wide, classes))
        init(self)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.classifier(torch.flatten(self.pool(self.features(x)), 1))


class DenseLayer(nn.Module):
    def __init__(self, inner: int, growth: int) -> None:
        super().__init__()
        self.path = nn.Sequential(nn.BatchNorm2d(inner), nn.ReLU(inplace=True),
                                  nn.Conv2d(inner, 4 * growth, 1, bias=False), nn.BatchNorm2d(4 * growth),
                                  nn.ReLU(inplace=True), nn.Conv2d(4 * growth, growth, 3, padding=1, bias=False))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.cat([x, self.path(x)], 1)


class DenseNet(nn.Module):
    """Each layer reads the outputs of all layers before it."""

    def __init__(self, depths: list[int], growth: int = 32, classes: int = 1000) -> None:
        super().__init__()
        layers: list[nn.Module] = [nn.Conv2d(3, 2 * growth, 7, 2, 3, bias=False), nn.BatchNorm2d(2 * growth),
                                   nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1)]
        inner = 2 * growth
        for k, depth in enumerate(depths):
            for _ in range(depth):
                layers.append(DenseLayer(inner, growth))
                inner += growth
            if k + 1 < len(depths):
                layers += [nn.BatchNorm2d(inner), nn.ReLU(inplace=True), nn.Conv2d(inner, inner // 2, 1, bias=False),
                           nn.AvgPool2d(2, 2)]
                inner //= 2
        self.features = nn.Sequential(*layers, nn.BatchNorm2d(inner), nn.ReLU(inplace=True))
        self.classifier = nn.Linear(inner, classes)
        init(self)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = nn.functional.adaptive_avg_pool2d(self.features(x), 1)
        return self.classifier(torch.flatten(x, 1))
