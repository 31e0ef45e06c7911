"""Normalizations, convolutions and pools."""
from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
import ttnn

from ..target_wrappers import conv, native_layer_norm, pack_to_tuple
from ..utils import TtnnDevice, TtnnInt32, TtnnRowMajorLayout
from .table import Stays, rewrites

aten = torch.ops.aten
Sizes = Sequence[int]


@rewrites(aten._softmax.default, becomes="softmax")
def _softmax(r: Any, x: Any, dim: int, half_to_float: bool = False) -> Any:
    return r.call(ttnn.softmax, x, dim, numeric_stable=True)


@rewrites(aten.native_layer_norm.default, becomes="native_layer_norm (wrapper)")
def _layer_norm(r: Any, x: Any, shape: Sizes, weight: Any, bias: Any, eps: float) -> Any:
    used = r.is_used(1) or r.is_used(2)
    return r.call(native_layer_norm, x, tuple(shape), weight, bias, eps, *([True] if used else []))


def _normalized(r: Any, x: Any, weight: Any, bias: Any, mean: Any, var: Any, eps: float) -> Any:
    shape = (1, r.shape(x)[1], *[1] * (len(r.shape(x)) - 2))
    scale = r.call(ttnn.rsqrt, r.call(ttnn.add, var, eps))
    made = r.call(ttnn.sub, x, r.reshape(mean, shape))
    made = r.call(ttnn.mul, made, r.reshape(scale, shape))
    made = made if weight is None else r.call(ttnn.mul, made, r.reshape(weight, shape))
    return made if bias is None else r.call(ttnn.add, made, r.reshape(bias, shape))


@rewrites(aten._native_batch_norm_legit_no_training.default,
          becomes="add, rsqrt, reshape, sub, mul, [mul], [add], pack_to_tuple")
def _batch_norm(r: Any, x: Any, weight: Any, bias: Any, mean: Any, var: Any, momentum: float, eps: float) -> Any:
    return r.call(pack_to_tuple, _normalized(r, x, weight, bias, mean, var, eps), None, None)


def _rows(r: Any, x: Any) -> Any:
    """[N, C, ...] -> [1, 1, N * ..., C]."""
    shape = r.shape(x)
    moved = r.call(ttnn.permute, x, [0, *range(2, len(shape)), 1])
    return r.call(ttnn.reshape, moved, (1, 1, shape[0] * math.prod(shape[2:]), shape[1]))


def _picture(r: Any, rows: Any, shape: Sizes) -> Any:
    """The reverse: a tensor of the shape [N, C, ...]."""
    made = r.call(ttnn.reshape, r.call(ttnn.sharded_to_interleaved, rows), (shape[0], *shape[2:], shape[1]))
    return r.call(ttnn.permute, made, [0, len(shape) - 1, *range(1, len(shape) - 1)])


@rewrites(aten.convolution.default, becomes="permute, reshape, conv (wrapper), sharded_to_interleaved, reshape, permute",
          stays="it has three axes")
def _convolution(r: Any, x: Any, weight: Any, bias: Any, stride: Sizes, padding: Sizes, dilation: Sizes, transposed: bool,
                 output_padding: Sizes, groups: int) -> Any:
    shape, kernel = r.shape(x), r.shape(weight)[2:]
    rank = len(kernel)
    if rank > 2 or len(shape) != rank + 2:
        raise Stays("it has three axes" if rank > 2 else "its operand has no batch axis")

    def full(sizes: Sizes) -> tuple[int, ...]:
        return tuple(sizes) * (rank if len(sizes) == 1 else 1)
    outer = r.shape(weight)[1] * groups if transposed else r.shape(weight)[0]
    bias = None if bias is None else r.reshape(bias, (1, 1, 1, outer))
    rows = r.call(conv, _rows(r, x), weight, bias, shape[0], shape[1], outer, tuple(shape[2:]), tuple(kernel), full(stride),
                  full(padding), full(dilation), groups, bool(transposed), full(output_padding), TtnnDevice())
    return _picture(r, rows, r.shape(r.node))


def _pairs(kernel: Sizes, stride: Sizes, padding: Sizes) -> tuple[list[int], list[int], list[int]]:
    def two(sizes: Sizes) -> list[int]:
        return list(sizes) * (2 if len(sizes) == 1 else 1)
    return two(kernel), two(stride or kernel), two(padding)


@rewrites(aten.max_pool2d_with_indices.default, becomes="permute, reshape, max_pool2d, ..., pack_to_tuple",
          stays="the positions are used (training) and windows overlap or leave a rest")
