"""Small detection networks: faces, hands, lanes, text, boxes, people, tracked objects."""
import torch
from torch import nn
from torch.nn import functional

from zoo.kinds_layers import Backbone, Blaze, conv_norm, settled


class Hand(nn.Module):
    """Hand landmarks: Blaze blocks, 21 points in space and whether there is a hand."""

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Conv2d(3, 16, 3, 2, 1), nn.PReLU(16), Blaze(16, 16), Blaze(16, 32, 2),
                                 Blaze(32, 32), Blaze(32, 64, 2), Blaze(64, 64), Blaze(64, 96, 2), Blaze(96, 96))
        self.points, self.there = nn.Conv2d(96, 63, 14), nn.Conv2d(96, 1, 14)

    def forward(self, pixels):
        x = self.net(pixels)
        return self.points(x).reshape(1, 63) / 224, torch.sigmoid(self.there(x)).reshape(1, 1)


def hand():
    return Hand(), {"pixels": torch.randn(1, 3, 224, 224)}


class BlazeFace(nn.Module):
    """BlazeFace: scores and boxes with six key points for the anchors of two grids."""

    def __init__(self):
        super().__init__()
        self.fine = nn.Sequential(nn.Conv2d(3, 24, 5, 2, 2), nn.ReLU(), Blaze(24, 28), Blaze(28, 32, 2),
                                  Blaze(32, 48, 2))
        self.coarse = Blaze(48, 96, 2)
        self.scores = nn.ModuleList([nn.Conv2d(48, 2, 1), nn.Conv2d(96, 6, 1)])
        self.boxes = nn.ModuleList([nn.Conv2d(48, 32, 1), nn.Conv2d(96, 96, 1)])

    def forward(self, pixels):
        fine = self.fine(pixels)
        grids = (fine, self.coarse(fine))

        def anchors(convs, size):
            return torch.cat([conv(x).permute(0, 2, 3, 1).reshape(1, -1, size) for conv, x in zip(convs, grids)], 1)
        return anchors(self.scores, 1), anchors(self.boxes, 16)


def blazeface():
    return BlazeFace(), {"pixels": torch.randn(1, 3, 128, 128)}


class Lanes(nn.Module):
    """Ultra fast lane detection: a wide picture to the column of four lanes in each of 56 rows."""

    def __init__(self):
        super().__init__()
        self.backbone, self.pool = Backbone(), nn.Conv2d(128, 8, 1)
        self.head = nn.Sequential(nn.Linear(8 * 9 * 25, 256), nn.ReLU(), nn.Linear(256, 101 * 56 * 4))

    def forward(self, pixels):
        return self.head(self.pool(self.backbone(pixels)[3]).flatten(1)).view(-1, 101, 56, 4)


def lane():
    x = torch.randn(1, 3, 288, 800)
    return settled(Lanes(), x), {"pixels": x}


class Text(nn.Module):
    """DBNet: a feature pyramid joined at a quarter of the size, transposed convolutions to a map of text."""

    def __init__(self):
        super().__init__()
        self.backbone = Backbone()
        self.sides = nn.ModuleList(nn.Conv2d(16 << k, 32, 1, bias=False) for k in range(4))
        self.outs = nn.ModuleList(nn.Conv2d(32, 8, 3, padding=1, bias=False) for _ in range(4))
        self.head = nn.Sequential(conv_norm(32, 8), nn.ConvTranspose2d(8, 8, 2, 2), nn.BatchNorm2d(8), nn.ReLU(),
                                  nn.ConvTranspose2d(8, 1, 2, 2), nn.Sigmoid())

    def forward(self, pixels):
        features = [side(x) for side, x in zip(self.sides, self.backbone(pixels))]
        for k in (2, 1, 0):
            features[k] = features[k] + functional.interpolate(features[k + 1], scale_factor=2, mode="nearest")
        joined = [out(x) for out, x in zip(self.outs, features)]
        for k in (1, 2, 3):
            joined[k] = functional.interpolate(joined[k], scale_factor=2 ** k, mode="nearest")
        return self.head(torch.cat(joined[::-1], 1))


def dbnet():
    x = torch.randn(1, 3, 256, 320)
    return settled(Text(), x), {"pixels": x}


