"""Streaming models: states and caches as inputs and outputs, spectra of frames."""
import torch
from torch import nn
from torch.nn import functional

from zoo.kinds_layers import conv_norm, heads, joined, settled


class Spectra(nn.Module):
    """Frames of a waveform as log mel spectra, whose peaks bound them below; a convolution and a GRU over time."""

    def __init__(self):
        super().__init__()
        self.register_buffer("window", torch.hann_window(128))
        self.mel = nn.Parameter(torch.rand(32, 65))
        self.conv, self.rnn = nn.Conv1d(32, 24, 3, padding=1), nn.GRU(24, 24, batch_first=True)
        self.tags = nn.Linear(24, 5)

    def forward(self, wave):
        parts = torch.stft(wave, 128, 64, window=self.window, return_complex=False)
        mel = torch.log10((self.mel @ (parts[..., 0] ** 2 + parts[..., 1] ** 2)).clamp(min=1e-10))
        mel = (torch.maximum(mel, mel.max() - 8) + 4) / 4
        return self.tags(self.rnn(functional.relu(self.conv(mel)).transpose(1, 2))[0])


def spectra():
    return Spectra(), {"wave": torch.randn(1, 1024)}


class SubSpectral(nn.Module):
    """A batch norm of its own for each of the bands of frequencies."""

    def __init__(self, channels, bands=5):
        super().__init__()
        self.bands, self.norm = bands, nn.BatchNorm2d(channels * bands)

    def forward(self, x):
        n, c, f, t = x.shape
        return self.norm(x.view(n, c * self.bands, f // self.bands, t)).view(n, c, f, t)


class Broadcast(nn.Module):
    """BC-ResNet's block: features by frequency, and of their mean by time, which is added to all frequencies."""

    def __init__(self, given, made, stride=1, dilation=1):
        super().__init__()
        self.first = conv_norm(given, made, 1) if given != made else nn.Identity()
        self.bands = nn.Conv2d(made, made, (3, 1), (stride, 1), (1, 0), groups=made, bias=False)
        self.norm = SubSpectral(made)
        self.times = nn.Sequential(
            nn.Conv2d(made, made, (1, 3), padding=(0, dilation), dilation=(1, dilation), groups=made, bias=False),
            nn.BatchNorm2d(made), nn.SiLU(), nn.Conv2d(made, made, 1, bias=False))
        self.same = given == made and stride == 1

    def forward(self, x):
        y = self.norm(self.bands(self.first(x)))
        y = self.times(y.mean(2, keepdim=True)) + y
        return functional.relu(y + x if self.same else y)


def bcresnet():
    x = torch.randn(2, 1, 40, 48)
    model = nn.Sequential(nn.Conv2d(1, 16, 5, (2, 1), 2, bias=False), nn.BatchNorm2d(16), nn.ReLU(), Broadcast(16, 8),
                          Broadcast(8, 8), Broadcast(8, 12, 2, 2), Broadcast(12, 12, 1, 2), nn.Conv2d(12, 12, 1),
                          nn.AdaptiveAvgPool2d(1), nn.Flatten())
    return settled(model, x), {"mel": x[:1]}


class GroupedGru(nn.Module):
    """DeepFilterNet's: linear layers of groups around a GRU, written as einsum."""

    def __init__(self, width, hidden, groups=4):
        super().__init__()
        self.groups = groups
        self.into = nn.Parameter(torch.randn(groups, width // groups, hidden // groups) * 0.2)
        self.out = nn.Parameter(torch.randn(groups, hidden // groups, width // groups) * 0.2)
        self.rnn = nn.GRU(hidden, hidden, batch_first=True)

    def mixed(self, x, weights):
        parts = x.view(x.shape[0], x.shape[1], self.groups, x.shape[2] // self.groups)
        return functional.relu(torch.einsum("btgi,gih->btgh", parts, weights).flatten(2))

    def forward(self, x):
        return self.mixed(self.rnn(self.mixed(x, self.into))[0], self.out)


class Filters(nn.Module):
    """The encoder of a noise suppressor: convolutions that look back, over bands and over complex bins."""

    def __init__(self):
        super().__init__()
        self.bands = nn.Sequential(nn.ConstantPad2d((0, 0, 2, 0), 0.0), nn.Conv2d(1, 16, 3, padding=(0, 1), bias=False),
                                   nn.BatchNorm2d(16), nn.ReLU())
        self.less = nn.ModuleList(nn.Sequential(nn.Conv2d(16, 16, (1, 3), (1, 2), (0, 1), groups=16, bias=False),
                                                nn.Conv2d(16, 16, 1, bias=False), nn.BatchNorm2d(16), nn.ReLU())
                                  for _ in range(2))
        self.bins = nn.Sequential(nn.Conv2d(2, 16, (1, 3), (1, 2), (0, 1), bias=False), nn.BatchNorm2d(16), nn.ReLU())
        self.mix, self.rnn, self.snr = nn.Linear(16 * 24, 128), GroupedGru(128, 64), nn.Linear(128, 1)

    def forward(self, bands, bins):
        first = self.bands(bands)
        second = self.less[1](self.less[0](first))
        more = self.mix(self.bins(bins).permute(0, 2, 3, 1).flatten(2))
        y = self.rnn(second.permute(0, 2, 3, 1).flatten(2) + functional.relu(more))
        return first, y, torch.sigmoid(self.snr(y)) * 50 - 15


def filters():
    inputs = {"bands": torch.randn(1, 1, 12, 32), "bins": torch.randn(1, 2, 12, 48)}
    return settled(Filters(), *inputs.values()), inputs


class ConvGru(nn.Module):
    """A GRU whose products are convolutions."""

    def __init__(self, channels):
        super().__init__()
        self.gates = nn.Conv2d(2 * channels, 2 * channels, 3, padding=1)
        self.new = nn.Conv2d(2 * channels, channels, 3, padding=1)

    def forward(self, x, state):
        reset, keep = torch.sigmoid(self.gates(torch.cat([x, state], 1))).chunk(2, 1)
        new = torch.tanh(self.new(torch.cat([x, reset * state], 1)))
        return (1 - keep) * state + keep * new


class Matting(nn.Module):
    """Video matting, frame by frame: half of the channels at each size go through a ConvGRU."""

    def __init__(self):
        super().__init__()
        self.down = nn.ModuleList([conv_norm(3, 16, 3, 2), conv_norm(16, 24, 3, 2), conv_norm(24, 32, 3, 2)])
        self.up = nn.ModuleList([conv_norm(32 + 24 + 3, 24), conv_norm(24 + 16 + 3, 16)])
        self.memory = nn.ModuleList([ConvGru(16), ConvGru(12)])
        self.last = nn.Conv2d(16, 4, 1)

    def remembered(self, k, x, state):
        kept, moving = x.chunk(2, 1)
        state = self.memory[k](moving, state)
        return torch.cat([kept, state], 1), state

    def forward(self, frame, state1, state2):
        features, pictures = [frame], [frame]
        for step in self.down:
            features.append(step(features[-1]))
            pictures.append(functional.avg_pool2d(pictures[-1], 2, 2, count_include_pad=False, ceil_mode=True))
        y, state1 = self.remembered(0, features[3], state1)
        y = functional.interpolate(y, scale_factor=2, mode="bilinear")
        y = self.up[0](torch.cat([y, features[2], pictures[2]], 1))
        y, state2 = self.remembered(1, y, state2)
        y = functional.interpolate(y, scale_factor=2, mode="bilinear")
        y = self.up[1](torch.cat([y, features[1], pictures[1]], 1))
        y = functional.interpolate(self.last(y), scale_factor=2, mode="bilinear")
        return (y[:, :3] + frame).clamp(0, 1), torch.sigmoid(y[:, 3:]), state1, state2


def matting():
    inputs = {"frame": torch.rand(1, 3, 64, 96), "state1": torch.randn(1, 16, 8, 12) * 0.2,
              "state2": torch.randn(1, 12, 16, 24) * 0.2}
    return settled(Matting(), *inputs.values()), inputs


class Chunk(nn.Module):
    """A chunk of a streaming speech encoder: attention to a cache of keys, of which as many count as were processed,
    and a convolution over a cache of frames; both caches move on."""

    def __init__(self, width=64, kernel=9):
        super().__init__()
        self.kernel, self.qkv, self.out = kernel, nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.gate, self.last = nn.Linear(width, 2 * width), nn.Linear(width, width)
        self.conv, self.bypass = nn.Conv1d(width, width, kernel, groups=width), nn.Parameter(torch.tensor(0.5))

    def forward(self, frames, keys, values, past, processed):
        q, k, v = self.qkv(frames).chunk(3, -1)
        k, v = torch.cat([keys, k], 1), torch.cat([values, v], 1)
        scores = heads(q, 4) @ heads(k, 4).transpose(-1, -2) / 4
        left = keys.shape[1]
        hidden = torch.arange(k.shape[1])[None] < left - processed[:, None]
        scores = scores.masked_fill(hidden[:, None, None], -1000.0)
        y = frames + self.out(joined(scores.softmax(-1) @ heads(v, 4)))
        z = torch.cat([past, functional.glu(self.gate(y), -1).transpose(1, 2)], 2)
        w = self.conv(z).transpose(1, 2)
        y = y + self.last(torch.log1p(torch.exp(w - 1)) - 0.08 * w - 0.313)
        return (frames + (y - frames) * self.bypass, k[:, -left:], v[:, -left:], z[:, :, 1 - self.kernel:],
                processed + frames.shape[1])


def chunk():
    return Chunk(), {"frames": torch.randn(1, 16, 64), "keys": torch.randn(1, 32, 64), "values": torch.randn(1, 32, 64),
                     "past": torch.randn(1, 64, 8), "processed": torch.tensor([20])}


MAKERS = {f.__name__: f for f in (spectra, bcresnet, filters, matting, chunk)}
