"""Attention whose queries may see nothing, in the ways that modules spell it, beside torch."""
import math
import warnings

import pytest
import torch
import torch.nn.functional as F
import ttsim
from torch import nn
from ttsim.torch import import_module

BATCH, HEADS, ROWS, SIZE = 2, 2, 6, 8


class Spelled(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, q, k, v, seen):
        return self.function(q, k, v, seen)


def scores(q, k):
    return q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])


def masked(q, k, seen):
    return scores(q, k).masked_fill(~seen, -math.inf)


def added(q, k, seen):
    return scores(q, k) + torch.zeros_like(seen, dtype=q.dtype).masked_fill(~seen, -math.inf)


def spelled_out(q, k, v, seen):
    t = masked(q, k, seen)
    e = torch.exp(t - t.amax(-1, keepdim=True))
    p = e / e.sum(-1, keepdim=True)
    return torch.where(p.isnan(), 0.0, p) @ v


def by_rows(q, k, v, seen):
    p = torch.softmax(masked(q, k, seen), -1)
    return p.masked_fill(~seen.any(-1, keepdim=True), 0) @ v


def finite(q, k, v, seen):
    p = torch.softmax(scores(q, k).masked_fill(~seen, -1e9), -1)
    return (p * seen) @ v


def with_logarithms(q, k, v, seen):
    p = torch.log_softmax(masked(q, k, seen), -1)
    return torch.nan_to_num(p, nan=-3.0, neginf=-2.0) @ v


def causal(q, k, v, seen):
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


def of_floats(q, k, v, seen):
    bias = torch.where(seen, 0.5, -math.inf)
    return F.scaled_dot_product_attention(q, k, v, attn_mask=bias)


SPELLINGS = {
    "sdpa": lambda q, k, v, seen: F.scaled_dot_product_attention(q, k, v, attn_mask=seen),
    "sdpa_of_floats": of_floats,
    "sdpa_causal": causal,
    "nan_to_num": lambda q, k, v, seen: torch.nan_to_num(torch.softmax(masked(q, k, seen), -1)) @ v,
    "nan_to_num_of_one": lambda q, k, v, seen: torch.nan_to_num(torch.softmax(added(q, k, seen), -1), nan=1.0) @ v,
    "isnan": lambda q, k, v, seen: (lambda p: p.masked_fill(p.isnan(), 0.0))(torch.softmax(masked(q, k, seen), -1)) @ v,
    "unequal": lambda q, k, v, seen: (lambda p: torch.where(p != p, 7.0, p))(torch.softmax(masked(q, k, seen), -1)) @ v,
    "behind": lambda q, k, v, seen: torch.nan_to_num(torch.softmax(masked(q, k, seen), -1) @ v),
    "spelled_out": spelled_out,
    "by_rows": by_rows,
    "finite": finite,
    "log_softmax": with_logarithms,
    "nan_stays": lambda q, k, v, seen: torch.softmax(masked(q, k, seen), -1),
}


def inputs():
    generator = torch.Generator().manual_seed(3)
    q, k, v = (torch.randn(BATCH, HEADS, ROWS, SIZE, generator=generator) for _ in range(3))
    seen = torch.ones(BATCH, 1, ROWS, ROWS, dtype=torch.bool).tril()
    seen[1, :, :, :3] = False  # filled up from the left: the first three queries see nothing
    return q, k, v, seen


@pytest.mark.parametrize("name", SPELLINGS)
@pytest.mark.parametrize("device, format, within", [("wh_n150", "Float32", 1e-4), ("gs_e150", "Float16_b", 0.05)])
def test_a_fully_masked_query_gives_the_result_of_torch(name, device, format, within):
    module, args = Spelled(SPELLINGS[name]), inputs()
    wanted = module(*args)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        imported = import_module(module, args)
    assert not [one.op for one in imported.fallbacks]
    compiled = ttsim.compile(imported.graph, device=device, format=format)
    numerics = {"numerics": "float32"} if format == "Float32" else {}
    made = ttsim.Model(compiled, engine="functional", **numerics).run(
        dict(zip(imported.inputs, imported.device_inputs(*args), strict=True)))
    got = torch.as_tensor(made[imported.outputs[0]])
    torch.testing.assert_close(got, wanted, rtol=within, atol=within, equal_nan=True)
