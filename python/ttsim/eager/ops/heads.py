"""Attention."""
from __future__ import annotations

import math

import torch

from ..table import alias, op

Optional = torch.Tensor | None


@op("transformer.split_query_key_value_and_split_heads", kind="move", group="transformer")
def split_heads(input_tensor: torch.Tensor, kv_input_tensor: Optional = None, *, num_heads: int,
                num_kv_heads: int | None = None, transpose_key: bool = True) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """[B, S, (q, k, v)] -> q [B, H, S, D], k [B, H, D, S] (without transpose_key [B, H, S, D]), v [B, H, S, D]."""
    batch, length, width = input_tensor.shape
    groups = num_kv_heads or num_heads
    if kv_input_tensor is None:
        size = width // (num_heads + 2 * groups)
        parts = torch.split(input_tensor, [num_heads * size, groups * size, groups * size], -1)
    else:
        size = width // num_heads
        parts = (input_tensor, *torch.split(kv_input_tensor, groups * size, -1))
    def heads(x: torch.Tensor, count: int) -> torch.Tensor:
        return x.reshape(batch, x.shape[1], count, size).permute(0, 2, 1, 3)
    key = heads(parts[1], groups)
    return heads(parts[0], num_heads), key.transpose(-1, -2) if transpose_key else key, heads(parts[2], groups)


@op("transformer.concatenate_heads", kind="move", group="transformer")
def concatenate_heads(input_tensor: torch.Tensor) -> torch.Tensor:
    """[B, H, S, D] -> [B, S, H * D]."""
    batch, heads, length, size = input_tensor.shape
    return input_tensor.permute(0, 2, 1, 3).reshape(batch, length, heads * size)


@op("transformer.attention_softmax", group="transformer", layouts="tile")
def attention_softmax(input_tensor: torch.Tensor, *, head_size: int | None = None, attention_mask: Optional = None,
                      causal_mask: bool = False) -> torch.Tensor:
    """softmax(x / sqrt(head_size) + mask) over the last axis."""
    x = input_tensor if head_size is None else input_tensor * (1 / math.sqrt(head_size))
    return torch.softmax(x if attention_mask is None else x + attention_mask, -1)


alias("transformer.attention_softmax_", "transformer.attention_softmax")


@op("transformer.scaled_dot_product_attention", group="transformer", layouts="tile")
def scaled_dot_product_attention(input_tensor_q: torch.Tensor, input_tensor_k: torch.Tensor, input_tensor_v: torch.Tensor, *,
                                 attn_mask: Optional = None, is_causal: bool = True, scale: float | None = None) -> torch.Tensor:
    """softmax(q k^T * scale + mask) v, of [B, H, S, D]; heads of k and v may be fewer. `scale`: 1 / sqrt(D) by default.
    `is_causal`: keys after a query have no weight."""
    q, k, v = input_tensor_q, input_tensor_k, input_tensor_v
    if k.shape[1] != q.shape[1]:
        k, v = (torch.repeat_interleave(x, q.shape[1] // x.shape[1], 1) for x in (k, v))
    scores = q @ k.transpose(-1, -2) * (1 / math.sqrt(q.shape[-1]) if scale is None else scale)
    if attn_mask is not None:
        scores = scores + attn_mask
    elif is_causal:
        later = torch.ones(q.shape[-2], k.shape[-2], device=q.device).triu(1) * -1e9
        scores = scores + later
    return torch.softmax(scores, -1) @ v


@op("experimental.rotary_embedding", group="transformer", layouts="tile")
def rotary_embedding(input_tensor: torch.Tensor, cos_cache: torch.Tensor, sin_cache: torch.Tensor,
                     token_index: int | None = None) -> torch.Tensor:
    """x cos + rotate_half(x) sin, of [1, H, S, D] and tables [1, 1, .., D]; `token_index`: one row of them."""
    half = input_tensor.shape[-1] // 2
    length = input_tensor.shape[-2]
    rows = slice(0, length) if token_index is None else slice(token_index, token_index + 1)
    rotated = torch.cat([-input_tensor[..., half:], input_tensor[..., :half]], -1)
    return input_tensor * cos_cache[..., rows, :] + rotated * sin_cache[..., rows, :]


@op("experimental.nlp_create_qkv_heads", kind="move", group="transformer")
def nlp_create_qkv_heads(input_tensor: torch.Tensor, input_kv: Optional = None, *, num_heads: int,
                         num_kv_heads: int | None = None, transpose_k_heads: bool = False) -> tuple[torch.Tensor, ...]:
    """[B, 1, S, (q, k, v)] -> q, k, v as split_query_key_value_and_split_heads()."""
    made: tuple[torch.Tensor, ...] = split_heads(
        input_tensor.squeeze(1), None if input_kv is None else input_kv.squeeze(1), num_heads=num_heads,
        num_kv_heads=num_kv_heads, transpose_key=transpose_k_heads)
    return made


@op("experimental.nlp_concat_heads", kind="move", group="transformer")
def nlp_concat_heads(input_tensor: torch.Tensor) -> torch.Tensor:
    """[B, H, S, D] -> [B, 1, S, H * D]."""
    made: torch.Tensor = concatenate_heads(input_tensor).unsqueeze(1)
    return made
