"""Networks for voices and sounds, small ones: voice activity, noise suppression, key words, speakers."""
import torch
from torch import nn
from torch.nn import functional

from zoo.kinds_layers import conv_norm, settled


class VoiceActivity(nn.Module):
    """Spectrum by a convolution, an encoder, one step of an LSTM whose state is given and returned."""

    def __init__(self):
        super().__init__()
        self.spectrum = nn.Conv1d(1, 130, 256, 128, bias=False)
        self.encoder = nn.Sequential(nn.Conv1d(65, 64, 3, 1, 1), nn.ReLU(), nn.Conv1d(64, 64, 3, 2, 1), nn.ReLU())
        self.step = nn.LSTMCell(64, 64)
        self.decoder = nn.Conv1d(64, 1, 1)

    def forward(self, wave, hidden, cell):
        y = self.spectrum(functional.pad(wave.unsqueeze(1), (64, 64), mode="reflect"))
        size = torch.sqrt(y[:, :65] ** 2 + y[:, 65:] ** 2 + 1e-6)
        hidden, cell = self.step(self.encoder(size).mean(2), (hidden, cell))
        speech = torch.sigmoid(self.decoder(functional.relu(hidden).unsqueeze(-1))).mean(2)
        return speech, hidden, cell


def vad():
    return VoiceActivity(), {"wave": torch.randn(1, 512), "hidden": torch.randn(1, 64), "cell": torch.randn(1, 64)}


class RnNoise(nn.Module):
    """RNNoise: three GRUs over ten frames of 42 features, gains of 22 bands and voice activity."""

    def __init__(self):
        super().__init__()
        self.dense = nn.Linear(42, 24)
        self.voice = nn.GRU(24, 24, batch_first=True)
        self.noise = nn.GRU(90, 48, batch_first=True)
        self.denoise = nn.GRU(114, 96, batch_first=True)
        self.gains, self.activity = nn.Linear(96, 22), nn.Linear(24, 1)

    def forward(self, features):
        dense = torch.tanh(self.dense(features))
        voice, _ = self.voice(dense)
        noise, _ = self.noise(torch.cat([dense, voice, features], -1))
        denoised, _ = self.denoise(torch.cat([voice, noise, features], -1))
        return torch.sigmoid(self.gains(denoised)), torch.sigmoid(self.activity(voice))


def rnnoise():
    return RnNoise(), {"features": torch.randn(1, 10, 42)}


class Dtln(nn.Module):
    """DTLN: a mask of the spectrum by two LSTMs with given state, and one of learned frames by an LSTM."""

    def __init__(self):
        super().__init__()
        self.first = nn.LSTM(129, 64, 2, batch_first=True)
        self.mask = nn.Linear(64, 129)
        self.encode, self.decode = nn.Conv1d(256, 128, 1, bias=False), nn.Conv1d(128, 256, 1, bias=False)
        self.norm = nn.LayerNorm(128)
        self.second = nn.LSTM(128, 64, batch_first=True)
        self.frame_mask = nn.Linear(64, 128)

    def forward(self, spectrum, frame, state):
        y, (hidden, cell) = self.first(spectrum, (state[0], state[1]))
        frames = self.encode(frame.transpose(1, 2)).transpose(1, 2)
        z, _ = self.second(self.norm(frames))
        frames = frames * torch.sigmoid(self.frame_mask(z))
        return (torch.sigmoid(self.mask(y)) * spectrum, self.decode(frames.transpose(1, 2)),
                torch.stack([hidden, cell]))


def dtln():
    return Dtln(), {"spectrum": torch.randn(1, 1, 129).abs(), "frame": torch.randn(1, 1, 256),
                    "state": torch.randn(2, 2, 1, 64)}


class Keywords(nn.Module):
    """DS-CNN, the small one: 49 x 10 features, four depthwise separable convolutions, softmax of twelve words."""

    def __init__(self):
        super().__init__()
        parts = [nn.Conv2d(1, 64, (10, 4), 2, (5, 1)), nn.BatchNorm2d(64), nn.ReLU()]
        for _ in range(4):
            parts += [conv_norm(64, 64, 3, 1, 64), conv_norm(64, 64, 1)]
        self.net = nn.Sequential(*parts, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 12), nn.Softmax(1))

    def forward(self, features):
        return self.net(features)


