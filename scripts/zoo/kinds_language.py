"""Tiny language models, a reader of words in pictures, attention over a sentence, and bags of words."""
import math

import torch
from torch import nn
from torch.nn import functional

from zoo.kinds_layers import conv_norm, heads, joined, settled


class Gpt(nn.Module):
    """GPT-2 with two layers of width 64: ids to logits, attention by torch's own function."""

    def __init__(self, width=64, count=4, layers=2, words=256):
        super().__init__()
        self.words, self.places, self.heads = nn.Embedding(words, width), nn.Embedding(64, width), count
        self.layers = nn.ModuleList(nn.ModuleDict({
            "norm1": nn.LayerNorm(width), "qkv": nn.Linear(width, 3 * width), "out": nn.Linear(width, width),
            "norm2": nn.LayerNorm(width), "up": nn.Linear(width, 4 * width), "down": nn.Linear(4 * width, width),
        }) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, words, bias=False)

    def qkv(self, layer, x):
        return [heads(part, self.heads) for part in layer["qkv"](layer["norm1"](x)).chunk(3, -1)]

    def forward(self, ids):
        x = self.words(ids) + self.places(torch.arange(ids.shape[1], device=ids.device))
        for layer in self.layers:
            q, k, v = self.qkv(layer, x)
            x = x + layer["out"](joined(functional.scaled_dot_product_attention(q, k, v, is_causal=True)))
            x = x + layer["down"](functional.gelu(layer["up"](layer["norm2"](x)), approximate="tanh"))
        return self.head(self.norm(x))


def tinygpt():
    return Gpt(), {"ids": torch.randint(0, 256, (1, 40))}


class GptStep(Gpt):
    """One token after 23 others whose keys and values are inputs and outputs."""

    def forward(self, ids, past):
        length = past.shape[4]
        x = self.words(ids) + self.places(torch.arange(length, length + ids.shape[1]))
        kept = []
        for number, layer in enumerate(self.layers):
            q, k, v = self.qkv(layer, x)
            k, v = torch.cat([past[number, 0], k], 2), torch.cat([past[number, 1], v], 2)
            kept.append(torch.stack([k, v]))
            scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
            x = x + layer["out"](joined(torch.softmax(scores, -1) @ v))
            x = x + layer["down"](functional.gelu(layer["up"](layer["norm2"](x))))
        return self.head(self.norm(x)), torch.stack(kept)


def gptkv():
    return GptStep(), {"ids": torch.randint(0, 256, (1, 1)), "past": torch.randn(2, 2, 1, 4, 23, 16)}


class RmsNorm(nn.Module):
    """Written as in common libraries: the older exporter does not support torch's own."""

    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6))


class Rotary(nn.Module):
    """Llama with two layers of width 64: rotary places, four heads in two groups, RMS norms, gated SiLU."""

    def __init__(self, width=64, count=4, groups=2, layers=2, words=200):
        super().__init__()
        self.words, self.head = nn.Embedding(words, width), nn.Linear(width, words, bias=False)
        self.heads, self.groups, self.size = count, groups, width // count
        sizes = {"q": (width, width), "k": (width, self.size * groups), "v": (width, self.size * groups),
                 "out": (width, width), "gate": (width, 3 * width), "up": (width, 3 * width),
                 "down": (3 * width, width)}
        self.layers = nn.ModuleList(nn.ModuleDict({
            **{name: nn.Linear(*size, bias=False) for name, size in sizes.items()},
            "norm1": RmsNorm(width), "norm2": RmsNorm(width)}) for _ in range(layers))
        self.norm = RmsNorm(width)

    def turned(self, x, cosine, sine):
        a, b = x.chunk(2, -1)
        return x * cosine + torch.cat([-b, a], -1) * sine

    def angles(self, length):
        rates = 1e4 ** (-torch.arange(0, self.size, 2).float() / self.size)
        angles = torch.arange(length).float()[:, None] * rates
        return torch.cat([angles, angles], -1)

    def forward(self, ids):
        length, x = ids.shape[1], self.words(ids)
        cosine, sine = self.angles(length).cos(), self.angles(length).sin()
        later = torch.full((length, length), float("-inf")).triu(1)
        for layer in self.layers:
            y = layer["norm1"](x)
            q = self.turned(heads(layer["q"](y), self.heads), cosine, sine)
            k = self.turned(heads(layer["k"](y), self.groups), cosine, sine)
            k = k.repeat_interleave(self.heads // self.groups, 1)
            v = heads(layer["v"](y), self.groups).repeat_interleave(self.heads // self.groups, 1)
            scores = q @ k.transpose(-1, -2) / math.sqrt(self.size) + later
            x = x + layer["out"](joined(torch.softmax(scores, -1) @ v))
            y = layer["norm2"](x)
            x = x + layer["down"](functional.silu(layer["gate"](y)) * layer["up"](y))
        return self.head(self.norm(x))


def rope():
    return Rotary(), {"ids": torch.randint(0, 200, (1, 33))}


class Crnn(nn.Module):
    """Reads a line of text: convolutions to one row of features, two LSTMs in both directions."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Sequential(
            conv_norm(1, 16), nn.MaxPool2d(2), conv_norm(16, 32), nn.MaxPool2d(2), conv_norm(32, 64),
            nn.MaxPool2d((2, 1)), conv_norm(64, 64), nn.MaxPool2d((2, 1)), nn.Conv2d(64, 64, 2))
        self.lstm = nn.LSTM(64, 48, 2, bidirectional=True)
        self.head = nn.Linear(96, 37)

    def forward(self, pixels):
        y, _ = self.lstm(self.conv(pixels).squeeze(2).permute(2, 0, 1))
        return functional.log_softmax(self.head(y), 2)


def crnn():
    x = torch.randn(1, 1, 32, 100)
    return settled(Crnn(), x), {"pixels": x}


class Translator(nn.Module):
    """A GRU in both directions over nine words, then four steps of a GRU with attention; each takes the best word."""

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(50, 32)
        self.encoder = nn.GRU(32, 32, batch_first=True, bidirectional=True)
        self.step, self.query, self.head = nn.GRUCell(96, 64), nn.Linear(64, 64), nn.Linear(64, 50)

    def forward(self, ids):
        memory, _ = self.encoder(self.words(ids))
        state, word, results = memory.mean(1), torch.zeros(ids.shape[0], dtype=torch.long), []
        for _ in range(4):
            weights = torch.softmax((memory * self.query(state)[:, None]).sum(-1), 1)
            context = (memory * weights[..., None]).sum(1)
            state = self.step(torch.cat([context, self.words(word)], 1), state)
            logits = self.head(state)
            word = logits.argmax(1)
            results.append(logits)
        return torch.stack(results, 1)


def seq2():
    return Translator(), {"ids": torch.randint(0, 50, (1, 9))}


class BagOfWords(nn.Module):
    """The mean of six words' vectors, and a linear layer."""

    def __init__(self):
        super().__init__()
        self.words, self.head = nn.EmbeddingBag(100, 32, mode="mean"), nn.Linear(32, 4)

    def forward(self, ids):
        return self.head(self.words(ids))


def embag():
    return BagOfWords(), {"ids": torch.randint(0, 100, (3, 6))}


MAKERS = {f.__name__: f for f in (tinygpt, gptkv, rope, crnn, seq2, embag)}
