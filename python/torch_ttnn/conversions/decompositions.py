"""Ops that are computed with other aten ops first. Besides these, torch's own decompositions are used for ops that the
table lacks (passes/lowering/decompose.py)."""
from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch

from .table import decomposes

aten = torch.ops.aten
Sizes = Sequence[int]


@decomposes(aten._log_softmax.default, becomes="_softmax, log")
def _log_softmax(x: Any, dim: int, half_to_float: bool = False) -> Any:
    return torch.log(aten._softmax(x, dim, half_to_float))


@decomposes(aten._softmax_backward_data.default, becomes="mul, sum, sub")
def _softmax_backward(gradient: Any, output: Any, dim: int, dtype: Any = None) -> Any:
    product = gradient * output
    return product - output * product.sum(dim, keepdim=True)


@decomposes(aten._log_softmax_backward_data.default, becomes="exp, sum, mul, sub")
def _log_softmax_backward(gradient: Any, output: Any, dim: int, dtype: Any = None) -> Any:
    return gradient - torch.exp(output) * gradient.sum(dim, keepdim=True)


@decomposes(aten.threshold_backward.default, becomes="le, where")
def _threshold_backward(gradient: Any, x: Any, threshold: float) -> Any:
    return torch.where(x <= threshold, torch.zeros_like(gradient), gradient)


@decomposes(aten.gelu_backward.default, becomes="erf, exp, mul, add; tanh form: tanh")
def _gelu_backward(gradient: Any, x: Any, approximate: str = "none") -> Any:
    if approximate == "tanh":
        inner = 0.7978845608028654 * (x + 0.044715 * (x * x * x))
        bent = torch.tanh(inner)
        slope = 0.7978845608028654 * (1 + 3 * 0.044715 * (x * x))
        return gradient * (0.5 * (1 + bent) + 0.5 * x * (1 - bent * bent) * slope)
    cumulative = 0.5 * (1 + torch.erf(x * 0.7071067811865476))
    density = torch.exp(x * x * -0.5) * 0.3989422804014327
    return gradient * (cumulative + x * density)


@decomposes(aten.native_layer_norm_backward.default, becomes="sub, mul, sum")
def _layer_norm_backward(gradient: Any, x: Any, shape: Sizes, mean: Any, scale: Any, weight: Any, bias: Any,
                         mask: Sequence[bool]) -> Any:
    axes = list(range(x.dim() - len(shape), x.dim()))
    lead = list(range(x.dim() - len(shape)))
    normal = (x - mean) * scale
    weighted = gradient if weight is None else gradient * weight
    to_x = to_weight = to_bias = None
    if mask[0]:
        to_x = (weighted - weighted.mean(axes, keepdim=True) -
                normal * (weighted * normal).mean(axes, keepdim=True)) * scale
    if mask[1] and weight is not None:
        to_weight = (gradient * normal).sum(lead) if lead else gradient * normal
    if mask[2] and bias is not None:
        to_bias = gradient.sum(lead) if lead else gradient.clone()
    return to_x, to_weight, to_bias


def _channel_axes(x: Any) -> list[int]:
    return [0, *range(2, x.dim())]


def _per_channel(value: Any, x: Any) -> Any:
    return value.reshape([1, -1] + [1] * (x.dim() - 2))


@decomposes(aten._native_batch_norm_legit_functional.default, becomes="mean, sub, mul, rsqrt, add")
def _batch_norm_training(x: Any, weight: Any, bias: Any, mean: Any, var: Any, training: bool, momentum: float,
                         eps: float) -> Any:
    axes = _channel_axes(x)
    if training:
        average = x.mean(axes)
        centred = x - _per_channel(average, x)
        variance = (centred * centred).mean(axes)
        count = x.numel() // x.shape[1]
        new_mean = mean * (1 - momentum) + average * momentum
        new_var = var * (1 - momentum) + variance * (momentum * count / max(1, count - 1))
    else:
        average, variance, new_mean, new_var = mean, var, mean.clone(), var.clone()
        centred = x - _per_channel(average, x)
    scale = torch.rsqrt(variance + eps)
    made = centred * _per_channel(scale, x)
    made = made if weight is None else made * _per_channel(weight, x)
    made = made if bias is None else made + _per_channel(bias, x)
    return made, average, scale, new_mean, new_var


