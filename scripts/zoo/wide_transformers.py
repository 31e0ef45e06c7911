"""Transformers with random weights, in the form exported by common libraries: masks built from shapes, chains of Shape,
Gather and Concat before every reshape, decomposed norms, the smallest float as minus infinity."""
import math

import torch
from torch import nn
from torch.nn import functional

from zoo.transformers import BertLayer, RmsNorm, tokens

LENGTH = 128
BOTH = {"input_ids": {0: "batch", 1: "sequence"}, "attention_mask": {0: "batch", 1: "sequence"}}
IDS = {"input_ids": BOTH["input_ids"]}

EXPORT = {
    "bert_pooled": {"opset_version": 11, "dynamic_axes": BOTH},
    "distilbert": {"opset_version": 12, "dynamic_axes": BOTH},
    "albert": {"opset_version": 9},
    "roberta": {"opset_version": 13, "dynamic_axes": BOTH, "do_constant_folding": False},
    "deit": {"opset_version": 16},
    "gpt2_lm": {"opset_version": 13, "dynamic_axes": BOTH},
    "t5_real": {"opset_version": 13, "dynamic_axes": {**BOTH, "decoder_input_ids": {0: "batch", 1: "target"}}},
    "llama_hf": {"opset_version": 14, "dynamic_axes": BOTH},
    "whisper_encoder": {"opset_version": 16},
    "clip_text": {"opset_version": 14, "dynamic_axes": IDS},
    "wav2vec2": {"opset_version": 13},
}


def mask_of(length, kept):
    mask = torch.ones(1, length, dtype=torch.int64)
    mask[:, kept:] = 0
    return mask


def far_below(mask):
    """0 if the mask is 1, the smallest float if it is 0."""
    return (1.0 - mask[:, None, None, :].to(torch.float32)) * torch.finfo(torch.float32).min


class HeadsByView(nn.Module):
    """Attention with view(size()[:-1] + ...): a chain of Shape, Gather and Concat for each reshape."""

    def __init__(self, width, heads, bias=True):
        super().__init__()
        self.heads, self.size = heads, width // heads
        self.query, self.key, self.value, self.out = (nn.Linear(width, width, bias=bias) for _ in range(4))

    def split(self, x):
        return x.view(x.size()[:-1] + (self.heads, self.size)).permute(0, 2, 1, 3)

    def forward(self, x, bias):
        q, k, v = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        scores = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(self.size)
        if bias is not None:
            scores = scores + bias
        y = torch.matmul(functional.softmax(scores, dim=-1), v).permute(0, 2, 1, 3).contiguous()
        return self.out(y.view(y.size()[:-2] + (self.heads * self.size,)))


class BertPooled(nn.Module):
    """BERT with embeddings, token types made of the ids' shape, a sliced table of positions, and the pooler."""

    def __init__(self, layers=12, width=768, heads=12, inner=3072, words=30522):
        super().__init__()
        self.words, self.kinds, self.places = nn.Embedding(words, width), nn.Embedding(2, width), nn.Embedding(512, width)
        self.norm = nn.LayerNorm(width, eps=1e-12)
        self.register_buffer("ids", torch.arange(512)[None])
        self.layers = nn.ModuleList(BertLayer(width, heads, inner) for _ in range(layers))
        for layer in self.layers:
            layer.attention = HeadsByView(width, heads)
        self.pool = nn.Linear(width, width)

    def forward(self, input_ids, attention_mask):
        kinds = torch.zeros(input_ids.size(), dtype=torch.long)
        x = self.words(input_ids) + self.kinds(kinds) + self.places(self.ids[:, :input_ids.size(1)])
        x, bias = self.norm(x), far_below(attention_mask)
        for layer in self.layers:
            x = layer(x, bias)
        return x, torch.tanh(self.pool(x[:, 0]))


def bert_pooled():
    return BertPooled(), {"input_ids": tokens(30522, LENGTH, 51), "attention_mask": mask_of(LENGTH, 100)}


