"""Networks for key points, faces, volumes, point clouds and graphs, with ops that the others do not have."""
import math

import torch
from torch import nn
from torch.nn import functional

from zoo.kinds_layers import conv_norm, settled


class SimCc(nn.Module):
    """RTMPose's head: key points as classes of columns and rows, behind a gated attention unit."""

    def __init__(self, points=8):
        super().__init__()
        self.back = nn.Sequential(conv_norm(3, 16, 3, 2), conv_norm(16, 32, 3, 2), conv_norm(32, 48, 3, 2),
                                  nn.Conv2d(48, points, 7, padding=3))
        self.mix, self.gates, self.out = nn.Linear(48, 64), nn.Linear(64, 2 * 96 + 32), nn.Linear(96, 64)
        self.scale, self.gain = nn.Parameter(torch.randn(2, 32)), nn.Parameter(torch.ones(64))
        self.columns, self.rows = nn.Linear(64, 96), nn.Linear(64, 128)

    @staticmethod
    def normed(x):
        return x / (torch.norm(x, dim=-1, keepdim=True) * x.shape[-1] ** -0.5).clamp(min=1e-5)

    def forward(self, pixels):
        x = self.mix(self.normed(self.back(pixels).flatten(2)))
        u, v, base = torch.split(functional.silu(self.gates(self.normed(x))), [96, 96, 32], 2)
        q, k = torch.unbind(base.unsqueeze(2) * self.scale, 2)
        kernel = torch.square(functional.relu(torch.bmm(q, k.transpose(1, 2)) / math.sqrt(32)))
        x = x * self.gain + self.out(u * torch.bmm(kernel, v))
        return self.columns(x), self.rows(x)


def simcc():
    x = torch.randn(1, 3, 64, 48)
    return settled(SimCc(), x), {"pixels": x}


class Nested(nn.Module):
    """U2-Net's block: a small U-Net with pools that round up, a dilated floor, and resizes to given sizes."""

    def __init__(self, given, middle, made, depth=4):
        super().__init__()
        self.first = conv_norm(given, made)
        self.down = nn.ModuleList([conv_norm(made, middle)] + [conv_norm(middle, middle) for _ in range(depth - 1)])
        self.floor = nn.Sequential(nn.Conv2d(middle, middle, 3, padding=2, dilation=2), nn.ReLU())
        self.up = nn.ModuleList([conv_norm(2 * middle, middle) for _ in range(depth - 1)])
        self.up.append(conv_norm(2 * middle, made))

    def forward(self, x):
        x = y = self.first(x)
        features = []
        for step in self.down:
            features.append(step(y))
            y = functional.max_pool2d(features[-1], 2, 2, ceil_mode=True)
        y = self.floor(features[-1])
        for step in self.up:
            beside = features.pop()
            if y.shape[-1] != beside.shape[-1]:
                y = functional.interpolate(y, size=beside.shape[2:], mode="bilinear", align_corners=False)
            y = step(torch.cat([y, beside], 1))
        return y + x


def nested():
    x = torch.randn(1, 3, 50, 70)
    model = nn.Sequential(Nested(3, 12, 24), nn.MaxPool2d(2, 2, ceil_mode=True), Nested(24, 12, 24, 3),
                          nn.Conv2d(24, 1, 3, padding=1), nn.Sigmoid())
    return settled(model, x), {"pixels": x}