@decomposes(aten.native_batch_norm_backward.default, becomes="sub, mul, sum, mean")
def _batch_norm_backward(gradient: Any, x: Any, weight: Any, mean: Any, var: Any, saved_mean: Any, saved_scale: Any,
                         training: bool, eps: float, mask: Sequence[bool]) -> Any:
    axes = _channel_axes(x)
    average, scale = (saved_mean, saved_scale) if training else (mean, torch.rsqrt(var + eps))
    normal = (x - _per_channel(average, x)) * _per_channel(scale, x)
    weighted = gradient if weight is None else gradient * _per_channel(weight, x)
    to_x = None
    if mask[0]:
        to_x = weighted
        if training:
            to_x = to_x - weighted.mean(axes, keepdim=True) - normal * (weighted * normal).mean(axes, keepdim=True)
        to_x = to_x * _per_channel(scale, x)
    to_weight = (gradient * normal).sum(axes) if mask[1] and weight is not None else None
    to_bias = gradient.sum(axes) if mask[2] else None
    return to_x, to_weight, to_bias


@decomposes(aten.convolution_backward.default, becomes="convolution of the gradient, convolution of both, sum")
def _convolution_backward(gradient: Any, x: Any, weight: Any, bias: Any, stride: Sizes, padding: Sizes, dilation: Sizes,
                          transposed: bool, output_padding: Sizes, groups: int, mask: Sequence[bool]) -> Any:
    if transposed or groups != 1:
        raise NotImplementedError("gradients of transposed and grouped convolutions")
    rank = len(stride)
    to_x = to_weight = to_bias = None
    if mask[0]:
        rest = [x.shape[k + 2] - ((gradient.shape[k + 2] - 1) * stride[k] - 2 * padding[k] +
                                  dilation[k] * (weight.shape[k + 2] - 1) + 1) for k in range(rank)]
        to_x = aten.convolution(gradient, weight, None, stride, padding, dilation, True, rest, 1)
    if mask[1]:
        wide = aten.convolution(x.transpose(0, 1), gradient.transpose(0, 1), None, dilation, padding, stride, False,
                                [0] * rank, 1).transpose(0, 1)
        for k in range(rank):
            wide = wide.narrow(k + 2, 0, weight.shape[k + 2])
        to_weight = wide
    if mask[2]:
        to_bias = gradient.sum(_channel_axes(gradient))
    return to_x, to_weight, to_bias


