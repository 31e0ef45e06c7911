"""Networks for sound, small and real, with random weights."""
import torch
from torch import nn
from torch.nn import functional

from zoo.wide_pictures import normal, settled

EXPORT = {
    "hifigan": {"opset_version": 13},
    "keyword_spotter": {"opset_version": 9},
    "conv_tasnet": {"opset_version": 11},
}


class Vocoder(nn.Module):
    """HiFi-GAN's generator, the narrow one: transposed convolutions along time, dilated residual blocks, tanh."""

    def __init__(self, width=128):
        super().__init__()
        self.first = nn.Conv1d(80, width, 7, padding=3)
        self.up, self.blocks = nn.ModuleList(), nn.ModuleList()
        for k, (rate, size) in enumerate(((8, 16), (8, 16), (2, 4), (2, 4))):
            given, made = width >> k, width >> (k + 1)
            self.up.append(nn.ConvTranspose1d(given, made, size, rate, (size - rate) // 2))
            self.blocks.append(nn.ModuleList(nn.Conv1d(made, made, kernel, dilation=d, padding=d * (kernel - 1) // 2)
                                             for kernel in (3, 7) for d in (1, 3, 5)))
        self.last = nn.Conv1d(width >> 4, 1, 7, padding=3)

    def forward(self, mel):
        x = self.first(mel)
        for up, blocks in zip(self.up, self.blocks):
            x = up(functional.leaky_relu(x, 0.1))
            total = None
            for half in (blocks[:3], blocks[3:]):
                y = x
                for conv in half:
                    y = y + conv(functional.leaky_relu(y, 0.1))
                total = y if total is None else total + y
            x = total / 2
        return torch.tanh(self.last(functional.leaky_relu(x)))


def hifigan():
    return Vocoder(), {"mel": normal((1, 80, 32), 71)}


class KeywordSpotter(nn.Module):
    """DS-CNN on 49 x 10 features: a wide first convolution, four depthwise separable ones, the mean, softmax."""

    def __init__(self, width=172):
        super().__init__()
        parts = [nn.Conv2d(1, width, (10, 4), (2, 1), (5, 1)), nn.BatchNorm2d(width), nn.ReLU()]
        for _ in range(4):
            parts += [nn.Conv2d(width, width, 3, padding=1, groups=width), nn.BatchNorm2d(width), nn.ReLU(),
                      nn.Conv2d(width, width, 1), nn.BatchNorm2d(width), nn.ReLU()]
        self.net, self.head = nn.Sequential(*parts), nn.Linear(width, 12)

    def forward(self, features):
        return functional.softmax(self.head(self.net(features).mean((2, 3))), -1)


def keyword_spotter():
    x = normal((1, 1, 49, 10), 72)
    return settled(KeywordSpotter(), x), {"features": x}


class GlobalNorm(nn.Module):
    """Mean and variance over channels and time."""

    def __init__(self, width):
        super().__init__()
        self.gain, self.shift = nn.Parameter(torch.ones(1, width, 1)), nn.Parameter(torch.zeros(1, width, 1))

    def forward(self, x):
        mean = x.mean(dim=(1, 2), keepdim=True)
        variance = ((x - mean) ** 2).mean(dim=(1, 2), keepdim=True)
        return self.gain * (x - mean) / (variance + 1e-8) ** 0.5 + self.shift


class ConvTasNet(nn.Module):
    """Separates two voices: learned frames, dilated depthwise blocks with global norms, masks, overlap and add."""

    def __init__(self, frames=256, width=128, inner=256):
        super().__init__()
        self.encode = nn.Conv1d(1, frames, 16, 8, bias=False)
        self.norm, self.bottle = GlobalNorm(frames), nn.Conv1d(frames, width, 1)
        self.blocks = nn.ModuleList(nn.Sequential(
            nn.Conv1d(width, inner, 1), nn.PReLU(), GlobalNorm(inner),
            nn.Conv1d(inner, inner, 3, dilation=1 << k, padding=1 << k, groups=inner), nn.PReLU(), GlobalNorm(inner),
            nn.Conv1d(inner, width, 1)) for k in range(6))
        self.masks = nn.Sequential(nn.PReLU(), nn.Conv1d(width, 2 * frames, 1))
        self.decode = nn.ConvTranspose1d(frames, 1, 16, 8, bias=False)

    def forward(self, wave):
        w = functional.relu(self.encode(wave))
        x = self.bottle(self.norm(w))
        for block in self.blocks:
            x = x + block(x)
        masks = torch.sigmoid(self.masks(x)).view(x.shape[0], 2, w.shape[1], -1)
        parts = w[:, None] * masks
        return torch.cat([self.decode(parts[:, k]) for k in range(2)], 1)


def conv_tasnet():
    return ConvTasNet(), {"wave": normal((1, 1, 8000), 73)}


MAKERS = {f.__name__: f for f in (hifigan, keyword_spotter, conv_tasnet)}
