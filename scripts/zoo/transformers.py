"""Transformers at real sizes with random weights: BERT-base, GPT-2 small, and two Llama layers."""
import math

import torch
from torch import nn


class Attention(nn.Module):
    """Multi-head attention as most exporters spell it: reshape, transpose, two products, softmax."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))

    def split(self, x):
        return x.reshape(x.shape[0], x.shape[1], self.heads, -1).transpose(1, 2)

    def forward(self, x, bias):
        q, k, v = (self.split(part(x)) for part in (self.query, self.key, self.value))
        scores = q @ k.transpose(2, 3) / math.sqrt(q.shape[-1]) + bias
        y = torch.softmax(scores, -1) @ v
        return self.out(y.transpose(1, 2).reshape(x.shape))


class BertLayer(nn.Module):
    def __init__(self, width, heads, inner):
        super().__init__()
        self.attention = Attention(width, heads)
        self.norm1, self.norm2 = nn.LayerNorm(width, eps=1e-12), nn.LayerNorm(width, eps=1e-12)
        self.up, self.down = nn.Linear(width, inner), nn.Linear(inner, width)

    def forward(self, x, bias):
        x = self.norm1(x + self.attention(x, bias))
        return self.norm2(x + self.down(nn.functional.gelu(self.up(x))))


class Bert(nn.Module):
    """Token ids and attention mask to hidden states, with embeddings."""

    def __init__(self, layers=12, width=768, heads=12, inner=3072, words=30522, length=128):
        super().__init__()
        self.words, self.kinds = nn.Embedding(words, width), nn.Embedding(2, width)
        self.places = nn.Embedding(length, width)
        self.norm = nn.LayerNorm(width, eps=1e-12)
        self.layers = nn.ModuleList(BertLayer(width, heads, inner) for _ in range(layers))

    def forward(self, input_ids, attention_mask):
        places = torch.arange(input_ids.shape[1])[None]
        x = self.words(input_ids) + self.kinds(torch.zeros_like(input_ids)) + self.places(places)
        bias = (1 - attention_mask[:, None, None].float()) * -10000.0
        x = self.norm(x)
        for layer in self.layers:
            x = layer(x, bias)
        return x


class GptBlock(nn.Module):
    """GPT-2's: one product for query, key and value; gelu by tanh; norms before."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.width = heads, width
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x, mask):
        parts = self.attention(self.norm1(x)).split(self.width, dim=2)
        q, k, v = (p.reshape(p.shape[0], p.shape[1], self.heads, -1).transpose(1, 2) for p in parts)
        scores = q @ k.transpose(2, 3) / math.sqrt(q.shape[-1])
        scores = torch.where(mask, scores, torch.tensor(-10000.0))
        y = (torch.softmax(scores, -1) @ v).transpose(1, 2).reshape(x.shape)
        x = x + self.out(y)
        h = self.up(self.norm2(x))
        h = 0.5 * h * (1 + torch.tanh(math.sqrt(2 / math.pi) * (h + 0.044715 * h**3)))
        return x + self.down(h)


class Gpt2(nn.Module):
    def __init__(self, layers=12, width=768, heads=12, words=50257, length=128):
        super().__init__()
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(length, width)
        self.blocks = nn.ModuleList(GptBlock(width, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.register_buffer("mask", torch.tril(torch.ones(length, length, dtype=torch.bool))[None, None])

    def forward(self, input_ids):
        x = self.words(input_ids) + self.places(torch.arange(input_ids.shape[1])[None])
        for block in self.blocks:
            x = block(x, self.mask)
        return self.norm(x)


class RmsNorm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5))


def rotated(x, cosine, sine):
    half = x.shape[-1] // 2
    return x * cosine + torch.cat((-x[..., half:], x[..., :half]), dim=-1) * sine


class LlamaLayer(nn.Module):
    def __init__(self, width, heads, groups, inner):
        super().__init__()
        self.heads, self.groups, self.size = heads, groups, width // heads
        self.norm1, self.norm2 = RmsNorm(width), RmsNorm(width)
        self.query, self.out = nn.Linear(width, width, bias=False), nn.Linear(width, width, bias=False)
        self.key, self.value = (nn.Linear(width, groups * self.size, bias=False) for _ in range(2))
        self.gate, self.up = nn.Linear(width, inner, bias=False), nn.Linear(width, inner, bias=False)
        self.down = nn.Linear(inner, width, bias=False)

    def repeated(self, x):
        b, g, s, d = x.shape
        return x[:, :, None].expand(b, g, self.heads // g, s, d).reshape(b, self.heads, s, d)

    def forward(self, x, cosine, sine, bias):
        h = self.norm1(x)
        b, s, _ = x.shape
        q = self.query(h).reshape(b, s, self.heads, self.size).transpose(1, 2)
        k = self.key(h).reshape(b, s, self.groups, self.size).transpose(1, 2)
        v = self.value(h).reshape(b, s, self.groups, self.size).transpose(1, 2)
        q, k = rotated(q, cosine, sine), self.repeated(rotated(k, cosine, sine))
        scores = q @ k.transpose(2, 3) / math.sqrt(self.size) + bias
        y = torch.softmax(scores, -1) @ self.repeated(v)
        x = x + self.out(y.transpose(1, 2).reshape(b, s, -1))
        h = self.norm2(x)
        return x + self.down(nn.functional.silu(self.gate(h)) * self.up(h))


class Llama(nn.Module):
    """Two layers of the sizes of a 1.1 B model; hidden states in and out, rotary positions of a fixed length."""

    def __init__(self, layers=2, width=2048, heads=32, groups=4, inner=5632, length=128):
        super().__init__()
        self.layers = nn.ModuleList(LlamaLayer(width, heads, groups, inner) for _ in range(layers))
        self.norm = RmsNorm(width)
        size = width // heads
        angles = torch.arange(length)[:, None] / 10000 ** (torch.arange(0, size, 2) / size)[None]
        angles = torch.cat((angles, angles), dim=1)
        self.register_buffer("cosine", angles.cos())
        self.register_buffer("sine", angles.sin())
        self.register_buffer("bias", torch.triu(torch.full((length, length), -10000.0), diagonal=1))

    def forward(self, hidden):
        for layer in self.layers:
            hidden = layer(hidden, self.cosine, self.sine, self.bias)
        return self.norm(hidden)


def tokens(words, length, seed):
    return torch.randint(0, words, (1, length), generator=torch.Generator().manual_seed(seed))


def bert_base(layers=12):
    mask = torch.ones(1, 128, dtype=torch.int64)
    mask[:, 112:] = 0
    return Bert(layers), {"input_ids": tokens(30522, 128, 1), "attention_mask": mask}


def gpt2(layers=12):
    return Gpt2(layers), {"input_ids": tokens(50257, 128, 2)}


def llama():
    return Llama(), {"hidden": torch.randn(1, 128, 2048, generator=torch.Generator().manual_seed(3))}