class Detr(nn.Module):
    """DETR: a transformer from features with learned positions to twenty queries, classes and boxes."""

    def __init__(self):
        super().__init__()
        self.backbone, self.project = Backbone(), nn.Conv2d(128, 64, 1)
        self.transformer = nn.Transformer(64, 4, 1, 1, 128, batch_first=True)
        self.queries = nn.Parameter(torch.randn(1, 20, 64))
        self.places = nn.Parameter(torch.randn(1, 16, 64))
        self.classes, self.boxes = nn.Linear(64, 11), nn.Linear(64, 4)

    def forward(self, pixels):
        x = self.project(self.backbone(pixels)[3]).flatten(2).transpose(1, 2)
        y = self.transformer(x + self.places, self.queries)
        return self.classes(y), self.boxes(y).sigmoid()


def detr():
    x = torch.randn(1, 3, 128, 128)
    return settled(Detr(), x), {"pixels": x}


class Follower(nn.Module):
    """SiamFC: the features of the tracked object are a depthwise kernel over those of the image."""

    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(conv_norm(3, 16, 5, 2), conv_norm(16, 32, 3, 2), nn.Conv2d(32, 32, 3))

    def forward(self, followed, pixels):
        z, x = self.features(followed), self.features(pixels)
        kernel = z.reshape(32, 1, *z.shape[2:])
        return functional.conv2d(x.reshape(1, 32, *x.shape[2:]), kernel, groups=32).sum(1, keepdim=True)


def siam():
    given = {"followed": torch.randn(1, 3, 63, 63), "pixels": torch.randn(1, 3, 127, 127)}
    return settled(Follower(), *given.values()), given


class Person(nn.Module):
    """MoveNet: the position with the best score, and the seventeen points predicted there."""

    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(conv_norm(3, 16, 3, 2), conv_norm(16, 24, 3, 2))
        self.centre, self.points = nn.Conv2d(24, 1, 1), nn.Conv2d(24, 34, 1)

    def forward(self, pixels):
        features = self.features(pixels)
        scores = self.centre(features).sigmoid()
        n, _, h, w = scores.shape
        best = scores.reshape(n, -1).argmax(1)
        told = self.points(features).permute(0, 2, 3, 1).reshape(n, h * w, 34)[torch.arange(n), best]
        return told.view(n, 17, 2) + torch.stack([best // w, best % w], -1)[:, None].float()


def movenet():
    x = torch.randn(1, 3, 96, 96)
    return settled(Person(), x), {"pixels": x}


class WeightedPyramid(nn.Module):
    """EfficientDet: features joined up and down with learned weights that sum to one, boxes of two grids."""

    def __init__(self):
        super().__init__()
        self.backbone = Backbone()
        self.sides = nn.ModuleList(nn.Conv2d(16 << k, 32, 1) for k in (1, 2, 3))
        self.weights = nn.Parameter(torch.ones(3, 2))
        self.conv = nn.ModuleList(nn.Sequential(
            nn.Conv2d(32, 32, 3, padding=1, groups=32), nn.Conv2d(32, 32, 1), nn.BatchNorm2d(32), nn.SiLU(),
        ) for _ in range(3))
        self.head = nn.Conv2d(32, 36, 3, padding=1)

    def forward(self, pixels):
        fine, middle, coarse = [side(x) for side, x in zip(self.sides, self.backbone(pixels)[1:])]
        w = functional.relu(self.weights)
        w = w / (w.sum(1, keepdim=True) + 1e-4)
        up = self.conv[0](w[0, 0] * middle + w[0, 1] * functional.interpolate(coarse, scale_factor=2))
        fine = self.conv[1](w[1, 0] * fine + w[1, 1] * functional.interpolate(up, scale_factor=2))
        down = self.conv[2](w[2, 0] * up + w[2, 1] * functional.max_pool2d(fine, 3, 2, 1))
        return torch.cat([self.head(x).permute(0, 2, 3, 1).reshape(1, -1, 4) for x in (fine, down)], 1)


def bifpn():
    x = torch.randn(1, 3, 128, 128)
    return settled(WeightedPyramid(), x), {"pixels": x}


MAKERS = {f.__name__: f for f in (hand, blazeface, lane, dbnet, detr, siam, movenet, bifpn)}
