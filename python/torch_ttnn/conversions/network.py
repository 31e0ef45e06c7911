"""Normalizations, convolutions and pools."""
from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
import ttnn

from ..target_wrappers import conv, native_layer_norm, pack_to_tuple, stack
from ..utils import TtnnDevice, TtnnInt32, TtnnRowMajorLayout
from .slices import sliced
from .table import Stays, rewrites

aten = torch.ops.aten
Sizes = Sequence[int]
_LOWEST = torch.finfo(torch.bfloat16).min  # in place of -inf, which times 0 is NaN


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


@rewrites(aten.convolution.default,
          becomes="permute, reshape, conv (wrapper), sharded_to_interleaved, reshape, permute; with three axes: pad, slice, stack first",
          stays="it is transposed and has three axes")
def _convolution(r: Any, x: Any, weight: Any, bias: Any, stride: Sizes, padding: Sizes, dilation: Sizes, transposed: bool,
                 output_padding: Sizes, groups: int) -> Any:
    kernel = r.shape(weight)[2:]
    rank = len(kernel)
    if len(r.shape(x)) != rank + 2:
        raise Stays("its operand has no batch axis")

    def full(sizes: Sizes) -> tuple[int, ...]:
        return tuple(sizes) * (rank if len(sizes) == 1 else 1)
    stride, padding, dilation, output_padding = map(full, (stride, padding, dilation, output_padding))
    if rank > 3 or (rank == 3 and transposed):
        raise Stays("it is transposed and has three axes" if rank == 3 else f"it has {rank} axes")
    if rank < 3:
        return _picture_convolution(r, x, weight, bias, stride, padding, dilation, transposed, output_padding, groups,
                                    r.shape(r.node))
    x, weight = _depth_as_channels(r, x, weight, stride[0], padding[0], dilation[0])
    batch, outer, depth, *size = r.shape(r.node)
    made = _picture_convolution(r, x, weight, bias, stride[1:], padding[1:], dilation[1:], False, output_padding[1:], groups,
                                (batch * depth, outer, *size))
    return r.call(ttnn.permute, r.call(ttnn.reshape, made, (batch, depth, outer, *size)), [0, 2, 1, 3, 4])


def _picture_convolution(r: Any, x: Any, weight: Any, bias: Any, stride: Sizes, padding: Sizes, dilation: Sizes,
                         transposed: bool, output_padding: Sizes, groups: int, out: Sizes) -> Any:
    shape, kernel = r.shape(x), r.shape(weight)[2:]
    outer = r.shape(weight)[1] * groups if transposed else r.shape(weight)[0]
    bias = None if bias is None else r.reshape(bias, (1, 1, 1, outer))
    rows = r.call(conv, _rows(r, x), weight, bias, shape[0], shape[1], outer, tuple(shape[2:]), tuple(kernel), tuple(stride),
                  tuple(padding), tuple(dilation), groups, bool(transposed), tuple(output_padding), TtnnDevice())
    return _picture(r, rows, out)


def _depth_as_channels(r: Any, x: Any, weight: Any, stride: int, padding: int, dilation: int) -> tuple[Any, Any]:
    """A convolution over [N, C, D, H, W] as one over pictures [N * depth of the result, C * taps, H, W]: the slices that
    the taps of the depth axis read become channels."""
    batch, channels, _, height, width = r.shape(x)
    outer, inner, taps, *kernel = r.shape(weight)
    depth = r.shape(r.node)[2]
    if padding:
        x = r.call(ttnn.pad, x, [(0, 0), (0, 0), (padding, padding), (0, 0), (0, 0)], value=0.0)
    last = (depth - 1) * stride + 1
    parts = [sliced(r, x, 2, tap * dilation, tap * dilation + last, stride) for tap in range(taps)]
    joined = r.call(ttnn.permute, r.call(stack, parts, 2), [0, 3, 1, 2, 4, 5])
    return (r.call(ttnn.reshape, joined, (batch * depth, channels * taps, height, width)),
            r.call(ttnn.reshape, weight, (outer, inner * taps, *kernel)))


def _pairs(kernel: Sizes, stride: Sizes, padding: Sizes) -> tuple[list[int], list[int], list[int]]:
    def two(sizes: Sizes) -> list[int]:
        return list(sizes) * (2 if len(sizes) == 1 else 1)
    return two(kernel), two(stride or kernel), two(padding)


@rewrites(aten.max_pool2d_with_indices.default,
          becomes="permute, reshape, max_pool2d, ..., pack_to_tuple; with positions (training): pad, slice, stack, max, argmax")
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
    """max and argmax over the elements of each window. Positions count in the whole picture."""
    n, c, height, width = (1, *r.shape(x))[-4:]
    shape = tuple(r.node.meta["val"][0].shape)
    ho, wo = shape[-2:]
    (kh, kw), (sh, sw), (ph, pw) = _pairs(kernel, stride, padding)
    dh, dw = list(dilation) * (2 if len(dilation) == 1 else 1)
    whole = r.reshape(x, (n * c, height, width))
    after = [max(0, (out - 1) * s + d * (k - 1) + 1 - size - p)
             for out, s, d, k, size, p in ((ho, sh, dh, kh, height, ph), (wo, sw, dw, kw, width, pw))]
    if ph or pw or any(after):
        whole = r.call(ttnn.pad, whole, [(0, 0), (ph, after[0]), (pw, after[1])], value=_LOWEST)
    parts = []
    for tap in range(kh * kw):
        down, beside = tap // kw * dh, tap % kw * dw
        rows = sliced(r, whole, 1, down, down + (ho - 1) * sh + 1, sh)
        parts.append(sliced(r, rows, 2, beside, beside + (wo - 1) * sw + 1, sw))
    flat = r.call(stack, parts, 3) if len(parts) > 1 else r.reshape(parts[0], (n * c, ho, wo, 1))
    values = r.call(ttnn.max, flat, 3, True)
    place = r.call(ttnn.argmax, r.call(ttnn.to_layout, flat, TtnnRowMajorLayout()), dim=3, keepdim=True)
    inside = r.constant(lambda: (torch.arange(kh * kw) // kw * dh * width + torch.arange(kh * kw) % kw * dw).int())
    corner = r.constant(lambda: ((torch.arange(ho)[:, None] * sh - ph) * width +
                                 torch.arange(wo) * sw - pw).int()[None, :, :, None])
    offset = r.reshape(r.call(ttnn.index_select, inside, 0, r.reshape(place, (n * c * ho * wo,))), (n * c, ho, wo, 1))
    made = r.call(ttnn.add, r.call(ttnn.typecast, offset, TtnnInt32()), corner)
    return r.call(pack_to_tuple, r.reshape(values, shape), r.reshape(made, shape))


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