def dscnn():
    x = torch.randn(1, 1, 49, 10)
    return settled(Keywords(), x), {"features": x}


class GatedTime(nn.Module):
    """WaveNet's gated, dilated convolutions that look back only."""

    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Conv1d(8, 32, 1), nn.Conv1d(32, 8, 1)
        self.dilated = nn.ModuleList(nn.Conv1d(32, 64, 3, dilation=1 << k) for k in range(4))
        self.mix = nn.ModuleList(nn.Conv1d(32, 32, 1) for _ in range(4))

    def forward(self, series):
        x, total = self.first(series), 0
        for k, (dilated, mix) in enumerate(zip(self.dilated, self.mix)):
            value, gate = dilated(functional.pad(x, (2 << k, 0))).chunk(2, 1)
            y = mix(torch.tanh(value) * torch.sigmoid(gate))
            x, total = x + y, total + y
        return self.last(functional.relu(total))


def tcn():
    return GatedTime(), {"series": torch.randn(1, 8, 100)}


class Speaker(nn.Module):
    """ECAPA-TDNN: one Res2Net block, squeeze and excitation, attentive mean and deviation over time."""

    def __init__(self):
        super().__init__()
        self.first = nn.Sequential(nn.Conv1d(40, 64, 5, padding=2), nn.ReLU(), nn.BatchNorm1d(64))
        self.parts = nn.ModuleList(nn.Conv1d(16, 16, 3, padding=d, dilation=d) for d in (2, 3, 4))
        self.excite = nn.Sequential(nn.Linear(64, 16), nn.ReLU(), nn.Linear(16, 64), nn.Sigmoid())
        self.attend = nn.Sequential(nn.Conv1d(192, 32, 1), nn.Tanh(), nn.Conv1d(32, 64, 1))
        self.last = nn.Linear(128, 32)

    def forward(self, features):
        parts = list(self.first(features).chunk(4, 1))
        y = parts[1]
        for k, conv in enumerate(self.parts):
            y = functional.relu(conv(y + parts[k + 1] if k else y))
            parts[k + 1] = y
        x = torch.cat(parts, 1)
        x = x * self.excite(x.mean(2))[:, :, None]
        mean, deviation = x.mean(2, keepdim=True), x.std(2, keepdim=True)
        context = torch.cat([x, mean.expand_as(x), deviation.expand_as(x)], 1)
        weights = torch.softmax(self.attend(context), 2)
        mean = (x * weights).sum(2)
        deviation = torch.sqrt(((x ** 2 * weights).sum(2) - mean ** 2).clamp(min=1e-4))
        return functional.normalize(self.last(torch.cat([mean, deviation], 1)))


def ecapa():
    x = torch.randn(1, 40, 100)
    return settled(Speaker(), x), {"features": x}


class StateSpace(nn.Module):
    """Mamba's selective state space, its recurrence written out over twelve steps."""

    def __init__(self):
        super().__init__()
        self.given, self.last = nn.Linear(32, 64), nn.Linear(32, 32)
        self.step, self.both = nn.Linear(32, 32), nn.Linear(32, 32)
        self.decay = nn.Parameter(torch.rand(32, 16))
        self.conv = nn.Conv1d(32, 32, 4, groups=32, padding=3)

    def forward(self, series):
        steps = series.shape[1]
        u, gate = self.given(series).chunk(2, -1)
        u = functional.silu(self.conv(u.transpose(1, 2))[..., :steps].transpose(1, 2))
        rate = functional.softplus(self.step(u))
        into, out = self.both(u).chunk(2, -1)
        state, results = torch.zeros(series.shape[0], 32, 16), []
        for t in range(steps):
            kept = torch.exp(-rate[:, t, :, None] * self.decay) * state
            state = kept + rate[:, t, :, None] * into[:, t, None] * u[:, t, :, None]
            results.append((state * out[:, t, None]).sum(-1))
        return self.last(torch.stack(results, 1) * functional.silu(gate))


def ssm():
    return StateSpace(), {"series": torch.randn(1, 12, 32)}


MAKERS = {f.__name__: f for f in (vad, rnnoise, dtln, dscnn, tcn, ecapa, ssm)}