class DistilAttention(HeadsByView):
    """Scales q, and fills masked scores instead of adding."""

    def forward(self, x, mask):
        bs, n, dim = x.size()
        def shape(t):
            return t.view(bs, -1, self.heads, dim // self.heads).transpose(1, 2)
        q, k, v = shape(self.query(x)) / math.sqrt(dim // self.heads), shape(self.key(x)), shape(self.value(x))
        scores = torch.matmul(q, k.transpose(2, 3))
        hidden = (mask == 0).view((bs, 1, 1, n)).expand_as(scores)
        scores = scores.masked_fill(hidden, torch.tensor(torch.finfo(scores.dtype).min))
        y = torch.matmul(nn.functional.softmax(scores, dim=-1), v)
        return self.out(y.transpose(1, 2).contiguous().view(bs, -1, dim))


class DistilBert(nn.Module):
    """Six layers and a head for two classes."""

    def __init__(self, width=768):
        super().__init__()
        self.words, self.places = nn.Embedding(30522, width), nn.Embedding(512, width)
        self.norm = nn.LayerNorm(width, eps=1e-12)
        self.layers = nn.ModuleList(BertLayer(width, 12, 3072) for _ in range(6))
        for layer in self.layers:
            layer.attention = DistilAttention(width, 12)
        self.before, self.head = nn.Linear(width, width), nn.Linear(width, 2)

    def forward(self, input_ids, attention_mask):
        places = torch.arange(input_ids.size(1), dtype=torch.long)[None].expand_as(input_ids)
        x = self.norm(self.words(input_ids) + self.places(places))
        for layer in self.layers:
            x = layer(x, attention_mask)
        return self.head(torch.relu(self.before(x[:, 0])))


def distilbert():
    return DistilBert(), {"input_ids": tokens(30522, LENGTH, 52), "attention_mask": mask_of(LENGTH, 90)}


def new_gelu(x):
    return 0.5 * x * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * torch.pow(x, 3.0))))


class Albert(nn.Module):
    """Small embeddings projected up, one layer used twelve times, gelu by tanh."""

    def __init__(self, width=768, small=128):
        super().__init__()
        self.words, self.kinds, self.places = nn.Embedding(30000, small), nn.Embedding(2, small), nn.Embedding(512, small)
        self.norm, self.up = nn.LayerNorm(small, eps=1e-12), nn.Linear(small, width)
        self.attention = HeadsByView(width, 12)
        self.norm1, self.norm2 = nn.LayerNorm(width, eps=1e-12), nn.LayerNorm(width, eps=1e-12)
        self.wide, self.back, self.pool = nn.Linear(width, 3072), nn.Linear(3072, width), nn.Linear(width, width)
        self.register_buffer("ids", torch.arange(512)[None])

    def forward(self, input_ids, attention_mask):
        kinds = torch.zeros_like(input_ids)
        x = self.words(input_ids) + self.kinds(kinds) + self.places(self.ids[:, :input_ids.size(1)])
        x, bias = self.up(self.norm(x)), (1.0 - attention_mask[:, None, None].float()) * -10000.0
        for _ in range(12):
            x = self.norm1(x + self.attention(x, bias))
            x = self.norm2(x + self.back(new_gelu(self.wide(x))))
        return x, torch.tanh(self.pool(x[:, 0]))


def albert():
    return Albert(), {"input_ids": tokens(30000, LENGTH, 53), "attention_mask": mask_of(LENGTH, 120)}


class Roberta(nn.Module):
    """Positions counted by a cumulative sum over what is no padding; a language head with gelu and norm."""

    def __init__(self, layers=6, width=768, words=10000):
        super().__init__()
        self.words, self.kinds = nn.Embedding(words, width, padding_idx=1), nn.Embedding(1, width)
        self.places = nn.Embedding(514, width, padding_idx=1)
        self.norm = nn.LayerNorm(width, eps=1e-5)
        self.layers = nn.ModuleList(BertLayer(width, 12, 3072) for _ in range(layers))
        for layer in self.layers:
            layer.attention = HeadsByView(width, 12)
        self.dense, self.head_norm, self.head = nn.Linear(width, width), nn.LayerNorm(width), nn.Linear(width, words)

    def forward(self, input_ids, attention_mask):
        there = input_ids.ne(1).int()
        places = (torch.cumsum(there, dim=1).type_as(there) * there).long() + 1
        x = self.words(input_ids) + self.kinds(torch.zeros_like(input_ids)) + self.places(places)
        x, bias = self.norm(x), far_below(attention_mask)
        for layer in self.layers:
            x = layer(x, bias)
        return self.head(self.head_norm(functional.gelu(self.dense(x))))


