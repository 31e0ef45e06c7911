"""Products and attention."""
from __future__ import annotations

import math
from typing import Any

import torch
import ttnn

from ..target_wrappers import pack_to_tuple
from .table import Stays, rewrites

aten = torch.ops.aten


@rewrites(aten.mm.default, aten.bmm.default, aten.matmul.default, becomes="matmul")
def _mm(r: Any, a: Any, b: Any) -> Any:
    return r.call(ttnn.matmul, a, b)


@rewrites(aten.mv.default, aten.dot.default, becomes="mul, sum")
def _mv(r: Any, a: Any, b: Any) -> Any:
    made = r.call(ttnn.sum, r.call(ttnn.mul, a, b), -1, True)
    return r.reshape(made, r.shape(r.node))


@rewrites(aten.addmm.default, aten.baddbmm.default, becomes="matmul, [mul alpha], [mul beta], add")
def _addmm(r: Any, x: Any, a: Any, b: Any, *, beta: float = 1, alpha: float = 1) -> Any:
    made = r.scaled(r.call(ttnn.matmul, a, b), alpha)
    return made if beta == 0 else r.call(ttnn.add, r.scaled(x, beta), made)


@rewrites(aten.linear.default, becomes="linear")
def _linear(r: Any, x: Any, weight: Any, bias: Any = None) -> Any:
    return r.call(ttnn.linear, x, weight, bias=bias, transpose_b=True)


def _with_logsumexp(r: Any, q: Any, k: Any, v: Any, causal: bool, mask: Any, scale: float | None) -> Any:
    """Attention of training: its backward op needs the logarithm of the sums."""
    scale = 1 / math.sqrt(r.shape(q)[-1]) if scale is None else scale
    scores = r.call(ttnn.mul, r.call(ttnn.matmul, q, r.call(ttnn.transpose, k, -2, -1)), scale)
    rows, columns = r.shape(scores)[-2:]
    if causal:
        mask = r.constant(lambda: torch.full((1, 1, rows, columns), -1e9).triu(1))
    scores = scores if mask is None else r.call(ttnn.add, scores, mask)
    most = r.call(ttnn.max, scores, -1, True)
    powers = r.call(ttnn.exp, r.call(ttnn.sub, scores, most))
    total = r.call(ttnn.sum, powers, -1, True)
    made = r.call(ttnn.matmul, r.call(ttnn.div, powers, total), v)
    log = r.call(ttnn.add, r.call(ttnn.log, total), most)
    return r.call(pack_to_tuple, made, r.reshape(log, r.shape(log)[:-1]))


def _attention(r: Any, q: Any, k: Any, v: Any, p: float, causal: bool, mask: Any, scale: float | None, rest: range) -> Any:
    if p > 0:
        raise Stays("dropout is more than 0")
    if mask is not None and r.kind(mask) == "bool":
        mask = r.call(ttnn.where, mask, 0.0, r.full(r.shape(mask), -1e9))
    if any(r.is_used(one) for one in rest):
        return _with_logsumexp(r, q, k, v, causal, mask, scale)
    made = r.call(ttnn.transformer.scaled_dot_product_attention, q, k, v, attn_mask=mask, is_causal=causal, scale=scale)
    return r.call(pack_to_tuple, made, *[None for _ in rest])


@rewrites(aten._scaled_dot_product_flash_attention_for_cpu.default,
          becomes="transformer.scaled_dot_product_attention, pack_to_tuple",
          stays="dropout is more than 0")
def _flash(r: Any, q: Any, k: Any, v: Any, dropout_p: float = 0.0, is_causal: bool = False, *, attn_mask: Any = None,
           scale: float | None = None) -> Any:
    return _attention(r, q, k, v, dropout_p, is_causal, attn_mask, scale, range(1, 2))


@rewrites(aten._scaled_dot_product_attention_math_for_mps.default,
          becomes="transformer.scaled_dot_product_attention, pack_to_tuple", stays="as above")
def _math(r: Any, q: Any, k: Any, v: Any, attn_mask: Any = None, dropout_p: float = 0.0, is_causal: bool = False,
          dropout_mask: Any = None, *, scale: float | None = None) -> Any:
    return _attention(r, q, k, v, dropout_p, is_causal, attn_mask, scale, range(1, 2))
