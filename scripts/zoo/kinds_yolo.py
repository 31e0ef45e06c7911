"""YOLOv8, narrow: with all its boxes, and with the five best."""
import torch
from torch import nn
from torch.nn import functional

from zoo.kinds_layers import conv_norm, settled, with_scores_apart

BINS = 16  # a side of a box is the mean of a distribution over this many distances
PRIOR = -4.0  # most positions have no object


def conv(given, made, kernel=3, stride=1):
    return conv_norm(given, made, kernel, stride, activation=nn.SiLU)


class Split(nn.Module):
    """C2f with one bottleneck."""

    def __init__(self, width):
        super().__init__()
        self.first, self.last = conv(width, width, 1), conv(width + width // 2, width, 1)
        self.inner = nn.Sequential(conv(width // 2, width // 2), conv(width // 2, width // 2))

    def forward(self, x):
        a, b = self.first(x).chunk(2, 1)
        return self.last(torch.cat([a, b, b + self.inner(b)], 1))


class Pyramid(nn.Module):
    """Picture to features at 1/8, 1/16 and 1/32 of the size, pooled at the end, with two joins upwards."""

    def __init__(self, width):
        super().__init__()
        w = width
        self.stem = nn.Sequential(conv(3, w, 3, 2), conv(w, 2 * w, 3, 2), Split(2 * w))
        self.fine = nn.Sequential(conv(2 * w, 4 * w, 3, 2), Split(4 * w))
        self.middle = nn.Sequential(conv(4 * w, 8 * w, 3, 2), Split(8 * w))
        self.coarse = nn.Sequential(conv(8 * w, 8 * w, 3, 2), Split(8 * w))
        self.pool, self.pooled = nn.MaxPool2d(5, 1, 2), conv(32 * w, 8 * w, 1)
        self.join1, self.join2 = conv(16 * w, 8 * w, 1), conv(12 * w, 4 * w, 1)

    def forward(self, x):
        fine = self.fine(self.stem(x))
        middle = self.middle(fine)
        parts = [self.coarse(middle)]
        for _ in range(3):
            parts.append(self.pool(parts[-1]))
        coarse = self.pooled(torch.cat(parts, 1))
        middle = self.join1(torch.cat([functional.interpolate(coarse, scale_factor=2.0), middle], 1))
        fine = self.join2(torch.cat([functional.interpolate(middle, scale_factor=2.0), fine], 1))
        return fine, middle, coarse


class Yolo(nn.Module):
    """Boxes and class scores of all places."""

    def __init__(self, width=16, classes=20):
        super().__init__()
        self.pyramid, self.classes = Pyramid(width), classes
        self.sides = nn.ModuleList(nn.Conv2d(k * width, 4 * BINS, 1) for k in (4, 8, 8))
        self.scores = nn.ModuleList(nn.Sequential(nn.Conv2d(k * width, classes, 1), nn.BatchNorm2d(classes))
                                    for k in (4, 8, 8))
        for _, norm in self.scores:
            nn.init.constant_(norm.bias, PRIOR)

    def found(self, pixels):
        """Boxes [1, 4, places] (centre and size) and scores [1, classes, places]."""
        sides, scores, centres, strides = [], [], [], []
        for x, side, score, stride in zip(self.pyramid(pixels), self.sides, self.scores, (8, 16, 32)):
            n, _, h, w = x.shape
            sides.append(side(x).reshape(n, 4 * BINS, h * w))
            scores.append(score(x).reshape(n, self.classes, h * w))
            rows, columns = torch.meshgrid(torch.arange(h) + 0.5, torch.arange(w) + 0.5, indexing="ij")
            centres.append(torch.stack([columns, rows]).reshape(2, -1))
            strides.append(torch.full((1, h * w), float(stride)))
        sides, centres, strides = torch.cat(sides, 2), torch.cat(centres, 1), torch.cat(strides, 1)
        shares = sides.view(sides.shape[0], 4, BINS, -1).transpose(1, 2).softmax(1)
        before, after = (shares * torch.arange(float(BINS)).view(1, BINS, 1, 1)).sum(1).chunk(2, 1)
        first, last = centres - before, centres + after
        return torch.cat([(first + last) / 2 * strides, (last - first) * strides], 1), torch.cat(scores, 2).sigmoid()

    def forward(self, pixels):
        return torch.cat(self.found(pixels), 1)


def yolo8():
    x = torch.randn(1, 3, 160, 160)
    return settled(Yolo(), x), {"pixels": x}


class YoloBest(Yolo):
    """The boxes of the best scores."""

    count = 5

    def forward(self, pixels):
        boxes, scores = self.found(pixels)
        best, places = scores.amax(1).topk(self.count, 1)
        return best, torch.gather(boxes.transpose(1, 2), 1, places.unsqueeze(-1).expand(-1, -1, 4))


def picture():
    """Six bright objects on weak noise, for a larger spread of scores than with noise only."""
    x = 0.1 * torch.randn(1, 3, 160, 160)
    for _ in range(6):
        row, column = torch.randint(0, 120, (2,)).tolist()
        rows, columns = torch.randint(16, 80, (2,)).tolist()
        x[:, :, row:row + rows, column:column + columns] += 2 * torch.randn(1, 3, 1, 1)
    return {"pixels": x}


def yolo8top():
    model = settled(YoloBest(), torch.cat([picture()["pixels"] for _ in range(8)]))
    return model, with_scores_apart(model, picture)


MAKERS = {f.__name__: f for f in (yolo8, yolo8top)}