def roberta():
    ids = tokens(10000, LENGTH, 54).clamp(min=3)
    ids[:, 110:] = 1
    return Roberta(), {"input_ids": ids, "attention_mask": mask_of(LENGTH, 110)}


class Deit(nn.Module):
    """DeiT-small with a distillation token: one product for q, k and v, two heads averaged."""

    def __init__(self, width=384, heads=6, layers=12, size=224):
        super().__init__()
        self.heads, self.patches = heads, nn.Conv2d(3, width, 16, 16)
        self.first, self.second = (nn.Parameter(torch.randn(1, 1, width) * 0.02) for _ in range(2))
        self.places = nn.Parameter(torch.randn(1, (size // 16) ** 2 + 2, width) * 0.02)
        self.layers = nn.ModuleList(nn.ModuleDict({
            "norm1": nn.LayerNorm(width, eps=1e-6), "qkv": nn.Linear(width, 3 * width), "proj": nn.Linear(width, width),
            "norm2": nn.LayerNorm(width, eps=1e-6), "up": nn.Linear(width, 4 * width),
            "down": nn.Linear(4 * width, width)}) for _ in range(layers))
        self.norm, self.head, self.other = nn.LayerNorm(width, eps=1e-6), nn.Linear(width, 1000), nn.Linear(width, 1000)

    def attend(self, part, x):
        b, n, c = x.shape
        q, k, v = part["qkv"](x).reshape(b, n, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4).unbind(0)
        scores = (q @ k.transpose(-2, -1)) * (c // self.heads) ** -0.5
        return part["proj"]((scores.softmax(dim=-1) @ v).transpose(1, 2).reshape(b, n, c))

    def forward(self, pixels):
        x = self.patches(pixels).flatten(2).transpose(1, 2)
        b = x.shape[0]
        x = torch.cat((self.first.expand(b, -1, -1), self.second.expand(b, -1, -1), x), 1) + self.places
        for part in self.layers:
            x = x + self.attend(part, part["norm1"](x))
            x = x + part["down"](functional.gelu(part["up"](part["norm2"](x))))
        x = self.norm(x)
        return (self.head(x[:, 0]) + self.other(x[:, 1])) / 2


def deit():
    return Deit(), {"pixels": torch.randn((1, 3, 224, 224), generator=torch.Generator().manual_seed(55))}


class Conv1D(nn.Module):
    """A linear layer as GPT-2 has it: addmm on rows."""

    def __init__(self, made, given):
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.randn(given, made) * 0.02), nn.Parameter(torch.zeros(made))

    def forward(self, x):
        size = x.size()[:-1] + (self.weight.shape[1],)
        return torch.addmm(self.bias, x.view(-1, x.size(-1)), self.weight).view(size)


class GptLayer(nn.Module):
    """The causal mask is cut from a table by the lengths of query and key."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.width = heads, width
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention, self.out = Conv1D(3 * width, width), Conv1D(width, width)
        self.up, self.down = Conv1D(4 * width, width), Conv1D(width, 4 * width)
        self.register_buffer("bias", torch.tril(torch.ones((1024, 1024), dtype=torch.uint8)).view(1, 1, 1024, 1024))

    def forward(self, x, padding):
        def split(t):
            return t.view(t.size()[:-1] + (self.heads, self.width // self.heads)).permute(0, 2, 1, 3)
        q, k, v = (split(t) for t in self.attention(self.norm1(x)).split(self.width, dim=2))
        scores = torch.matmul(q, k.transpose(-1, -2))
        scores = scores / torch.full([], v.size(-1) ** 0.5, dtype=scores.dtype)
        n, m = q.size(-2), k.size(-2)
        mask = self.bias[:, :, m - n:m, :m].to(torch.bool)
        scores = torch.where(mask, scores, torch.full([], torch.finfo(scores.dtype).min, dtype=scores.dtype))
        scores = nn.functional.softmax(scores + padding, dim=-1)
        y = torch.matmul(scores, v).permute(0, 2, 1, 3).contiguous()
        x = x + self.out(y.view(y.size()[:-2] + (self.width,)))
        return x + self.down(new_gelu(self.up(self.norm2(x))))


class GptLm(nn.Module):
    """GPT-2 small with padding mask, positions from a range, and the tied head for the last token."""

    def __init__(self, layers=12, width=768, words=50257):
        super().__init__()
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(1024, width)
        self.layers, self.norm = nn.ModuleList(GptLayer(width, 12) for _ in range(layers)), nn.LayerNorm(width)

    def forward(self, input_ids, attention_mask):
        input_ids = input_ids.view(-1, input_ids.size(-1))
        places = torch.arange(0, input_ids.size(-1), dtype=torch.long).unsqueeze(0).view(-1, input_ids.size(-1))
        x, padding = self.words(input_ids) + self.places(places), far_below(attention_mask)
        for layer in self.layers:
            x = layer(x, padding)
        return torch.matmul(self.norm(x)[:, -1], self.words.weight.T)


def gpt2_lm():
    return GptLm(), {"input_ids": tokens(50257, LENGTH, 56), "attention_mask": torch.ones(1, LENGTH, dtype=torch.int64)}


class T5Attention(nn.Module):
    """Attention without scale; the first layer of a stack makes the biases from buckets of relative positions."""

    def __init__(self, width, heads, size, biased, decoder):
        super().__init__()
        self.heads, self.size, self.decoder = heads, size, decoder
        self.q, self.k, self.v = (nn.Linear(width, heads * size, bias=False) for _ in range(3))
        self.o = nn.Linear(heads * size, width, bias=False)
        nn.init.normal_(self.q.weight, std=(width * size) ** -0.5)
        self.biases = nn.Embedding(32, heads) if biased else None

    def bucket(self, relative):
        buckets, found = 32, 0
        if not self.decoder:
            buckets //= 2
            found = found + (relative > 0).to(torch.long) * buckets
            relative = torch.abs(relative)
        else:
            relative = -torch.min(relative, torch.zeros_like(relative))
        exact = buckets // 2
        large = exact + (torch.log(relative.float() / exact) / math.log(128 / exact) * (buckets - exact)).to(torch.long)
        large = torch.min(large, torch.full_like(large, buckets - 1))
        return found + torch.where(relative < exact, relative, large)

    def bias(self, rows, cols):
        relative = torch.arange(cols, dtype=torch.long)[None, :] - torch.arange(rows, dtype=torch.long)[:, None]
        return self.biases(self.bucket(relative)).permute([2, 0, 1]).unsqueeze(0)

    def forward(self, x, memory, bias):
        b = x.shape[0]
        def split(t):
            return t.view(b, -1, self.heads, self.size).transpose(1, 2)
        q, k, v = split(self.q(x)), split(self.k(memory)), split(self.v(memory))
        scores = torch.matmul(q, k.transpose(3, 2)) + bias
        y = torch.matmul(nn.functional.softmax(scores.float(), dim=-1).type_as(scores), v)
        return self.o(y.transpose(1, 2).contiguous().view(b, -1, self.heads * self.size))


class T5Stack(nn.Module):
    def __init__(self, layers, width, heads, size, inner, decoder):
        super().__init__()
        self.decoder = decoder
        self.own = nn.ModuleList(T5Attention(width, heads, size, k == 0, decoder) for k in range(layers))
        self.other = nn.ModuleList(T5Attention(width, heads, size, False, True) for _ in range(layers if decoder else 0))
        self.up, self.down = (nn.ModuleList(nn.Linear(a, b, bias=False) for _ in range(layers))
                              for a, b in ((width, inner), (inner, width)))
        self.norms = nn.ModuleList(nn.ModuleList(RmsNorm(width) for _ in range(layers)) for _ in range(3))
        self.norm = RmsNorm(width)

    def forward(self, x, mask, memory=None, memory_mask=None):
        n = x.size(1)
        lowest = torch.finfo(torch.float32).min
        if self.decoder:
            ids = torch.arange(n)
            causal = ids[None, None, :].repeat(x.size(0), n, 1) <= ids[None, :, None]
            mask = causal[:, None, :, :].to(mask.dtype) * mask[:, None, None, :]
            memory_bias = (1.0 - memory_mask[:, None, None, :].float()) * lowest
        else:
            mask = mask[:, None, None, :]
        bias = self.own[0].bias(n, n) + (1.0 - mask.float()) * lowest
        for k, own in enumerate(self.own):
            h = self.norms[0][k](x)
            x = x + own(h, h, bias)
            if self.decoder:
                x = x + self.other[k](self.norms[1][k](x), memory, memory_bias)
            x = x + self.down[k](torch.relu(self.up[k](self.norms[2][k](x))))
        return self.norm(x)


class T5Real(nn.Module):
    """T5-small, encoder and decoder of six layers each, with the tied head."""

    def __init__(self, layers=6, width=512, words=32128):
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.encoder = T5Stack(layers, width, 8, 64, 2048, False)
        self.decoder = T5Stack(layers, width, 8, 64, 2048, True)

    def forward(self, input_ids, attention_mask, decoder_input_ids):
        memory = self.encoder(self.words(input_ids), attention_mask.float())
        given = torch.ones(decoder_input_ids.size(), dtype=torch.float32)
        x = self.decoder(self.words(decoder_input_ids), given, memory, attention_mask)
        return torch.matmul(x * (512 ** -0.5), self.words.weight.T)


def t5_real():
    return T5Real(), {"input_ids": tokens(32128, LENGTH, 57), "attention_mask": mask_of(LENGTH, 100),
                      "decoder_input_ids": tokens(32128, 32, 58)}


class LlamaNorm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        kind = x.dtype
        x = x.to(torch.float32)
        return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)).to(kind)


def rotate_half(x):
    return torch.cat((-x[..., x.shape[-1] // 2:], x[..., :x.shape[-1] // 2]), dim=-1)


class LlamaAttention(nn.Module):
    """Tables of sines by position ids, keys and values repeated by expand, scores kept above the smallest float."""

    def __init__(self, width, heads, groups):
        super().__init__()
        self.heads, self.groups, self.size = heads, groups, width // heads
        self.q, self.o = nn.Linear(width, width, bias=False), nn.Linear(width, width, bias=False)
        self.k, self.v = (nn.Linear(width, groups * self.size, bias=False) for _ in range(2))
        rate = 1.0 / (10000 ** (torch.arange(0, self.size, 2).float() / self.size))
        angles = torch.einsum("i,j->ij", torch.arange(2048).float(), rate)
        angles = torch.cat((angles, angles), dim=-1)
        self.register_buffer("cosine", angles.cos()[None, None])
        self.register_buffer("sine", angles.sin()[None, None])

    def repeated(self, x):
        b, g, n, d = x.shape
        return x[:, :, None, :, :].expand(b, g, self.heads // g, n, d).reshape(b, g * (self.heads // g), n, d)

    def forward(self, x, mask, places):
        b, n, _ = x.size()
        q = self.q(x).view(b, n, self.heads, self.size).transpose(1, 2)
        k = self.k(x).view(b, n, self.groups, self.size).transpose(1, 2)
        v = self.v(x).view(b, n, self.groups, self.size).transpose(1, 2)
        length = k.shape[-2]
        cosine = self.cosine[:, :, :length].squeeze(1).squeeze(0)[places].unsqueeze(1)
        sine = self.sine[:, :, :length].squeeze(1).squeeze(0)[places].unsqueeze(1)
        q, k = q * cosine + rotate_half(q) * sine, k * cosine + rotate_half(k) * sine
        scores = torch.matmul(q, self.repeated(k).transpose(2, 3)) / math.sqrt(self.size) + mask
        scores = torch.max(scores, torch.tensor(torch.finfo(scores.dtype).min))
        y = torch.matmul(nn.functional.softmax(scores, dim=-1, dtype=torch.float32).to(q.dtype), self.repeated(v))
        return self.o(y.transpose(1, 2).reshape(b, n, self.heads * self.size))


class LlamaHf(nn.Module):
    """Two layers with 32 heads in 8 groups, token ids to logits."""

    def __init__(self, layers=2, width=1024, heads=16, groups=4, inner=2816, words=8000):
        super().__init__()
        self.words, self.head = nn.Embedding(words, width), nn.Linear(width, words, bias=False)
        self.attention = nn.ModuleList(LlamaAttention(width, heads, groups) for _ in range(layers))
        self.norms = nn.ModuleList(LlamaNorm(width) for _ in range(2 * layers + 1))
        self.gate, self.up = (nn.ModuleList(nn.Linear(width, inner, bias=False) for _ in range(layers)) for _ in range(2))
        self.down = nn.ModuleList(nn.Linear(inner, width, bias=False) for _ in range(layers))

    @staticmethod
    def masks(ids, padding):
        """Causal and padding masks, as sums of the smallest float."""
        b, n = ids.shape
        lowest = torch.finfo(torch.float32).min
        mask = torch.full((n, n), lowest)
        cond = torch.arange(mask.size(-1))
        mask.masked_fill_(cond < (cond + 1).view(mask.size(-1), 1), 0)
        causal = mask[None, None, :, :].expand(b, 1, n, n)
        there = 1.0 - padding[:, None, None, :].expand(b, 1, n, n).to(torch.float32)
        return there.masked_fill(there.to(torch.bool), lowest) + causal

    def forward(self, input_ids, attention_mask):
        places = torch.arange(0, input_ids.shape[1], dtype=torch.long).unsqueeze(0).view(-1, input_ids.shape[1])
        x, mask = self.words(input_ids), self.masks(input_ids, attention_mask)
        for k, attention in enumerate(self.attention):
            x = x + attention(self.norms[2 * k](x), mask, places)
            h = self.norms[2 * k + 1](x)
            x = x + self.down[k](functional.silu(self.gate[k](h)) * self.up[k](h))
        return self.head(self.norms[-1](x))


def llama_hf():
    return LlamaHf(), {"input_ids": tokens(8000, LENGTH, 59), "attention_mask": mask_of(LENGTH, LENGTH)}


class WhisperEncoder(nn.Module):
    """The tiny one on ten seconds: two convolutions along time, a table of sines, four layers with heads joined to the
    batch."""

    def __init__(self, width=384, heads=6, layers=4, frames=1000):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv1d(80, width, 3, padding=1), nn.Conv1d(width, width, 3, stride=2, padding=1)
        self.heads, self.size = heads, width // heads
        rate = torch.exp(-math.log(10000) / (width // 2 - 1) * torch.arange(width // 2))
        angle = torch.arange(frames // 2)[:, None] * rate[None]
        self.register_buffer("places", torch.cat((angle.sin(), angle.cos()), 1))
        self.layers = nn.ModuleList(nn.ModuleDict({
            "norm1": nn.LayerNorm(width), "q": nn.Linear(width, width), "k": nn.Linear(width, width, bias=False),
            "v": nn.Linear(width, width), "o": nn.Linear(width, width), "norm2": nn.LayerNorm(width),
            "up": nn.Linear(width, 4 * width), "down": nn.Linear(4 * width, width)}) for _ in range(layers))
        self.norm = nn.LayerNorm(width)

    def attend(self, p, x):
        b, n, c = x.size()
        def shape(t):
            return t.view(b, -1, self.heads, self.size).transpose(1, 2).contiguous().view(b * self.heads, -1, self.size)
        q, k, v = shape(p["q"](x) * self.size ** -0.5), shape(p["k"](x)), shape(p["v"](x))
        y = torch.bmm(nn.functional.softmax(torch.bmm(q, k.transpose(1, 2)), dim=-1), v)
        return p["o"](y.view(b, self.heads, n, self.size).transpose(1, 2).reshape(b, n, c))

    def forward(self, mel):
        x = functional.gelu(self.conv2(functional.gelu(self.conv1(mel)))).permute(0, 2, 1) + self.places
        for p in self.layers:
            x = x + self.attend(p, p["norm1"](x))
            x = x + p["down"](functional.gelu(p["up"](p["norm2"](x))))
        return self.norm(x)


def whisper_encoder():
    return WhisperEncoder(), {"mel": torch.randn((1, 80, 1000), generator=torch.Generator().manual_seed(60))}


class ClipText(nn.Module):
    """CLIP's text tower: causal mask by triu_, gelu by sigmoid, the state of the end token picked by arg max."""

    def __init__(self, width=512, heads=8, layers=12, words=49408):
        super().__init__()
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(77, width)
        self.register_buffer("ids", torch.arange(77)[None])
        self.attention = nn.ModuleList(HeadsByView(width, heads) for _ in range(layers))
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(2 * layers + 1))
        self.up, self.down = (nn.ModuleList(nn.Linear(a, b) for _ in range(layers))
                              for a, b in ((width, 4 * width), (4 * width, width)))
        self.project = nn.Linear(width, width, bias=False)

    def forward(self, input_ids):
        b, n = input_ids.shape
        x = self.words(input_ids) + self.places(self.ids[:, :n])
        mask = torch.full((n, n), torch.finfo(torch.float32).min).triu(1)[None, None].expand(b, 1, n, n)
        for k, attention in enumerate(self.attention):
            x = x + attention(self.norms[2 * k](x), mask)
            h = self.up[k](self.norms[2 * k + 1](x))
            x = x + self.down[k](h * torch.sigmoid(1.702 * h))
        x = self.norms[-1](x)
        y = self.project(x[torch.arange(b), input_ids.to(torch.int).argmax(dim=-1)])
        return y / y.norm(p=2, dim=-1, keepdim=True)


def clip_text():
    ids = tokens(49000, 77, 61)
    ids[:, 40:] = 49407
    return ClipText(), {"input_ids": ids}


class Wav2Vec2(nn.Module):
    """Wave to states: seven convolutions with a group norm in front, a grouped convolution of width 128 for positions,
    three layers."""

    def __init__(self, width=384, heads=6, layers=3):
        super().__init__()
        sizes = [(1, 10, 5)] + [(256, 3, 2)] * 4 + [(256, 2, 2)] * 2
        self.conv = nn.ModuleList(nn.Conv1d(w, 256, k, s, bias=False) for w, k, s in sizes)
        self.first, self.norm = nn.GroupNorm(256, 256), nn.LayerNorm(256)
        self.project = nn.Linear(256, width)
        self.places = nn.Conv1d(width, width, 128, padding=64, groups=16)
        self.inner = nn.LayerNorm(width)
        self.layers = nn.ModuleList(BertLayer(width, heads, 4 * width) for _ in range(layers))
        for layer in self.layers:
            layer.attention = HeadsByView(width, heads)

    def forward(self, wave):
        x = wave[:, None]
        for k, conv in enumerate(self.conv):
            x = conv(x)
            x = functional.gelu(self.first(x) if k == 0 else x)
        x = self.project(self.norm(x.transpose(1, 2)))
        x = self.inner(x + functional.gelu(self.places(x.transpose(1, 2))[:, :, :-1]).transpose(1, 2))
        for layer in self.layers:
            x = layer(x, None)
        return x


def wav2vec2():
    return Wav2Vec2(), {"wave": torch.randn((1, 16000), generator=torch.Generator().manual_seed(62))}


MAKERS = {f.__name__: f for f in (bert_pooled, distilbert, albert, roberta, deit, gpt2_lm, t5_real, llama_hf,
                                  whisper_encoder, clip_text, wav2vec2)}
