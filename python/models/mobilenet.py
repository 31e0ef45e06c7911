"""MobileNets: depthwise convolutions between 1x1 ones."""
from __future__ import annotations

import torch
from torch import nn

from .blocks import Residual, SqueezeExcite, conv_norm, init


class MobileNetV1(nn.Module):
    """`depths`: (channels, stride) of each pair of a depthwise and a 1x1 convolution."""

    PAIRS = [(64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), *[(512, 1)] * 5, (1024, 2), (1024, 1)]

    def __init__(self, pairs: list[tuple[int, int]] | None = None, classes: int = 1000) -> None:
        super().__init__()
        layers, inner = [conv_norm(3, 32, 3, 2)], 32
        for outer, stride in pairs or self.PAIRS:
            layers += [conv_norm(inner, inner, 3, stride, groups=inner), conv_norm(inner, outer, 1)]
            inner = outer
        self.features = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten())
        self.classifier = nn.Linear(inner, classes)
        init(self)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.classifier(self.features(x))


def inverted(inner: int, wide: int, outer: int, kernel: int, stride: int, activation: type[nn.Module],
             squeeze: nn.Module | None = None, epsilon: float = 1e-5) -> nn.Module:
    """1x1 convolution to more channels, depthwise, gates, 1x1 to fewer; with a residual connection if shapes match."""
    layers = [] if wide == inner else [conv_norm(inner, wide, 1, activation=activation, epsilon=epsilon)]
    layers.append(conv_norm(wide, wide, kernel, stride, groups=wide, activation=activation, epsilon=epsilon))
    layers += [] if squeeze is None else [squeeze]
    layers.append(conv_norm(wide, outer, 1, activation=None, epsilon=epsilon))
    path = nn.Sequential(*layers)
    return Residual(path) if stride == 1 and inner == outer else path


class MobileNetV2(nn.Module):
    """`stages`: channel expansion factor, channels, blocks, stride."""

    STAGES = [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]

    def __init__(self, stages: list[tuple[int, int, int, int]] | None = None, classes: int = 1000) -> None:
        super().__init__()
        layers: list[nn.Module] = [conv_norm(3, 32, 3, 2, activation=nn.ReLU6)]
        inner = 32
        for factor, outer, depth, stride in stages or self.STAGES:
            for block in range(depth):
                layers.append(inverted(inner, factor * inner, outer, 3, 1 if block else stride, nn.ReLU6))
                inner = outer
        layers.append(conv_norm(inner, 1280, 1, activation=nn.ReLU6))
        self.features = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten())
        self.classifier = nn.Linear(1280, classes)
        init(self)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.classifier(self.features(x))


class MobileNetV3(nn.Module):
    """`blocks`: kernel, expanded channels, channels, gates, hardswish (else relu), stride."""

    LARGE = [(3, 16, 16, 0, 0, 1), (3, 64, 24, 0, 0, 2), (3, 72, 24, 0, 0, 1), (5, 72, 40, 1, 0, 2),
             (5, 120, 40, 1, 0, 1), (5, 120, 40, 1, 0, 1), (3, 240, 80, 0, 1, 2), (3, 200, 80, 0, 1, 1),
             (3, 184, 80, 0, 1, 1), (3, 184, 80, 0, 1, 1), (3, 480, 112, 1, 1, 1), (3, 672, 112, 1, 1, 1),
             (5, 672, 160, 1, 1, 2), (5, 960, 160, 1, 1, 1), (5, 960, 160, 1, 1, 1)]

    def __init__(self, blocks: list[tuple[int, ...]] | None = None, classes: int = 1000) -> None:
        super().__init__()
        layers: list[nn.Module] = [conv_norm(3, 16, 3, 2, activation=nn.Hardswish, epsilon=1e-3)]
        inner = 16
        for kernel, wide, outer, gates, hard, stride in blocks or self.LARGE:
            squeeze = SqueezeExcite(wide, max(8, wide // 4 // 8 * 8), nn.ReLU, nn.Hardsigmoid) if gates else None
            activation = nn.Hardswish if hard else nn.ReLU
            layers.append(inverted(inner, wide, outer, kernel, stride, activation, squeeze, 1e-3))
            inner = outer
        layers.append(conv_norm(inner, 6 * inner, 1, activation=nn.Hardswish, epsilon=1e-3))
        self.features = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten())
        self.classifier = nn.Sequential(nn.Linear(6 * inner, 1280), nn.Hardswish(), nn.Dropout(0.2),
                                        nn.Linear(1280, classes))
        init(self)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.classifier(self.features(x))


class EfficientNet(nn.Module):
    """B0. `stages`: channel expansion factor, kernel, stride, channels, blocks."""

    STAGES = [(1, 3, 1, 16, 1), (6, 3, 2, 24, 2), (6, 5, 2, 40, 2), (6, 3, 2, 80, 3), (6, 5, 1, 112, 3),
              (6, 5, 2, 192, 4), (6, 3, 1, 320, 1)]

    def __init__(self, stages: list[tuple[int, ...]] | None = None, classes: int = 1000) -> None:
        super().__init__()
        layers: list[nn.Module] = [conv_norm(3, 32, 3, 2, activation=nn.SiLU)]
        inner = 32
        for factor, kernel, stride, outer, depth in stages or self.STAGES:
            for block in range(depth):
                squeeze = SqueezeExcite(factor * inner, max(1, inner // 4), nn.SiLU, nn.Sigmoid)
                layers.append(inverted(inner, factor * inner, outer, kernel, 1 if block else stride, nn.SiLU, squeeze))
                inner = outer
        layers.append(conv_norm(inner, 4 * inner, 1, activation=nn.SiLU))
        self.features = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten())
        self.classifier = nn.Sequential(nn.Dropout(0.2), nn.Linear(4 * inner, classes))
        init(self)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.classifier(self.features(x))
