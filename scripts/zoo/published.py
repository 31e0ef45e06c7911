"""Networks whose speed on cards is published, in torch.nn alone: where torchvision is not installed, and those that it
does not have. Random weights; layers, widths and activations are those of the papers."""
import torch
from torch import nn
from torch.nn import functional

from zoo.transformers import Bert, tokens


def conv(given, made, k=1, s=1, groups=1, act=nn.ReLU):
    """Convolution, batch norm and activation."""
    layers = [nn.Conv2d(given, made, k, s, k // 2, groups=groups, bias=False), nn.BatchNorm2d(made)]
    return nn.Sequential(*layers, *([act()] if act else []))


class Head(nn.Sequential):
    """Mean over the picture and a classifier."""

    def __init__(self, width, *hidden, act=nn.ReLU, classes=1000):
        sizes = [width, *hidden]
        layers = [part for a, b in zip(sizes, sizes[1:]) for part in (nn.Linear(a, b), act())]
        super().__init__(nn.AdaptiveAvgPool2d(1), nn.Flatten(), *layers, nn.Linear(sizes[-1], classes))


class Bottleneck(nn.Module):
    def __init__(self, given, width, s):
        super().__init__()
        self.steps = nn.Sequential(conv(given, width), conv(width, width, 3, s), conv(width, 4 * width, act=None))
        self.short = conv(given, 4 * width, 1, s, act=None) if s > 1 or given != 4 * width else nn.Identity()

    def forward(self, x):
        return functional.relu(self.steps(x) + self.short(x))


def resnet50():
    layers, given = [conv(3, 64, 7, 2), nn.MaxPool2d(3, 2, 1)], 64
    for width, count, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for k in range(count):
            layers.append(Bottleneck(given, width, 1 if k else stride))
            given = 4 * width
    return nn.Sequential(*layers, Head(given))


def mobilenet_v1():
    layers, given = [conv(3, 32, 3, 2)], 32
    for made, stride in ((64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), *[(512, 1)] * 5, (1024, 2), (1024, 1)):
        layers += [conv(given, given, 3, stride, given), conv(given, made)]
        given = made
    return nn.Sequential(*layers, Head(given))


class Squeeze(nn.Module):
    """Squeeze and excitation: channels are scaled by a function of their means."""

    def __init__(self, width, inner, act, gate):
        super().__init__()
        self.scale = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(width, inner, 1), act(), nn.Conv2d(inner, width, 1), gate())

    def forward(self, x):
        return x * self.scale(x)


class Inverted(nn.Module):
    """Inverted residual: wider, depthwise, perhaps squeezed, narrower."""

    def __init__(self, given, wide, made, k, s, act, squeeze=None):
        super().__init__()
        self.steps = nn.Sequential(*([conv(given, wide, act=act)] if wide != given else []),
                                   conv(wide, wide, k, s, wide, act), *([squeeze] if squeeze else []), conv(wide, made, act=None))
        self.residual = s == 1 and given == made

    def forward(self, x):
        return x + self.steps(x) if self.residual else self.steps(x)


def mobilenet_v2():
    layers, given = [conv(3, 32, 3, 2, act=nn.ReLU6)], 32
    for wider, made, count, stride in ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)):
        for k in range(count):
            layers.append(Inverted(given, wider * given, made, 3, 1 if k else stride, nn.ReLU6))
            given = made
    return nn.Sequential(*layers, conv(given, 1280, act=nn.ReLU6), Head(1280))


def mobilenet_v3_large():
    layers, given = [conv(3, 16, 3, 2, act=nn.Hardswish)], 16
    for k, wide, made, squeezed, act, stride in (
            (3, 16, 16, 0, nn.ReLU, 1), (3, 64, 24, 0, nn.ReLU, 2), (3, 72, 24, 0, nn.ReLU, 1), (5, 72, 40, 24, nn.ReLU, 2),
            (5, 120, 40, 32, nn.ReLU, 1), (5, 120, 40, 32, nn.ReLU, 1), (3, 240, 80, 0, nn.Hardswish, 2),
            (3, 200, 80, 0, nn.Hardswish, 1), (3, 184, 80, 0, nn.Hardswish, 1), (3, 184, 80, 0, nn.Hardswish, 1),
            (3, 480, 112, 120, nn.Hardswish, 1), (3, 672, 112, 168, nn.Hardswish, 1), (5, 672, 160, 168, nn.Hardswish, 2),
            (5, 960, 160, 240, nn.Hardswish, 1), (5, 960, 160, 240, nn.Hardswish, 1)):
        squeeze = Squeeze(wide, squeezed, nn.ReLU, nn.Hardsigmoid) if squeezed else None
        layers.append(Inverted(given, wide, made, k, stride, act, squeeze))
        given = made
    return nn.Sequential(*layers, conv(given, 960, act=nn.Hardswish), Head(960, 1280, act=nn.Hardswish))


