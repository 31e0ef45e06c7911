"""Each conversion: the calls it becomes, and its values in both modes."""
import math

import pytest
import torch
import torch.nn.functional as F
import ttnn
from harness import close, remaining, targets
from torch import nn
from torch_ttnn import target_wrappers as wrappers


def x(*shape):
    return torch.randn(shape or (4, 64), generator=torch.Generator().manual_seed(1))


def distinct(*shape):
    """Whole numbers that bfloat16 holds, no two equal."""
    count = math.prod(shape)
    return (torch.randperm(count, generator=torch.Generator().manual_seed(1)) - count // 2).float().reshape(shape)


def i(*values):
    return torch.tensor(values)


def _masked_write(a):
    made = a * 2
    made[made > 1] = 0.5
    made[torch.arange(4) > 2] = -1.0
    return made


CASES = [  # name, function, operands, calls in the graph
    ("add", lambda a, b: a + b, (x(), x(64)), [ttnn.add]),
    ("add_alpha", lambda a, b: torch.add(a, b, alpha=2), (x(), x(64)), [ttnn.mul, ttnn.add]),
    ("number_first", lambda a: 1 / (3 - a * a + 10), (x(),), [ttnn.reciprocal]),
    ("rsub", lambda a: torch.rsub(a, 3.0), (x(),), [ttnn.rsub]),
    ("addmm", lambda a, b, c: torch.addmm(a, b, c), (x(8), x(4, 16), x(16, 8)), [ttnn.matmul, ttnn.add]),
    ("addmm_scaled", lambda a, b, c: torch.addmm(a, b, c, beta=2, alpha=3), (x(8), x(4, 16), x(16, 8)), [ttnn.matmul, ttnn.mul]),
    ("baddbmm", lambda a, b, c: torch.baddbmm(a, b, c, beta=0), (x(2, 4, 8), x(2, 4, 16), x(2, 16, 8)), [ttnn.matmul]),
    ("pow", lambda a: (a.abs() + 1) ** -2.0, (x(),), [ttnn.pow, ttnn.reciprocal]),
    ("clamp", lambda a: (a.clamp(-1, 1), a.clamp_min(0.5), F.hardtanh(a)), (x(),), [ttnn.clip, ttnn.hardtanh]),
    ("compare", lambda a, b: (a > b, a == a, a.lt(0), a.ge(b)), (x(), x(64)), [ttnn.gt, ttnn.eq, ttnn.lt, ttnn.ge]),
    ("where", lambda a, b: torch.where(a > b, a, 2.0), (x(), x(64)), [ttnn.where]),
    ("mask", lambda a: a.masked_fill(a > 0, -3.4e38).softmax(-1), (x(),), [ttnn.subtract, ttnn.multiply, ttnn.add, ttnn.softmax]),
    ("mask_infinite", lambda a: a.masked_fill(a > 0, float("-inf")).softmax(-1), (x(),), [ttnn.where]),
    ("softmax", lambda a: a.softmax(0), (x(),), [ttnn.softmax]),
    ("log_softmax", lambda a: F.log_softmax(a, 1), (x(),), [ttnn.softmax, ttnn.log]),
    ("layer_norm", nn.LayerNorm(64), (x(),), [wrappers.native_layer_norm]),
    ("layer_norm_2", nn.LayerNorm((4, 16)), (x(3, 4, 16),), [wrappers.native_layer_norm]),
    ("batch_norm", nn.BatchNorm2d(4).eval(), (x(1, 4, 8, 8),), [ttnn.sub, ttnn.mul, wrappers.pack_to_tuple]),
    ("group_norm", nn.GroupNorm(2, 4), (x(1, 4, 8, 8),), []),
    ("mean", lambda a: (a.mean(), a.mean(0), a.mean((0, 1), keepdim=True)), (x(),), [ttnn.mean]),
    ("sum", lambda a: (a.sum(1), (a > 0).sum(), a.amax(0), a.min(), a.var(1)), (x(),), [ttnn.sum, ttnn.max, ttnn.min]),
    ("argmax", lambda a: (a.argmax(1), a.max(0), a.argmin()), (x(),), [ttnn.argmax]),
    ("all", lambda a: ((a > -9).all(), (a > 2).any(1)), (x(),), [wrappers.all, ttnn.any]),
    ("cumsum", lambda a: a.cumsum(1), (x(),), [ttnn.moreh_cumsum]),
    ("embedding", nn.Embedding(50, 32), (i(3, 49, 0, 3),), [ttnn.embedding]),
    ("index", lambda a, k: a[k], (x(), i(3, -1, 0)), [ttnn.embedding]),
    ("index_2", lambda a, k, m: a[k, m], (x(), i(3, -1, 0), i(5, 6, -2)), [ttnn.embedding]),
    ("index_inner", lambda a, k: a[:, k], (x(4, 8, 8), i(3, -1, 0)), [ttnn.index_select]),
    ("index_select", lambda a, k: a.index_select(1, k), (x(), i(3, 1, 0)), [ttnn.index_select]),
    ("gather", lambda a, k: a.gather(1, k), (x(), i(3, 1, 0, 9).reshape(4, 1)), [ttnn.gather]),
    ("conv2d", nn.Conv2d(4, 6, 3, 2, 1), (x(2, 4, 9, 8),), [wrappers.conv]),
    ("conv_groups", nn.Conv2d(4, 8, 3, groups=4), (x(1, 4, 9, 8),), [wrappers.conv]),
    ("conv1d", nn.Conv1d(4, 6, 3, padding=1), (x(1, 4, 20),), [wrappers.conv]),
    ("conv3d", nn.Conv3d(2, 3, 3, (2, 1, 1), (1, 0, 1), dilation=(1, 1, 2)), (x(2, 2, 5, 6, 7),), [ttnn.pad, wrappers.conv]),
    ("conv3d_groups", nn.Conv3d(4, 4, (2, 1, 3), groups=2, bias=False), (x(1, 4, 3, 6, 7),), [wrappers.stack, wrappers.conv]),
    ("transposed", nn.ConvTranspose2d(4, 6, 3, 2, 1, output_padding=1), (x(1, 4, 8, 8),), [wrappers.conv]),
    ("transposed_1", nn.ConvTranspose1d(4, 6, 3, 2), (x(1, 4, 20),), [wrappers.conv]),
    ("max_pool", nn.MaxPool2d(3, 2, 1), (x(1, 4, 9, 8),), [ttnn.max_pool2d]),
    ("avg_pool", nn.AvgPool2d(3, 2, 1, count_include_pad=False), (x(1, 4, 9, 8),), [ttnn.avg_pool2d]),
    ("adaptive", nn.AdaptiveAvgPool2d((3, 5)), (x(1, 4, 8, 8),), [ttnn.matmul]),
    ("bilinear", lambda a: F.interpolate(a, scale_factor=2, mode="bilinear"), (x(1, 4, 8, 8),), []),
    ("nearest", lambda a: F.interpolate(a, size=(5, 7)), (x(1, 4, 8, 8),), []),
    ("view", lambda a: (a.view(2, 2, 64), a.reshape(64, 4)), (x(),), [ttnn.reshape]),
    ("view_tiles", lambda a: a.view(2, 32, 64), (x(64, 64),), [ttnn.experimental.view]),
    ("select", lambda a: (a[1], a[:, -1], a.unsqueeze(0), a[:1].squeeze(0)), (x(),), [ttnn.slice, ttnn.reshape, ttnn.squeeze]),
    ("permute", lambda a: a.permute(0, 2, 1, 3), (x(2, 3, 4, 5),), [ttnn.permute]),
    ("rank_5", lambda a: a.permute(4, 0, 2, 1, 3), (x(2, 3, 4, 5, 2),), [ttnn.permute]),
    ("expand", lambda a: (a.expand(6, 4, 64), a[:1].expand(5, 64)), (x(),), [wrappers.repeat, ttnn.expand]),
    ("repeat", lambda a: a.repeat(2, 1, 3), (x(),), [wrappers.repeat]),
    ("slice", lambda a: (a[1:3], a[:, ::2], a[:, 5:-7]), (x(),), [ttnn.slice]),
    ("cat", lambda a: (torch.cat([a, a * 2], 1), torch.stack([a, a]), torch.cat([a[:0], a])), (x(),), [ttnn.concat, wrappers.stack]),
    ("split", lambda a: torch.split(a, [16, 48], 1), (x(),), [ttnn.split]),
    ("roll", lambda a: (torch.roll(a, (1, -3), (0, 1)), F.pad(a, (1, 2)), F.pad(a, (-1, 2), value=1.0)), (x(),), [wrappers.roll, ttnn.pad]),
    ("like", lambda a: (torch.full_like(a, 3), torch.ones_like(a) + a, torch.zeros(3, 5)), (x(),), [ttnn.full]),
    ("triangle", lambda a: (a.tril(), a.triu(1)), (x(8, 8),), [ttnn.tril]),
    ("addcmul", lambda a: (torch.addcmul(a, a, a, value=2), torch.addcdiv(a, a, a.abs() + 1)), (x(),), [ttnn.addcmul, ttnn.addcdiv]),
    ("attention", lambda a: F.scaled_dot_product_attention(a, a, a, is_causal=True), (x(1, 2, 8, 16),),
     [ttnn.transformer.scaled_dot_product_attention]),
    ("attention_mask", lambda a, m: F.scaled_dot_product_attention(a, a, a, attn_mask=m), (x(1, 2, 8, 16), x(8, 8)),
     [ttnn.transformer.scaled_dot_product_attention]),
    ("bits", lambda k: (k & 3, ~k, (k > 1) & (k < 9), ~(k > 3)), (torch.arange(12),), [ttnn.logical_and, ttnn.eq]),
    ("integers", lambda k: (k * 300 + 1, k // 2, k - 7), (torch.arange(12),), []),
    ("top", lambda a: (a + 1).topk(3)[0], (x(),), [ttnn.topk]),
    ("pool_places", lambda a: F.max_pool2d(a, 3, 2, 1, return_indices=True), (distinct(1, 2, 9, 8),), [wrappers.stack, ttnn.argmax]),
    ("pool_places_ceil", lambda a: F.max_pool2d(a, (3, 2), ceil_mode=True, dilation=2, return_indices=True), (distinct(2, 1, 8, 9),),
     [ttnn.argmax]),
    ("masked_write", _masked_write, (x(),), [ttnn.where]),
    ("slice_scatter", lambda a: torch.slice_scatter(a, a[:, :2] * 5, 1, 3, 5), (x(),), [ttnn.concat]),
]


@pytest.mark.parametrize("mode", ("graph", "eager"))
@pytest.mark.parametrize("name, function, operands, calls", CASES, ids=[case[0] for case in CASES])
def test_conversion(compiled, name, function, operands, calls, mode):
    made, option = compiled(function, mode=mode)
    with torch.no_grad():
        close(function(*operands), made(*operands), 0.995)
    assert remaining(option) == []
    for call in calls:
        assert call in targets(option), f"{call} is not in the graph"


UNARY = ["abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "ceil", "cos", "cosh", "erf", "exp", "expm1", "floor", "isinf", "isnan", "log", "log10", "log1p", "log2", "logical_not", "neg", "reciprocal", "relu", "round", "rsqrt", "sigmoid", "sign", "sin", "sinh", "sqrt", "tan", "tanh", "trunc"]


@pytest.mark.parametrize("mode", ("graph", "eager"))
def test_unary(compiled, mode):
    given = torch.rand(4, 64, generator=torch.Generator().manual_seed(0)) * 0.9 + 0.05

    def function(a):
        return [getattr(torch, name)(a + 1 if name == "acosh" else a) for name in UNARY] + \
            [F.gelu(a), F.gelu(a, approximate="tanh"), F.silu(a), F.elu(a - 0.5), F.leaky_relu(a - 0.5), F.softplus(a), F.hardswish(a)]
    made, option = compiled(function, mode=mode)
    close(function(given), made(given), 0.99)
    assert remaining(option) == []
    for name in UNARY:
        assert getattr(ttnn, name) in targets(option)


def test_refusals_name_their_reasons(compiled):
    volume = nn.ConvTranspose3d(1, 2, 3)
    made, option = compiled(volume)
    operand = x(1, 1, 4, 8, 8)
    with torch.no_grad():
        close(volume(operand), made(operand))
    stay, = option.report()["graphs"][0]["stays"]
    assert stay == {"op": "aten.convolution.default", "reason": "it is transposed and has three axes", "nodes": 1}