class Embedder(nn.Module):
    """ArcFace: batch norms before convolutions, PReLU by channel, an embedding of length one."""

    def __init__(self):
        super().__init__()
        self.first = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1, bias=False), nn.BatchNorm2d(16), nn.PReLU(16))
        self.steps, self.past = nn.ModuleList(), nn.ModuleList()
        for given, made in ((16, 24), (24, 32), (32, 48)):
            self.steps.append(nn.Sequential(
                nn.BatchNorm2d(given), nn.Conv2d(given, made, 3, padding=1, bias=False), nn.BatchNorm2d(made),
                nn.PReLU(made), nn.Conv2d(made, made, 3, 2, 1, bias=False), nn.BatchNorm2d(made)))
            self.past.append(nn.Sequential(nn.Conv2d(given, made, 1, 2, bias=False), nn.BatchNorm2d(made)))
        self.last = nn.Sequential(nn.BatchNorm2d(48), nn.Flatten(), nn.Linear(48 * 49, 64), nn.BatchNorm1d(64))

    def forward(self, face):
        y = self.first((face - 127.5) / 128)
        for step, past in zip(self.steps, self.past):
            y = step(y) + past(y)
        return functional.normalize(self.last(y), dim=1)


def arcface():
    x = torch.rand(4, 3, 56, 56) * 255
    return settled(Embedder(), x), {"face": x[:1]}


class Volume(nn.Module):
    """A U-Net of volumes with instance norms."""

    def __init__(self):
        super().__init__()

        def layer(given, made):
            return nn.Sequential(nn.Conv3d(given, made, 3, padding=1), nn.InstanceNorm3d(made, affine=True),
                                 nn.LeakyReLU(0.01))
        self.first, self.low = layer(1, 8), nn.Sequential(nn.MaxPool3d(2), layer(8, 16))
        self.up, self.last = nn.ConvTranspose3d(16, 8, 2, 2), nn.Sequential(layer(16, 8), nn.Conv3d(8, 3, 1))

    def forward(self, scan):
        x = self.first(scan)
        return self.last(torch.cat([self.up(self.low(x)), x], 1))


def volume():
    return Volume(), {"scan": torch.randn(1, 1, 8, 16, 16)}


class GraphAttention(nn.Module):
    """One head of attention between neighbours of a graph, given as a matrix."""

    def __init__(self):
        super().__init__()
        self.mix, self.out = nn.Linear(16, 32, bias=False), nn.Linear(32, 7)
        self.source, self.target = nn.Parameter(torch.randn(32)), nn.Parameter(torch.randn(32))

    def forward(self, nodes, joined):
        h = self.mix(nodes)
        scores = functional.leaky_relu((h @ self.source)[:, None] + (h @ self.target)[None], 0.2)
        scores = torch.where(joined > 0, scores, torch.tensor(-9e15))
        return functional.log_softmax(self.out(functional.elu(scores.softmax(1) @ h)), 1)


def gat():
    return GraphAttention(), {"nodes": torch.randn(60, 16), "joined": (torch.rand(60, 60) < 0.1) * 1.0 + torch.eye(60)}


class Deformable(nn.Module):
    """Deformable attention: each query samples a picture at places it computes, and weighs what it finds."""

    def __init__(self):
        super().__init__()
        self.places, self.weights = nn.Linear(32, 4 * 4 * 2), nn.Linear(32, 4 * 4)
        self.values, self.out = nn.Linear(32, 32), nn.Linear(32, 32)

    def forward(self, queries, near, picture):
        n, (rows, columns) = queries.shape[1], picture.shape[2:]
        values = self.values(picture.flatten(2).transpose(1, 2)).view(1, rows * columns, 4, 8)
        values = values.permute(0, 2, 3, 1).reshape(4, 8, rows, columns)
        places = near[:, :, None, None] + self.places(queries).view(1, n, 4, 4, 2) / columns
        grid = (2 * places - 1).permute(0, 2, 1, 3, 4).flatten(0, 1)
        found = functional.grid_sample(values, grid, align_corners=False)
        weights = self.weights(queries).view(1, n, 4, 4).softmax(-1).permute(0, 2, 1, 3).reshape(4, 1, n, 4)
        return self.out((found * weights).sum(-1).view(1, 32, n).transpose(1, 2))


def deformable():
    return Deformable(), {"queries": torch.randn(1, 40, 32), "near": torch.rand(1, 40, 2),
                          "picture": torch.randn(1, 32, 12, 12)}


MAKERS = {f.__name__: f for f in (simcc, nested, arcface, volume, gat, deformable)}
