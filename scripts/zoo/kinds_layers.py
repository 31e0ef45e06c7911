"""Layers that the networks of the kinds_*.py share, and how their batch norms get statistics."""
import torch
from torch import nn
from torch.nn import functional


def settled(model, *inputs):
    """Sets the statistics of batch norms from one pass, like training; otherwise activations vanish or grow."""
    model.eval()
    norms = [part for part in model.modules() if isinstance(part, nn.modules.batchnorm._BatchNorm)]
    for norm in norms:
        norm.momentum = 1.0
        norm.train()
    with torch.no_grad():
        model(*inputs)
    return model.eval()


def with_scores_apart(model, inputs, tries=64):
    """Of `tries` random inputs, that with the largest minimum relative gap between the best `model.count` scores, the
    first result of the model.

    Results that depend on the order of scores can only be compared if rounding does not change that order."""
    def least_step(given):
        scores = model(*given.values())[0].flatten()
        return float(((scores[:-1] - scores[1:]) / scores[:-1]).min())
    model.count += 1  # the best rejected score needs a gap as well
    with torch.no_grad():
        found = max((inputs() for _ in range(tries)), key=least_step)
    model.count -= 1
    return found


def conv_norm(given, made, kernel=3, stride=1, groups=1, activation=nn.ReLU):
    return nn.Sequential(nn.Conv2d(given, made, kernel, stride, kernel // 2, groups=groups, bias=False),
                         nn.BatchNorm2d(made), activation())


class Residual(nn.Module):
    """ResNet's basic block."""

    def __init__(self, given, made, stride=1):
        super().__init__()
        self.first = conv_norm(given, made, 3, stride)
        self.second = nn.Sequential(nn.Conv2d(made, made, 3, padding=1, bias=False), nn.BatchNorm2d(made))
        self.past = nn.Identity()
        if stride > 1 or given != made:
            self.past = nn.Sequential(nn.Conv2d(given, made, 1, stride, bias=False), nn.BatchNorm2d(made))

    def forward(self, x):
        return functional.relu(self.second(self.first(x)) + self.past(x))


class Backbone(nn.Module):
    """A narrow ResNet: picture to features at 1/4, 1/8, 1/16 and 1/32 of the size, `width` to 8 `width` channels."""

    def __init__(self, width=16):
        super().__init__()
        stem = nn.Sequential(conv_norm(3, width, 7, 2), nn.MaxPool2d(3, 2, 1), Residual(width, width))
        self.steps = nn.ModuleList([stem] + [Residual(width << k, width << (k + 1), 2) for k in range(3)])

    def forward(self, x):
        features = []
        for step in self.steps:
            x = step(x)
            features.append(x)
        return features


class Blaze(nn.Module):
    """BlazeFace's block: depthwise and pointwise convolution; the skip connection is pooled and padded with zero channels."""

    def __init__(self, given, made, stride=1):
        super().__init__()
        self.stride, self.more = stride, made - given
        self.conv = nn.Sequential(nn.Conv2d(given, given, 3, stride, 0 if stride == 2 else 1, groups=given),
                                  nn.Conv2d(given, made, 1))
        self.activation = nn.PReLU(made)

    def forward(self, x):
        past = x
        if self.stride == 2:
            x, past = functional.pad(x, (0, 1, 0, 1)), functional.max_pool2d(x, 2, 2)
        if self.more:
            past = functional.pad(past, (0, 0, 0, 0, 0, self.more))
        return self.activation(self.conv(x) + past)


def heads(x, count):
    """[batch, places, width] as [batch, heads, places, width / heads]."""
    return x.view(x.shape[0], x.shape[1], count, -1).transpose(1, 2)


def joined(x):
    """The heads side by side again."""
    return x.transpose(1, 2).reshape(x.shape[0], x.shape[2], -1)
