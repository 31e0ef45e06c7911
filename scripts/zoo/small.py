"""Small variants of the models with random weights, for fast tests."""
import torch
from torch import nn

from zoo import trained, transformers


def bert_small():
    mask = torch.ones(1, 64, dtype=torch.int64)
    mask[:, 50:] = 0
    model = transformers.Bert(layers=1, width=256, heads=4, inner=512, words=1000, length=64)
    return model, {"input_ids": transformers.tokens(1000, 64, 1), "attention_mask": mask}


def gpt2_small():
    return transformers.Gpt2(layers=1, width=256, heads=4, words=1000, length=64), {
        "input_ids": transformers.tokens(1000, 64, 2)}


def lenet_random():
    return trained.LeNet(), {"pixels": torch.rand((4, 1, 28, 28), generator=torch.Generator().manual_seed(5))}


class UNet(nn.Module):
    """Two levels down and up: strided and transposed convolutions, batch norms, joins by channel."""

    def __init__(self):
        super().__init__()
        self.first, self.second, self.bottom = self.block(3, 16), self.block(16, 32), self.block(32, 64)
        self.up2, self.up1 = nn.ConvTranspose2d(64, 32, 2, stride=2), nn.ConvTranspose2d(32, 16, 2, stride=2)
        self.back2, self.back1 = self.block(64, 32), self.block(32, 16)
        self.out = nn.Conv2d(16, 2, 1)

    @staticmethod
    def block(given, made):
        return nn.Sequential(nn.Conv2d(given, made, 3, padding=1), nn.BatchNorm2d(made), nn.ReLU(),
                             nn.Conv2d(made, made, 3, padding=1), nn.BatchNorm2d(made), nn.ReLU())

    def forward(self, x):
        a = self.first(x)
        b = self.second(nn.functional.max_pool2d(a, 2))
        c = self.bottom(nn.functional.max_pool2d(b, 2))
        b = self.back2(torch.cat((self.up2(c), b), 1))
        return self.out(self.back1(torch.cat((self.up1(b), a), 1)))