def _max_pool(r: Any, x: Any, kernel: Sizes, stride: Sizes = (), padding: Sizes = (0,), dilation: Sizes = (1,),
              ceil_mode: bool = False) -> Any:
    if r.is_used(1):
        return _max_pool_with_positions(r, x, kernel, stride, padding, dilation)
    shape, out = r.shape(x), tuple(r.node.meta["val"][0].shape)
    if len(shape) == 3:
        x, shape, out = r.reshape(x, (1, *shape)), (1, *shape), (1, *out)
    kernel, stride, padding = _pairs(kernel, stride, padding)
    dilation = list(dilation) * (2 if len(dilation) == 1 else 1)
    rows = r.call(ttnn.max_pool2d, _rows(r, x), shape[0], shape[2], shape[3], shape[1], kernel, stride, padding, dilation,
                  ceil_mode=bool(ceil_mode))
    made = r.reshape(_picture(r, rows, out), tuple(r.node.meta["val"][0].shape))
    return r.call(pack_to_tuple, made, None)


def _max_pool_with_positions(r: Any, x: Any, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes) -> Any:
    """For windows beside each other: max and argmax over their elements. Positions count in the whole picture."""
    n, c, height, width = (1, *r.shape(x))[-4:]
    (kh, kw), steps, around = _pairs(kernel, stride, padding)
    if steps != [kh, kw] or any(around) or height % kh or width % kw or any(one != 1 for one in dilation):
        raise Stays("the positions are used (training) and windows overlap or leave a rest")
    ho, wo = height // kh, width // kw
    parts = r.call(ttnn.permute, r.call(ttnn.reshape, x, (n * c, ho, kh, wo, kw)), [0, 1, 3, 2, 4])
    flat = r.call(ttnn.reshape, parts, (n * c, ho, wo, kh * kw))
    values = r.call(ttnn.max, flat, 3, True)
    place = r.call(ttnn.argmax, r.call(ttnn.to_layout, flat, TtnnRowMajorLayout()), dim=3, keepdim=True)
    inside = r.constant(lambda: ((torch.arange(kh * kw) // kw) * width + torch.arange(kh * kw) % kw).int())
    corner = r.constant(lambda: (torch.arange(ho)[:, None] * kh * width + torch.arange(wo) * kw).int()[None, :, :, None])
    offset = r.reshape(r.call(ttnn.index_select, inside, 0, r.reshape(place, (n * c * ho * wo,))), (n * c, ho, wo, 1))
    shape = tuple(r.node.meta["val"][0].shape)
    whole = r.call(ttnn.add, r.call(ttnn.typecast, offset, TtnnInt32()), corner)
    return r.call(pack_to_tuple, r.reshape(values, shape), r.reshape(whole, shape))


def _counts(size: int, kernel: int, stride: int, padding: int, outputs: int) -> torch.Tensor:
    """Elements of each window that are not padding."""
    starts = torch.arange(outputs) * stride - padding
    return (starts + kernel).clamp(max=size) - starts.clamp(min=0)


@rewrites(aten.avg_pool2d.default, becomes="permute, reshape, avg_pool2d, [mul], sharded_to_interleaved, reshape, permute",
          stays="ceil_mode")
def _avg_pool(r: Any, x: Any, kernel: Sizes, stride: Sizes = (), padding: Sizes = (0,), ceil_mode: bool = False,
              count_include_pad: bool = True, divisor_override: int | None = None) -> Any:
    shape, out = r.shape(x), r.shape(r.node)
    if len(shape) == 3:
        x, shape, out = r.reshape(x, (1, *shape)), (1, *shape), (1, *out)
    kernel, stride, padding = _pairs(kernel, stride, padding)
    if ceil_mode and any((size + 2 * p - k) % s for size, k, s, p in zip(shape[2:], kernel, stride, padding)):
        raise Stays("ceil_mode")
    rows = r.call(ttnn.avg_pool2d, _rows(r, x), shape[0], shape[2], shape[3], shape[1], kernel, stride, padding)
    made = _picture(r, rows, out)
    whole = kernel[0] * kernel[1]
    if divisor_override:
        made = r.call(ttnn.mul, made, whole / divisor_override)
    elif not count_include_pad and any(padding):
        def factors() -> torch.Tensor:
            down, beside = (_counts(shape[k + 2], kernel[k], stride[k], padding[k], out[k + 2]) for k in (0, 1))
            return whole / (down[:, None] * beside[None, :]).float()[None, None]
        made = r.call(ttnn.mul, made, r.constant(factors))
    return r.reshape(made, r.shape(r.node))
