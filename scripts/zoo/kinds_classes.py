"""Small image classifiers and encoders other than plain convolutional networks."""
import torch
from torch import nn
from torch.nn import functional

from zoo.kinds_layers import conv_norm, settled


class Straightened(nn.Module):
    """A spatial transformer: a network predicts the transform of the digit, which is resampled before classification."""

    def __init__(self):
        super().__init__()
        self.turn = nn.Sequential(
            nn.Conv2d(1, 8, 7), nn.MaxPool2d(2), nn.ReLU(), nn.Conv2d(8, 10, 5), nn.MaxPool2d(2), nn.ReLU(),
            nn.Flatten(), nn.Linear(90, 32), nn.ReLU(), nn.Linear(32, 6))
        self.read = nn.Sequential(
            nn.Conv2d(1, 10, 5), nn.MaxPool2d(2), nn.ReLU(), nn.Conv2d(10, 20, 5), nn.MaxPool2d(2), nn.ReLU(),
            nn.Flatten(), nn.Linear(320, 50), nn.ReLU(), nn.Linear(50, 10))

    def forward(self, pixels):
        theta = self.turn(pixels).view(-1, 2, 3) * 0.1 + torch.tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])
        grid = functional.affine_grid(theta, list(pixels.shape), align_corners=False)
        return functional.log_softmax(self.read(functional.grid_sample(pixels, grid, align_corners=False)), 1)


def stn():
    return Straightened(), {"pixels": torch.randn(1, 1, 28, 28)}


class Mixer(nn.Module):
    """MLP-Mixer: perceptrons over positions and over channels in turn."""

    def __init__(self):
        super().__init__()
        self.patches = nn.Conv2d(3, 64, 8, 8)
        self.mix = nn.ModuleList(nn.Sequential(nn.Linear(64, 128), nn.GELU(), nn.Linear(128, 64)) for _ in range(4))
        self.norms = nn.ModuleList(nn.LayerNorm(64) for _ in range(4))
        self.head = nn.Linear(64, 10)

    def forward(self, pixels):
        x = self.patches(pixels).flatten(2).transpose(1, 2)
        for k in (0, 2):
            x = x + self.mix[k](self.norms[k](x).transpose(1, 2)).transpose(1, 2)
            x = x + self.mix[k + 1](self.norms[k + 1](x))
        return self.head(x.mean(1))


def mixer():
    return Mixer(), {"pixels": torch.randn(1, 3, 64, 64)}


class MobileVit(nn.Module):
    """MobileViT's block: 2 x 2 patches unfolded, attention between the same places of patches, folded back."""

    def __init__(self):
        super().__init__()
        self.first = conv_norm(3, 32, 3, 4, activation=nn.SiLU)
        self.layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True, activation="gelu")
        self.last = nn.Conv2d(64, 32, 3, padding=1)

    def forward(self, pixels):
        y = self.first(pixels)
        n, c, h, w = y.shape
        patches = h * w // 4
        z = y.reshape(n * c * h // 2, 2, w // 2, 2).transpose(1, 2).reshape(n, c, patches, 4)
        z = self.layer(z.transpose(1, 3).reshape(n * 4, patches, c))
        z = z.view(n, 4, patches, c).transpose(1, 3).reshape(n * c * h // 2, w // 2, 2, 2)
        return self.last(torch.cat([y, z.transpose(1, 2).reshape(n, c, h, w)], 1))


def mobilevit():
    x = torch.randn(1, 3, 64, 64)
    return settled(MobileVit(), x), {"pixels": x}


MAKERS = {f.__name__: f for f in (stn, mixer, mobilevit)}
