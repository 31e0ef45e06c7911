"""Networks with dense outputs such as images or maps: U-Net, YOLO, OpenPose, autoencoders."""
from __future__ import annotations

import torch
from torch import nn

from .blocks import Residual, conv_norm, init


class UNet(nn.Module):
    """Contracting and expanding paths, with skip connections by concatenation."""

    def __init__(self, channels: int = 64, depth: int = 4, classes: int = 1) -> None:
        super().__init__()
        widths = [channels << k for k in range(depth + 1)]
        self.down = nn.ModuleList(self._pair(3 if k == 0 else widths[k - 1], width) for k, width in enumerate(widths))
        self.up = nn.ModuleList(nn.ConvTranspose2d(2 * width, width, 2, 2) for width in widths[-2::-1])
        self.merge = nn.ModuleList(self._pair(2 * width, width) for width in widths[-2::-1])
        self.head = nn.Conv2d(channels, classes, 1)
        init(self)

    @staticmethod
    def _pair(inner: int, outer: int) -> nn.Module:
        return nn.Sequential(conv_norm(inner, outer, 3), conv_norm(outer, outer, 3))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        seen = []
        for k, stage in enumerate(self.down):
            x = stage(x if k == 0 else nn.functional.max_pool2d(x, 2))
            seen.append(x)
        for up, merge, beside in zip(self.up, self.merge, seen[-2::-1], strict=True):
            x = merge(torch.cat([up(x), beside], 1))
        return torch.sigmoid(self.head(x))


class YOLO(nn.Module):
    """Boxes on three grids: [n, anchors of all grids, 5 + classes]. Finer grids also read upsampled coarser ones."""

    def __init__(self, channels: int = 32, classes: int = 80, anchors: int = 3) -> None:
        super().__init__()
        c, self.values = channels, 5 + classes
        stages, inner = [conv_norm(3, c, 3, 2, activation=nn.SiLU)], c
        for outer in (2 * c, 4 * c, 8 * c, 16 * c):
            stages.append(nn.Sequential(conv_norm(inner, outer, 3, 2, activation=nn.SiLU),
                                        Residual(nn.Sequential(conv_norm(outer, inner, 1, activation=nn.SiLU),
                                                               conv_norm(inner, outer, 3, activation=nn.SiLU)))))
            inner = outer
        self.stages = nn.ModuleList(stages)
        self.pools = nn.ModuleList(nn.MaxPool2d(k, 1, k // 2) for k in (5, 9, 13))
        self.after = conv_norm(64 * c, 16 * c, 1, activation=nn.SiLU)
        self.lateral = nn.ModuleList(conv_norm(2 * w, w, 1, activation=nn.SiLU) for w in (8 * c, 4 * c))
        self.merge = nn.ModuleList(conv_norm(2 * w, w, 3, activation=nn.SiLU) for w in (8 * c, 4 * c))
        self.heads = nn.ModuleList(nn.Conv2d(w, anchors * self.values, 1) for w in (16 * c, 8 * c, 4 * c))
        init(self)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        seen = []
        for stage in self.stages:
            x = stage(x)
            seen.append(x)
        x = self.after(torch.cat([x] + [pool(x) for pool in self.pools], 1))
        grids = [x]
        for lateral, merge, beside in zip(self.lateral, self.merge, seen[-2:-4:-1], strict=True):
            x = nn.functional.interpolate(lateral(x), scale_factor=2.0, mode="nearest")
            x = merge(torch.cat([x, beside], 1))
            grids.append(x)
        return torch.cat([self._boxes(head(grid)) for head, grid in zip(self.heads, grids, strict=True)], 1)

    def _boxes(self, x: torch.Tensor) -> torch.Tensor:
        n, _, rows, columns = x.shape
        x = x.view(n, -1, self.values, rows, columns).permute(0, 1, 3, 4, 2)
        return torch.sigmoid(x).reshape(n, -1, self.values)


class OpenPose(nn.Module):
    """Maps of joints and limbs, refined in stages that also read the features."""

    def __init__(self, width: int = 128, stages: int = 3, joints: int = 19, limbs: int = 38) -> None:
        super().__init__()
        self.features = nn.Sequential(conv_norm(3, 32, 3, 2), conv_norm(32, 64, 3), conv_norm(64, 64, 3, 2),
                                      conv_norm(64, width, 3), conv_norm(width, width, 3, 2),
                                      conv_norm(width, width, 3))
        both = joints + limbs
        self.stages = nn.ModuleList(
            nn.ModuleList(self._branch(width + (both if k else 0), width, outer) for outer in (joints, limbs))
            for k in range(stages))
        init(self)

    @staticmethod
    def _branch(inner: int, width: int, outer: int) -> nn.Module:
        return nn.Sequential(nn.Conv2d(inner, width, 3, padding=1), nn.ReLU(inplace=True),
                             nn.Conv2d(width, width, 3, padding=1), nn.ReLU(inplace=True), nn.Conv2d(width, outer, 1))

    def forward(self, x: torch.Tensor) -> dict[str, torch.Tensor]:
        features = x = self.features(x)
        for joints, limbs in self.stages:
            heat, fields = joints(x), limbs(x)
            x = torch.cat([features, heat, fields], 1)
        return {"heat": heat, "fields": fields}


class LinearAutoencoder(nn.Module):
    def __init__(self, widths: tuple[int, ...] = (784, 128, 64, 12, 3)) -> None:
        super().__init__()
        steps = [*zip(widths, widths[1:]), *zip(widths[:0:-1], widths[-2::-1])]
        layers: list[nn.Module] = []
        for inner, outer in steps:
            layers += [nn.Linear(inner, outer), nn.ReLU()]
        self.layers = nn.Sequential(*layers[:-1])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layers(x)


class ConvAutoencoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2, 2),
                                     nn.Conv2d(16, 4, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2, 2))
        self.decoder = nn.Sequential(nn.ConvTranspose2d(4, 16, 2, 2), nn.ReLU(), nn.ConvTranspose2d(16, 3, 2, 2),
                                     nn.Sigmoid())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.decoder(self.encoder(x))