@decomposes(aten.max_pool2d_with_indices_backward.default, becomes="eq with the positions of each tap, transposed convolution")
def _max_pool_backward(gradient: Any, x: Any, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, ceil_mode: bool,
                       indices: Any) -> Any:
    (kh, kw), (dh, dw), (ph, pw) = ((*sizes, *sizes)[:2] for sizes in (kernel, dilation, padding))
    sh, sw = (*stride, *stride)[:2] if stride else (kh, kw)
    height, width = x.shape[-2:]
    ho, wo = gradient.shape[-2:]
    taps = torch.arange(kh * kw, device=x.device)
    rows = torch.arange(ho, device=x.device)[None, :, None] * sh - ph + (taps // kw * dh)[:, None, None]
    columns = torch.arange(wo, device=x.device)[None, None, :] * sw - pw + (taps % kw * dw)[:, None, None]
    inside = (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width)
    positions = torch.where(inside, rows * width + columns, -1)
    chosen = indices.reshape(-1, 1, ho, wo) == positions
    parts = chosen.to(gradient.dtype) * gradient.reshape(-1, 1, ho, wo)
    one_hot = torch.eye(kh * kw, dtype=gradient.dtype, device=x.device).reshape(kh * kw, 1, kh, kw)
    whole = aten.convolution(parts, one_hot, None, [sh, sw], [0, 0], [dh, dw], True, [0, 0], 1)
    cut = [-pw, width + pw - whole.shape[-1], -ph, height + ph - whole.shape[-2]]
    return aten.constant_pad_nd(whole, cut).reshape(x.shape)


@decomposes(aten.index_put.default, becomes="where: one value at a mask")
def _index_put(x: Any, indices: Sequence[Any], values: Any, accumulate: bool = False) -> Any:
    mask = indices[0]
    if len(indices) != 1 or mask is None or mask.dtype != torch.bool or values.numel() != 1 or accumulate:
        raise NotImplementedError("it writes more than one value, or not at a mask")
    return torch.where(mask.reshape([*mask.shape, *[1] * (x.dim() - mask.dim())]), values.reshape([]).to(x.dtype), x)


@decomposes(aten._scaled_dot_product_flash_attention_for_cpu_backward.default, becomes="matmul, softmax, mul, sum, sub")
def _attention_backward(gradient: Any, q: Any, k: Any, v: Any, made: Any, logsumexp: Any, dropout_p: float, is_causal: bool, *,
                        attn_mask: Any = None, scale: float | None = None) -> Any:
    if dropout_p:
        raise NotImplementedError("dropout")
    scale = 1 / math.sqrt(q.shape[-1]) if scale is None else scale
    scores = q @ k.transpose(-1, -2) * scale
    if is_causal:
        scores = scores + torch.full((scores.shape[-2], scores.shape[-1]), -1e9, device=q.device, dtype=q.dtype).triu(1)
    elif attn_mask is not None:
        scores = scores + attn_mask
    weights = torch.softmax(scores, -1)
    to_weights = gradient @ v.transpose(-1, -2)
    to_scores = weights * (to_weights - (to_weights * weights).sum(-1, keepdim=True)) * scale
    return to_scores @ k, to_scores.transpose(-1, -2) @ q, weights.transpose(-1, -2) @ gradient


@decomposes(aten.native_dropout_backward.default, becomes="mul")
def _dropout_backward(gradient: Any, mask: Any, scale: float) -> Any:
    return gradient * mask * scale


@decomposes(aten.tanh_backward.default, becomes="mul, rsub")
def _tanh_backward(gradient: Any, output: Any) -> Any:
    return gradient * (1 - output * output)


@decomposes(aten.sigmoid_backward.default, becomes="mul, rsub")
def _sigmoid_backward(gradient: Any, output: Any) -> Any:
    return gradient * output * (1 - output)


@decomposes(aten.select_backward.default, becomes="zeros, select_scatter")
def _select_backward(gradient: Any, sizes: Sizes, dim: int, index: int) -> Any:
    return aten.select_scatter(gradient.new_zeros(sizes), gradient, dim, index)


@decomposes(aten.slice_backward.default, becomes="zeros, slice_scatter")
def _slice_backward(gradient: Any, sizes: Sizes, dim: int, start: int, end: int, step: int) -> Any:
    return aten.slice_scatter(gradient.new_zeros(sizes), gradient, dim, start, end, step)


@decomposes(aten.embedding_dense_backward.default, becomes="eq, _to_copy, mm: one row for each index")
def _embedding_backward(gradient: Any, indices: Any, rows: int, padding_idx: int, scale_by_frequency: bool) -> Any:
    if scale_by_frequency:
        raise NotImplementedError("scale_grad_by_freq")
    flat = indices.reshape(-1)
    one_hot = (flat[None, :] == torch.arange(rows, device=indices.device)[:, None]).to(gradient.dtype)
    made = one_hot @ gradient.reshape(flat.shape[0], -1)
    if padding_idx >= 0:
        made = made * (torch.arange(rows, device=indices.device) != padding_idx).to(gradient.dtype)[:, None]
    return made
