"""Networks written in ttnn's ops, beside torch."""
from __future__ import annotations

import math

import torch
import torch.nn.functional as F
import ttnn


def pcc(a: torch.Tensor, b: torch.Tensor) -> float:
    return float(torch.corrcoef(torch.stack([a.double().flatten(), b.double().flatten()]))[0, 1])


class Bert:
    """A BERT encoder with random weights, op by op: 29 ops a layer."""

    def __init__(self, device, layers=12, width=768, heads=12, length=128, seed=0):
        self.device, self.layers, self.width, self.heads, self.length = device, layers, width, heads, length
        generator = torch.Generator().manual_seed(seed)

        def weight(*shape):
            return (torch.randn(shape, generator=generator) * 0.02).bfloat16().float()
        self.weights = [{"q": weight(width, width), "k": weight(width, width), "v": weight(width, width), "o": weight(width, width),
                         "up": weight(width, 4 * width), "down": weight(4 * width, width),
                         **{f"{name}_bias": weight(1, size) for name, size in (("q", width), ("k", width), ("v", width), ("o", width),
                                                                               ("up", 4 * width), ("down", width))},
                         "ln1": 1 + weight(width), "ln1_bias": weight(width), "ln2": 1 + weight(width), "ln2_bias": weight(width)}
                        for _ in range(layers)]
        self.on_device = [{name: self.put(value) for name, value in one.items()} for one in self.weights]
        self.ops = 0

    def put(self, value):
        return ttnn.from_torch(value, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=self.device)

    def op(self, function, *args, **kwargs):
        self.ops += 1
        return function(*args, **kwargs)

    def project(self, x, w, name):
        return self.op(ttnn.add, self.op(ttnn.matmul, x, w[name]), w[f"{name}_bias"])

    def split(self, x, transposed=False):
        size = self.width // self.heads
        x = self.op(ttnn.reshape, x, (1, self.length, self.heads, size))
        return self.op(ttnn.permute, x, (0, 2, 3, 1) if transposed else (0, 2, 1, 3))

    def forward(self, hidden):
        x = self.put(hidden)
        for w in self.on_device:
            q, k, v = self.split(self.project(x, w, "q")), self.split(self.project(x, w, "k"), True), self.split(self.project(x, w, "v"))
            scores = self.op(ttnn.multiply, self.op(ttnn.matmul, q, k), 1 / math.sqrt(self.width // self.heads))
            context = self.op(ttnn.matmul, self.op(ttnn.softmax, scores, dim=-1), v)
            context = self.op(ttnn.reshape, self.op(ttnn.permute, context, (0, 2, 1, 3)), (1, self.length, self.width))
            x = self.op(ttnn.layer_norm, self.op(ttnn.add, x, self.project(context, w, "o")), epsilon=1e-12, weight=w["ln1"],
                        bias=w["ln1_bias"])
            up = self.op(ttnn.gelu, self.project(x, w, "up"))
            x = self.op(ttnn.layer_norm, self.op(ttnn.add, x, self.project(up, w, "down")), epsilon=1e-12, weight=w["ln2"],
                        bias=w["ln2_bias"])
        return ttnn.to_torch(x).float()

    def golden(self, hidden):
        x = hidden.float()
        for w in self.weights:
            def heads(y):
                return y.reshape(1, self.length, self.heads, -1).transpose(1, 2)
            q, k, v = (heads(x @ w[name] + w[f"{name}_bias"]) for name in "qkv")
            context = torch.softmax(q @ k.transpose(-1, -2) / math.sqrt(self.width // self.heads), -1) @ v
            context = context.transpose(1, 2).reshape(1, self.length, self.width)
            x = F.layer_norm(x + context @ w["o"] + w["o_bias"], (self.width,), w["ln1"], w["ln1_bias"], 1e-12)
            up = F.gelu(x @ w["up"] + w["up_bias"])
            x = F.layer_norm(x + up @ w["down"] + w["down_bias"], (self.width,), w["ln2"], w["ln2_bias"], 1e-12)
        return x


class ResNet18:
    """ResNet-18 with random weights; normalizations are folded into the convolutions."""

    def __init__(self, device, size=224, seed=0):
        self.device, self.size = device, size
        self.generator = torch.Generator().manual_seed(seed)
        self.stem = self.conv(3, 64, 7)
        self.blocks = []
        channels = 64
        for width, stride in ((64, 1), (64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), (512, 1)):
            skip = self.conv(channels, width, 1) if stride != 1 or channels != width else None
            self.blocks.append((self.conv(channels, width, 3), self.conv(width, width, 3), skip, stride))
            channels = width
        self.head = (torch.randn(512, 1000, generator=self.generator) * 0.05).bfloat16().float()

    def conv(self, inner, outer, kernel):
        weight = torch.randn(outer, inner, kernel, kernel, generator=self.generator) * math.sqrt(2 / (inner * kernel * kernel))
        bias = torch.randn(outer, generator=self.generator) * 0.1
        weight, bias = weight.bfloat16(), bias.bfloat16()
        return weight.float(), bias.float(), ttnn.from_torch(weight), ttnn.from_torch(bias)

    def apply(self, x, size, conv, stride, activation=None):
        weight = conv[0]
        config = ttnn.Conv2dConfig(activation=activation) if activation else None
        made, (height, _) = ttnn.conv2d(
            input_tensor=x, weight_tensor=conv[2], bias_tensor=conv[3], device=self.device, in_channels=weight.shape[1],
            out_channels=weight.shape[0], batch_size=1, input_height=size, input_width=size, kernel_size=tuple(weight.shape[2:]),
            stride=(stride, stride), padding=(weight.shape[2] // 2, weight.shape[2] // 2), conv_config=config, return_output_dim=True)
        return made, height

    def forward(self, picture):
        x = ttnn.from_torch(picture.permute(0, 2, 3, 1).reshape(1, 1, -1, 3), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT,
                            device=self.device)
        x, size = self.apply(x, self.size, self.stem, 2, "relu")
        x, size = ttnn.max_pool2d(x, 1, size, size, 64, (3, 3), (2, 2), (1, 1)), (size + 1) // 2
        for first, second, skip, stride in self.blocks:
            y, small = self.apply(x, size, first, stride, "relu")
            y, _ = self.apply(y, small, second, 1)
            other = x if skip is None else self.apply(x, size, skip, stride)[0]
            x, size = ttnn.add(y, other, activations=["relu"]), small
        x = ttnn.mean(x, dim=2, keepdim=True)
        head = ttnn.from_torch(self.head, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=self.device)
        return ttnn.to_torch(ttnn.matmul(x, head)).float().reshape(1, 1000)

    def golden(self, picture):
        def conv(x, one, stride):
            return F.conv2d(x, one[0], one[1], stride, one[0].shape[2] // 2)
        x = F.max_pool2d(torch.relu(conv(picture, self.stem, 2)), 3, 2, 1)
        for first, second, skip, stride in self.blocks:
            y = conv(torch.relu(conv(x, first, stride)), second, 1)
            x = torch.relu(y + (x if skip is None else conv(x, skip, stride)))
        return x.mean((2, 3)) @ self.head
