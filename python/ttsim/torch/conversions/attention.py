"""Scaled dot-product attention."""
from __future__ import annotations

import math
from typing import Any

import torch

from ..table import Op, Refused, Tensor, converts

aten = torch.ops.aten


@converts(aten.scaled_dot_product_attention.default)
def attention(op: Op, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, dropout: Any = 0.0, causal: Any = False,
              *, scale: Any = None, enable_gqa: Any = False) -> Any:
    """softmax(q k^T * scale + mask) v; query [.., heads, l, d], key and value [.., heads, s, d]."""
    build = op.build
    if dropout and not build.training:
        raise Refused("dropout of attention weights is random")
    keys, values = op.float(key), op.float(value)
    if enable_gqa and key.shape[-3] != query.shape[-3]:
        shared = query.shape[-3] // key.shape[-3]
        heads = [head // shared for head in range(query.shape[-3])]
        keys, values = build.select(keys, key.rank - 3, heads), build.select(values, value.rank - 3, heads)
    factor = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    scores = build.add("matmul", op.float(query), build.swap(keys, key.rank - 1, key.rank - 2))
    scores = build.scaled(scores, factor)
    if causal:
        lower = torch.ones(query.shape[-2], key.shape[-2], dtype=torch.bool).tril()
        scores = build.add("add", scores, build.constant(torch.zeros(lower.shape).masked_fill(~lower, -math.inf)))
    if mask is not None:
        scores = build.add("add", scores, _added(op, mask))
    weights = build.dropout(build.safe_softmax(scores, len(build.shape(scores)) - 1), dropout)
    return build.add("matmul", weights, values)


def _added(op: Op, mask: Tensor) -> Any:
    """The mask as an addend: for booleans 0 where true, else minus infinity."""
    if mask.dtype != torch.bool:
        return op.float(mask)
    if mask.known is not None:
        return op.build.constant(torch.zeros(mask.shape).masked_fill(~mask.known, -math.inf))
    return op.build.add("where", op.bool(mask), op.build.number(0), op.build.number(-math.inf))


@converts(aten._scaled_dot_product_flash_attention_for_cpu.default)
def flash_attention(op: Op, query: Tensor, key: Tensor, value: Tensor, dropout: Any = 0.0, causal: Any = False, *, attn_mask: Any = None,
                    scale: Any = None) -> Any:
    return attention(op, query, key, value, attn_mask, dropout, causal, scale=scale), None
