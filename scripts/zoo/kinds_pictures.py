"""Small image-to-image networks: style, restoration, super resolution, light, depth, optical flow."""
import torch
from torch import nn
from torch.nn import functional

from zoo.kinds_layers import Backbone, conv_norm, settled


def reflected(given, made, kernel, stride=1):
    return nn.Sequential(nn.ReflectionPad2d(kernel // 2), nn.Conv2d(given, made, kernel, stride))


def instance_normed(given, made, kernel, stride=1):
    return nn.Sequential(reflected(given, made, kernel, stride), nn.InstanceNorm2d(made, affine=True), nn.ReLU())


class StyleResidual(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.net = nn.Sequential(instance_normed(width, width, 3), reflected(width, width, 3),
                                 nn.InstanceNorm2d(width, affine=True))

    def forward(self, x):
        return x + self.net(x)


class Style(nn.Module):
    """Fast style transfer: reflected borders, instance norms, two residual blocks, nearest upsampling."""

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(
            instance_normed(3, 16, 9), instance_normed(16, 32, 3, 2), instance_normed(32, 64, 3, 2),
            StyleResidual(64), StyleResidual(64), nn.Upsample(scale_factor=2), instance_normed(64, 32, 3),
            nn.Upsample(scale_factor=2), instance_normed(32, 16, 3), reflected(16, 3, 9))

    def forward(self, pixels):
        return self.net(pixels)


def style():
    return Style(), {"pixels": torch.randn(1, 3, 128, 128)}


class Anime(nn.Module):
    """AnimeGAN: group norms over all channels, reflected borders on two sides, bilinear upsampling, tanh."""

    def __init__(self):
        super().__init__()
        self.first, self.norm1 = nn.Conv2d(3, 16, 7), nn.GroupNorm(1, 16)
        self.second, self.norm2 = nn.Conv2d(16, 32, 3, 2), nn.GroupNorm(1, 32)
        self.last = nn.Conv2d(32, 3, 7)

    def forward(self, pixels):
        x = self.norm1(self.first(functional.pad(pixels, (3, 3, 3, 3), "reflect")))
        x = functional.pad(functional.leaky_relu(x, 0.2), (0, 1, 0, 1), "reflect")
        x = functional.leaky_relu(self.norm2(self.second(x)), 0.2)
        x = functional.interpolate(x, scale_factor=2, mode="bilinear", align_corners=False)
        return torch.tanh(self.last(functional.pad(x, (3, 3, 3, 3), "reflect")))


def anime():
    return Anime(), {"pixels": torch.randn(1, 3, 64, 64)}


class AutoEncoder(nn.Module):
    """A variational autoencoder's way through its mean: 28 x 28 digits, transposed convolutions."""

    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Conv2d(1, 16, 4, 2, 1), nn.ReLU(), nn.Conv2d(16, 32, 4, 2, 1), nn.ReLU(),
                                     nn.Flatten(), nn.Linear(32 * 49, 16))
        self.unfold = nn.Linear(16, 32 * 49)
        self.decoder = nn.Sequential(nn.ConvTranspose2d(32, 16, 4, 2, 1), nn.ReLU(),
                                     nn.ConvTranspose2d(16, 1, 4, 2, 1), nn.Sigmoid())

    def forward(self, pixels):
        return self.decoder(self.unfold(self.encoder(pixels)).view(-1, 32, 7, 7))


def vae():
    return AutoEncoder(), {"pixels": torch.randn(1, 1, 28, 28)}


class Espcn(nn.Module):
    """ESPCN: three times the size by shuffled channels."""

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Conv2d(1, 32, 5, padding=2), nn.Tanh(), nn.Conv2d(32, 16, 3, padding=1), nn.Tanh(),
                                 nn.Conv2d(16, 9, 3, padding=1), nn.PixelShuffle(3))

    def forward(self, pixels):
        return self.net(pixels)


def espcn():
    return Espcn(), {"pixels": torch.randn(1, 1, 60, 80)}


class DenseResidual(nn.Module):
    """ESRGAN: one residual dense block, nearest upsampling."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 32, 3, padding=1)
        self.dense = nn.ModuleList(nn.Conv2d(32 + 16 * k, 16 if k < 4 else 32, 3, padding=1) for k in range(5))
        self.up, self.last = nn.Conv2d(32, 32, 3, padding=1), nn.Conv2d(32, 3, 3, padding=1)

    def forward(self, pixels):
        x = self.first(pixels)
        features = [x]
        for conv in self.dense[:4]:
            features.append(functional.leaky_relu(conv(torch.cat(features, 1)), 0.2))
        x = x + 0.2 * self.dense[4](torch.cat(features, 1))
        return self.last(functional.leaky_relu(self.up(functional.interpolate(x, scale_factor=2)), 0.2))


def rrdb():
    return DenseResidual(), {"pixels": torch.randn(1, 3, 48, 48)}


class Naf(nn.Module):
    """NAFNet: one block with a norm over channels, a gate of halves, and channel attention without activations."""

    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Conv2d(3, 32, 3, padding=1), nn.Conv2d(32, 3, 3, padding=1)
        self.wide, self.depthwise = nn.Conv2d(32, 64, 1), nn.Conv2d(64, 64, 3, padding=1, groups=64)
        self.attention, self.mix = nn.Conv2d(32, 32, 1), nn.Conv2d(32, 32, 1)
        self.gain = nn.Parameter(torch.ones(1, 32, 1, 1))

    def forward(self, pixels):
        x = self.first(pixels)
        mean = x.mean(1, keepdim=True)
        variance = (x - mean).pow(2).mean(1, keepdim=True)
        y = (x - mean) / torch.sqrt(variance + 1e-6) * self.gain
        a, b = self.depthwise(self.wide(y)).chunk(2, 1)
        y = a * b
        y = y * self.attention(functional.adaptive_avg_pool2d(y, 1))
        return self.last(x + self.mix(y)) + pixels


def naf():
    return Naf(), {"pixels": torch.randn(1, 3, 64, 64)}


class ZeroDce(nn.Module):
    """Zero-DCE: eight curves for each pixel, applied one after the other, make a dark picture lighter."""

    def __init__(self):
        super().__init__()
        sizes = ((3, 16), (16, 16), (16, 16), (32, 16), (32, 24))
        self.conv = nn.ModuleList(nn.Conv2d(given, made, 3, padding=1) for given, made in sizes)

    def forward(self, pixels):
        a = functional.relu(self.conv[0](pixels))
        b = functional.relu(self.conv[1](a))
        c = functional.relu(self.conv[2](b))
        d = functional.relu(self.conv[3](torch.cat([b, c], 1)))
        x = pixels
        for curve in torch.tanh(self.conv[4](torch.cat([a, d], 1))).split(3, 1):
            x = x + curve * (x * x - x)
        return x


def zerodce():
    return ZeroDce(), {"pixels": torch.rand(1, 3, 64, 96)}


class Flow(nn.Module):
    """Optical flow of two pictures: features, two rounds of sampling the second one where the flow leads."""

    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(conv_norm(3, 16, 3, 2), conv_norm(16, 32, 3, 2))
        self.change = nn.Sequential(nn.Conv2d(66, 32, 3, padding=1), nn.ReLU(), nn.Conv2d(32, 2, 3, padding=1))

    def forward(self, first, second):
        a, b = self.features(first), self.features(second)
        h, w = a.shape[2:]
        y, x = torch.meshgrid(torch.linspace(-1, 1, h), torch.linspace(-1, 1, w), indexing="ij")
        places, flow = torch.stack([x, y], -1)[None], torch.zeros(1, 2, h, w)
        for _ in range(2):
            moved = functional.grid_sample(b, places + flow.permute(0, 2, 3, 1) * 0.05, align_corners=True)
            flow = flow + self.change(torch.cat([a, moved, flow], 1))
        return functional.interpolate(flow, scale_factor=4, mode="bilinear", align_corners=True)


def flow():
    pictures = torch.randn(2, 1, 3, 64, 64)
    return settled(Flow(), *pictures), {"first": pictures[0], "second": pictures[1]}


class Depth(nn.Module):
    """MiDaS: features of four sizes, upsampled to each other with corners aligned, one depth for each pixel."""

    def __init__(self):
        super().__init__()
        self.backbone = Backbone()
        self.sides = nn.ModuleList(nn.Conv2d(16 << k, 32, 3, padding=1) for k in range(4))
        self.head = nn.Sequential(
            nn.Conv2d(32, 16, 3, padding=1), nn.Upsample(scale_factor=2, mode="bilinear", align_corners=False),
            nn.Conv2d(16, 1, 3, padding=1), nn.ReLU())

    def forward(self, pixels):
        features = self.backbone(pixels)
        y = self.sides[3](features[3])
        for x, side in zip(features[2::-1], self.sides[2::-1]):
            y = functional.interpolate(y, size=x.shape[2:], mode="bilinear", align_corners=True) + side(x)
        return self.head(y).squeeze(1)


def depth():
    x = torch.randn(1, 3, 128, 128)
    return settled(Depth(), x), {"pixels": x}


class Spectrum(nn.Module):
    """LaMa's Fourier unit: a convolution of the picture's spectrum."""

    def __init__(self):
        super().__init__()
        self.mix = nn.Conv2d(6, 6, 1)

    def forward(self, pixels):
        given = torch.fft.rfft2(pixels, norm="ortho")
        real, imaginary = functional.relu(self.mix(torch.cat([given.real, given.imag], 1))).chunk(2, 1)
        return torch.fft.irfft2(torch.complex(real, imaginary), s=pixels.shape[2:], norm="ortho")


def fft():
    return Spectrum(), {"pixels": torch.randn(1, 3, 32, 32)}


MAKERS = {f.__name__: f for f in (style, anime, vae, espcn, rrdb, naf, zerodce, flow, depth, fft)}