def efficientnet_b0():
    layers, given = [conv(3, 32, 3, 2, act=nn.SiLU)], 32
    for wider, k, made, count, stride in ((1, 3, 16, 1, 1), (6, 3, 24, 2, 2), (6, 5, 40, 2, 2), (6, 3, 80, 3, 2), (6, 5, 112, 3, 1),
                                          (6, 5, 192, 4, 2), (6, 3, 320, 1, 1)):
        for step in range(count):
            wide = wider * given
            layers.append(Inverted(given, wide, made, k, 1 if step else stride, nn.SiLU, Squeeze(wide, given // 4, nn.SiLU, nn.Sigmoid)))
            given = made
    return nn.Sequential(*layers, conv(given, 1280, act=nn.SiLU), Head(1280))


class Aggregation(nn.Module):
    """One-shot aggregation: each convolution reads the one before; all are joined at the end."""

    def __init__(self, given, width, made, count=5):
        super().__init__()
        self.steps = nn.ModuleList(conv(width if k else given, width, 3) for k in range(count))
        self.join = conv(given + count * width, made)

    def forward(self, x):
        parts = [x]
        for step in self.steps:
            parts.append(step(parts[-1]))
        return self.join(torch.cat(parts, 1))


def vovnet27():
    layers, given = [conv(3, 64, 3, 2), conv(64, 64, 3), conv(64, 128, 3, 2)], 128
    for k, (width, made) in enumerate(((64, 128), (80, 256), (96, 384), (112, 512))):
        layers += [*([nn.MaxPool2d(3, 2, 1)] if k else []), Aggregation(given, width, made)]
        given = made
    return nn.Sequential(*layers, Head(given))


class Vit(nn.Module):
    """The base size: patches of 16 x 16, a class token, norms before attention and products."""

    def __init__(self, width=768, heads=12, depth=12, size=224, patch=16):
        super().__init__()
        self.patches = nn.Conv2d(3, width, patch, patch)
        self.token = nn.Parameter(torch.zeros(1, 1, width))
        self.places = nn.Parameter(torch.randn(1, (size // patch) ** 2 + 1, width) * 0.02)
        self.heads = heads
        self.norms = nn.ModuleList(nn.LayerNorm(width, 1e-6) for _ in range(2 * depth + 1))
        self.mixed = nn.ModuleList(nn.Linear(width, 3 * width) for _ in range(depth))
        self.out = nn.ModuleList(nn.Linear(width, width) for _ in range(depth))
        self.inner = nn.ModuleList(nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)) for _ in range(depth))
        self.classes = nn.Linear(width, 1000)

    def attend(self, k, x):
        q, key, v = (p.reshape(p.shape[0], p.shape[1], self.heads, -1).transpose(1, 2) for p in self.mixed[k](x).chunk(3, -1))
        scores = q @ key.transpose(2, 3) * q.shape[-1] ** -0.5
        return self.out[k]((torch.softmax(scores, -1) @ v).transpose(1, 2).reshape(x.shape))

    def forward(self, pixels):
        x = self.patches(pixels).flatten(2).transpose(1, 2)
        x = torch.cat((self.token, x), 1) + self.places
        for k in range(len(self.mixed)):
            x = x + self.attend(k, self.norms[2 * k](x))
            x = x + self.inner[k](self.norms[2 * k + 1](x))
        return self.classes(self.norms[-1](x)[:, 0])


def picture(network, size=224):
    def make():
        seed = sum(map(ord, network.__name__))
        return network(), {"pixels": torch.randn((1, 3, size, size), generator=torch.Generator().manual_seed(seed))}
    return make


def vit_b16():
    return Vit()


def bert_large():
    mask = torch.ones(1, 384, dtype=torch.int64)
    mask[:, 320:] = 0
    return Bert(layers=24, width=1024, heads=16, inner=4096, length=384), {"input_ids": tokens(30522, 384, 3), "attention_mask": mask}


MAKERS = {f.__name__: picture(f) for f in (resnet50, mobilenet_v1, mobilenet_v2, mobilenet_v3_large, efficientnet_b0, vovnet27, vit_b16)}
MAKERS["bert_large"] = bert_large
