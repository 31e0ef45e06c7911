"""Parts of models: attention heads, tables, convolutions, pools, and products with a bias and an activation."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ttsim.eager import EagerTensor, Layout, MemoryConfig, pictures
from ttsim.eager.surface import call

from ..device import default_for
from .ops import bmm, formatted, returned, run_op
from .tensor import Tensor


def embeddings(table: Tensor, ids: Tensor, output_mem_config: MemoryConfig | None = None) -> Tensor:
    """Rows of a table [1, 1, V, D] by ids [N, 1, 1, S]: [N, 1, S, D]."""
    who = "tt_lib.tensor.embeddings"
    flat = call("reshape", who, ids, (ids._shape[0], 1, ids._shape[-1]))
    made: Tensor = call("embedding", who, flat, table, memory=output_mem_config, layout=table._layout)
    return made


def nlp_concat_heads(x: Tensor) -> Tensor:
    """[B, H, S, D] -> [B, 1, S, H * D]."""
    made: Tensor = run_op("nlp_concat_heads", "experimental.nlp_concat_heads", [x])
    return made


def rotary_embedding(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """x cos + rotate_half(x) sin."""
    made: Tensor = run_op("rotary_embedding", "experimental.rotary_embedding", [x, cos, sin])
    return made


def nlp_create_qkv_heads(x: Tensor, x_kv: Tensor | None = None, *, num_heads: int, num_kv_heads: int | None = None,
                         transpose_k_heads: bool = True, output_mem_config: MemoryConfig | None = None) -> tuple[Tensor, ...]:
    """[B, 1, S, (q, k, v)] -> q [B, H, S, D], k [B, H, D, S] (without transpose_k_heads [B, H, S, D]), v [B, H, S, D]."""
    operands = [x] if x_kv is None else [x, x_kv]
    made: tuple[Tensor, ...] = run_op("nlp_create_qkv_heads", "experimental.nlp_create_qkv_heads", operands, num_heads=num_heads,
                                      num_kv_heads=num_kv_heads, transpose_k_heads=transpose_k_heads,
                                      output_mem_config=output_mem_config)
    return made


create_qkv_heads = nlp_create_qkv_heads


def concatenate_heads(x: Tensor) -> Tensor:
    """[B, H, S, D] -> [B, 1, S, H * D]."""
    return nlp_concat_heads(x)


def groupnorm(x: Tensor, group_size: int, eps: float, gamma: Tensor | None = None, beta: Tensor | None = None,
              output_mem_config: MemoryConfig | None = None) -> Tensor:
    """Normalization of [N, C, H, W] over groups of `group_size` channels, H and W, then per channel times gamma plus beta (C
    elements each). ValueError if C is no multiple of it."""
    who = "tt_lib.tensor.groupnorm"
    (given,), hosted = formatted("groupnorm", [x])
    n, c, h, w = given._shape
    if group_size < 1 or c % group_size:
        raise ValueError(f"{who}: {c} channels are not groups of {group_size}")
    last = call("reshape", who, call("permute", who, given, (0, 2, 3, 1)), (n, 1, h * w, c))
    made = call("group_norm", who, last, c // group_size, eps, None, gamma, beta)
    made = call("permute", who, call("reshape", who, made, (n, h, w, c)), (0, 3, 1, 2), memory=output_mem_config)
    result: Tensor = returned(made, hosted)
    return result


def conv(x: Tensor, weight: Tensor, conv_params: Sequence[int], *accepted: Any, bias: Tensor | None = None) -> Tensor:
    """Convolution of [N, C, H, W] with `conv_params` = [R, S, stride h, stride w, padding h, padding w]. `weight`: [K, C, R, S],
    or the matrix [1, 1, C * R * S, K] of utils.convert_weights_2d_matrix(); `bias`: K elements. Returns [N, K, Ho, Wo].
    ValueError for sizes that do not fit."""
    who = "tt_lib.tensor.conv"
    if len(conv_params) != 6:
        raise ValueError(f"{who}: conv_params are 6 numbers, not {len(conv_params)}")
    r, s, stride_h, stride_w, pad_h, pad_w = (int(one) for one in conv_params)
    n, c, h, w = x._shape
    if tuple(weight._shape[:2]) == (1, 1) and weight._shape[2] == c * r * s and (c, r, s) != (1, *weight._shape[2:]):
        k = weight._shape[3]
        weight = call("permute", who, call("reshape", who, weight, (c, r, s, k), layout=Layout.ROW_MAJOR), (3, 0, 1, 2))
    device = x._device or default_for(who)
    last = call("permute", who, x, (0, 2, 3, 1), layout=Layout.ROW_MAJOR)
    made, ho, wo = pictures.conv2d(who, last, weight, bias, device, batch=n, height=h, width=w, in_channels=c,
                                   out_channels=weight._shape[0], kernel=(r, s), stride=(stride_h, stride_w),
                                   padding=(pad_h, pad_w), dilation=1, groups=1)
    made = call("permute", who, call("reshape", who, made, (n, ho, wo, weight._shape[0])), (0, 3, 1, 2))
    result: Tensor = returned(made, not x.on_device)
    return result


def max_pool2d(x: Tensor, in_n: int, in_h: int, in_w: int, kernel_h: int, kernel_w: int, stride_h: int = 1, stride_w: int = 1,
               pad_h: int = 0, pad_w: int = 0, dilation_h: int = 1, dilation_w: int = 1,
               output_mem_config: MemoryConfig | None = None, *accepted: Any) -> Tensor:
    """Largest element of each window, per channel: [1, 1, N * H * W, C] -> [1, 1, N * Ho * Wo, C]."""
    (given,), hosted = formatted("max_pool2d", [x])
    made: Tensor = returned(pictures.pool2d(
        "tt_lib.tensor.max_pool2d", given, False, batch=in_n, height=in_h, width=in_w, channels=given._shape[-1],
        kernel=(kernel_h, kernel_w), stride=(stride_h, stride_w), padding=(pad_h, pad_w), dilation=(dilation_h, dilation_w),
        memory=output_mem_config), hosted)
    return made


def average_pool_2d(x: Tensor, output_mem_config: MemoryConfig | None = None) -> Tensor:
    """Mean over the positions of a picture: [N, 1, H * W, C] -> [N, 1, 1, C]."""
    made: Tensor = run_op("average_pool_2d", "mean", [x], 2, True, output_mem_config=output_mem_config)
    return made


def _product(name: str) -> Callable[..., Any]:
    def op(a: Tensor, b: Tensor, bias: Tensor | None = None, fused_activation: Any = None,
           output_mem_config: MemoryConfig | None = None, **accepted: Any) -> Tensor:
        if isinstance(b, EagerTensor) and tuple(b._shape[:2]) != (1, 1):
            raise ValueError(f"tt_lib.tensor.{name}: N and C of the second operand are 1, not {list(b._shape[:2])}")
        operands = [a, b] if bias is None else [a, b, _row(name, bias)]
        activation = fused_activation[0] if isinstance(fused_activation, (tuple, list)) else fused_activation
        made: Tensor = run_op(name, "linear", operands, activation=activation, output_mem_config=output_mem_config)
        return made
    op.__name__ = op.__qualname__ = name
    op.__doc__ = ("[N, C, M, K] by [1, 1, K, W], plus the first row of a bias [1, 1, 1 or 32, W], then the activation, such as "
                  "\"gelu\". Its cores and blocks are chosen by the compiler.")
    return op


def _row(name: str, bias: Tensor) -> Any:
    if bias._shape[2] == 1:
        return bias
    return call("slice", f"tt_lib.tensor.{name}", bias, [0] * 4, [1, 1, 1, bias._shape[3]])


PRODUCTS = ("bert_large_fused_qkv_matmul", "bert_large_ff1_matmul", "bert_large_ff2_matmul", "bert_large_selfout_matmul",
            "falcon_fused_qkv_matmul", "falcon_selfout_matmul", "falcon_dense_4h_to_h_matmul", "falcon_dense_h_to_4h_matmul",
            "falcon_lm_head_matmul", "resnet_matmul")
globals().update({name: _product(name) for name in PRODUCTS})
bert_large_pre_softmax_bmm = bert_large_post_softmax_bmm = bmm

__all__ = [*PRODUCTS, "bert_large_pre_softmax_bmm", "bert_large_post_softmax_bmm"] + [  # noqa: PLE0605
    name for name, value in dict(globals()).items()
    if not name.startswith("_") and getattr(value, "__module__", "") == __name__ and callable(value)]