class Yolo(nn.Module):
    """SiLU, a split residual block, pyramid pooling, nearest upsampling, and a head that leaves a grid of boxes."""

    def __init__(self):
        super().__init__()
        def conv(given, made, k=3, s=1):
            return nn.Sequential(nn.Conv2d(given, made, k, s, k // 2, bias=False), nn.BatchNorm2d(made), nn.SiLU())
        self.stem, self.down = conv(3, 16, 3, 2), conv(16, 32, 3, 2)
        self.left, self.right, self.inner, self.join = conv(32, 16, 1), conv(32, 16, 1), conv(16, 16), conv(32, 32, 1)
        self.pool_in, self.pool_out = conv(32, 16, 1), conv(64, 32, 1)
        self.lateral, self.head = conv(48, 32, 1), nn.Conv2d(32, 3 * 9, 1)

    def forward(self, x):
        shallow = self.stem(x)
        x = self.down(shallow)
        a = self.left(x)
        x = self.join(torch.cat((a + self.inner(a), self.right(x)), 1))
        p = [self.pool_in(x)]
        for _ in range(3):
            p.append(nn.functional.max_pool2d(p[-1], 5, stride=1, padding=2))
        x = self.pool_out(torch.cat(p, 1))
        x = torch.cat((nn.functional.interpolate(x, scale_factor=2), shallow), 1)
        y = self.head(self.lateral(x))
        n, _, h, w = y.shape
        y = y.view(n, 3, 9, h, w).permute(0, 1, 3, 4, 2).sigmoid()
        return torch.cat((y[..., :2] * 2 - 0.5, (y[..., 2:4] * 2) ** 2, y[..., 4:]), -1)


class T5(nn.Module):
    """One encoder and one decoder layer: norms without mean, attention without scale, with biases, and over another
    sequence."""

    def __init__(self, width=128, heads=4, inner=256, words=500):
        super().__init__()
        self.words, self.heads = nn.Embedding(words, width), heads
        self.q, self.k, self.v, self.o = (nn.ModuleList(nn.Linear(width, width, bias=False) for _ in range(3))
                                          for _ in range(4))
        self.norms = nn.ModuleList(transformers.RmsNorm(width) for _ in range(5))
        self.up, self.down = (nn.ModuleList(nn.Linear(*size, bias=False) for _ in range(2))
                              for size in ((width, inner), (inner, width)))
        self.bias = nn.Parameter(torch.randn(1, heads, 32, 32))
        self.register_buffer("mask", torch.triu(torch.full((32, 32), -1e9), diagonal=1)[None, None])

    def attend(self, n, x, memory, bias):
        def split(t):
            return t.view(t.shape[0], t.shape[1], self.heads, -1).transpose(1, 2)
        q, k, v = split(self.q[n](x)), split(self.k[n](memory)), split(self.v[n](memory))
        scores = q @ k.transpose(2, 3) / 8
        y = torch.softmax(scores if bias is None else scores + bias, -1) @ v
        return self.o[n](y.transpose(1, 2).reshape(x.shape))

    def forward(self, input_ids, decoder_ids):
        x = self.words(input_ids)
        h = self.norms[0](x)
        x = x + self.attend(0, h, h, self.bias)
        memory = x + self.down[0](torch.relu(self.up[0](self.norms[1](x))))
        y = self.words(decoder_ids)
        h = self.norms[2](y)
        y = y + self.attend(1, h, h, self.bias + self.mask)
        y = y + self.attend(2, self.norms[3](y), memory, None)
        return (y + self.down[1](torch.relu(self.up[1](self.norms[4](y))))) @ self.words.weight.T


def unet_small():
    return UNet(), {"pixels": torch.randn((1, 3, 32, 32), generator=torch.Generator().manual_seed(6))}


def yolo_small():
    return Yolo(), {"pixels": torch.randn((1, 3, 64, 64), generator=torch.Generator().manual_seed(7))}


def t5_small():
    return T5(), {"input_ids": transformers.tokens(500, 32, 8), "decoder_ids": transformers.tokens(500, 32, 9)}


class Mixed(nn.Module):
    """Ops of various other networks: group norms, shuffled channels, attention in windows, a head on flattened pictures,
    squeeze and excitation, norms with powers, softmax spelt out."""

    def __init__(self):
        super().__init__()
        self.stem, self.group = nn.Conv2d(3, 32, 3, padding=1), nn.GroupNorm(4, 32)
        self.left, self.depth = nn.Conv2d(16, 16, 1), nn.Conv2d(16, 16, 3, padding=1, groups=16)
        self.squeeze, self.excite = nn.Conv2d(32, 8, 1), nn.Conv2d(8, 32, 1)
        self.qkv, self.proj = nn.Linear(32, 96), nn.Linear(32, 32)
        self.down = nn.Conv2d(32, 32, 2, 2)
        self.head = nn.Linear(32 * 8 * 8, 40)

    def attend(self, x):
        """In windows of 4 x 4."""
        n, c, h, w = x.shape
        x = x.view(n, c, h // 4, 4, w // 4, 4).permute(0, 2, 4, 3, 5, 1).reshape(-1, 16, c)
        mean = x.mean(-1, keepdim=True)
        q, k, v = self.qkv((x - mean) * ((x - mean).pow(2).mean(-1, keepdim=True) + 1e-6).pow(-0.5)).chunk(3, -1)
        e = torch.exp(q @ k.transpose(1, 2) / 6)
        x = x + self.proj(e / e.sum(-1, keepdim=True) @ v)
        return x.view(n, h // 4, w // 4, 4, 4, c).permute(0, 5, 1, 3, 2, 4).reshape(n, c, h, w)

    def forward(self, x):
        x = torch.nn.functional.hardswish(self.group(self.stem(x)))
        a, b = x.chunk(2, 1)
        x = torch.cat((a, self.depth(self.left(b))), 1)
        n, c, h, w = x.shape
        x = x.view(n, 2, c // 2, h, w).transpose(1, 2).reshape(n, c, h, w)
        x = x * torch.sigmoid(self.excite(torch.relu(self.squeeze(x.mean((2, 3), keepdim=True)))))
        x = self.attend(x)
        return torch.log_softmax(self.head(torch.relu(self.down(x)).flatten(1)), -1)


def mixed_small():
    return Mixed(), {"pixels": torch.randn((1, 3, 16, 16), generator=torch.Generator().manual_seed(10))}
