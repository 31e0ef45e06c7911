"""Convolutions and pools, as compositions of ops of the table."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .device import Device
from .dtypes import DataType, Layout
from .ops.pooling import LOWEST, four, output_size, two
from .surface import call
from .tensor import EagerTensor

Pair = int | Sequence[int]


def _on(device: Device, tensor: EagerTensor, who: str) -> EagerTensor:
    return tensor if tensor.on_device else tensor.to_device(device, op=who)


def _weights(tensor: EagerTensor, device: Device, who: str, key: Any, make: Any) -> EagerTensor:
    """Prepared weights, kept as long as the tensor that they are made of and its device."""
    cache: dict[Any, EagerTensor] = tensor.__dict__.setdefault("prepared", {})  # "==" of tensors is an op, so no dict of them
    known = cache.get((device.number, key))
    if known is None or not known.is_allocated():
        moved = _on(device, tensor, who)
        known = cache[device.number, key] = make(moved)
    return known


def conv2d(who: str, x: EagerTensor, weight: EagerTensor, bias: EagerTensor | None, device: Device, *, batch: int,
           height: int, width: int, in_channels: int, out_channels: int, kernel: Pair, stride: Pair, padding: Pair,
           dilation: Pair, groups: int, activation: str | None = None, dtype: DataType | None = None,
           memory: Any = None) -> tuple[EagerTensor, int, int]:
    """[.., N * H * W, C] or [N, H, W, C] -> [1, 1, N * Ho * Wo, Co], Ho, Wo. `weight`: [Co, C / groups, kh, kw], `bias`: of
    Co elements, on the host or the device. ValueError for sizes that do not fit."""
    (kh, kw), (sh, sw), (dh, dw), around = two(kernel), two(stride), two(dilation), four(padding)
    if tuple(weight._shape) != (out_channels, in_channels // groups, kh, kw):
        raise ValueError(f"{who}: the weight is {list(weight._shape)}, not [out_channels, in_channels / groups, kernel] = "
                         f"{[out_channels, in_channels // groups, kh, kw]}")
    if x._shape.volume() != batch * height * width * in_channels:
        raise ValueError(f"{who}: the input {list(x._shape)} does not have {batch} x {height} x {width} x {in_channels} elements")
    ho = output_size(height, kh, sh, around[0], around[1], dh)
    wo = output_size(width, kw, sw, around[2], around[3], dw)
    if ho < 1 or wo < 1:
        raise ValueError(f"{who}: the result would be {ho} x {wo}; the kernel is larger than the padded picture")
    x = _on(device, x, who)
    flat = None if bias is None else _weights(bias, device, who, "bias", lambda one: call(
        "reshape", who, one, (1, 1, 1, out_channels), layout=Layout.TILE))
    depthwise = groups == in_channels == out_channels and groups > 1
    gathered = call("windows", who, x, batch, height, width, in_channels, [kh, kw], [sh, sw], list(around), [dh, dw], 0.0,
                    depthwise, layout=Layout.TILE)
    out: dict[str, Any] = {"memory": memory, "dtype": dtype}
    if depthwise:
        matrix = _weights(weight, device, who, "depthwise", lambda one: call("depthwise_matrix", who, one, layout=Layout.TILE))
        line = None if flat is None else call("reshape", who, flat, (out_channels,))
        made = call("depthwise_product", who, gathered, matrix, line, activation, **out)
        return call("reshape", who, made, (1, 1, batch * ho * wo, out_channels)), ho, wo
    if groups > 1:
        matrix = _weights(weight, device, who, ("groups", groups), lambda one: call(
            "grouped_kernel_matrix", who, one, groups, layout=Layout.TILE))
        made = call("window_product", who, call("grouped_windows", who, gathered, groups, kh * kw), matrix, **out)
        made = call("joined_groups", who, made)
        if flat is not None:
            made = call("add", who, made, flat, [activation] if activation else None)
        elif activation:
            made = call(activation, who, made)
        return made, ho, wo
    matrix = _weights(weight, device, who, "matrix", lambda one: call("kernel_matrix", who, one, layout=Layout.TILE))
    return call("window_product", who, gathered, matrix, flat, activation, **out), ho, wo


def conv_transpose2d(who: str, x: EagerTensor, weight: EagerTensor, bias: EagerTensor | None, device: Device, *, batch: int,
                     height: int, width: int, in_channels: int, out_channels: int, kernel: Pair, stride: Pair,
                     padding: Pair, output_padding: Pair, dilation: Pair, groups: int,
                     activation: str | None = None) -> tuple[EagerTensor, int, int]:
    """As conv2d(), of the picture with zeros between its elements. `weight`: [C, Co / groups, kh, kw]."""
    (kh, kw), (sh, sw), (dh, dw), around, more = two(kernel), two(stride), two(dilation), four(padding), two(output_padding)
    if tuple(weight._shape) != (in_channels, out_channels // groups, kh, kw):
        raise ValueError(f"{who}: the weight is {list(weight._shape)}, not [in_channels, out_channels / groups, kernel] = "
                         f"{[in_channels, out_channels // groups, kh, kw]}")
    x = _on(device, x, who)
    spaced = call("spread", who, call("reshape", who, x, (batch, height, width, in_channels)), batch, height, width,
                  [sh, sw], list(more))
    flipped = _weights(weight, device, who, ("flipped", groups), lambda one: call("flipped_kernel", who, one, groups))
    sides = [dh * (kh - 1) - around[0], dh * (kh - 1) - around[1], dw * (kw - 1) - around[2], dw * (kw - 1) - around[3]]
    if min(sides) < 0:
        raise ValueError(f"{who}: the padding {padding} is larger than the kernel")
    return conv2d(who, spaced, flipped, bias, device, batch=batch, height=int(spaced._shape[1]), width=int(spaced._shape[2]),
                  in_channels=in_channels, out_channels=out_channels, kernel=(kh, kw), stride=1, padding=sides,
                  dilation=(dh, dw), groups=groups, activation=activation)


def pool2d(who: str, x: EagerTensor, average: bool, *, batch: int, height: int, width: int, channels: int, kernel: Pair,
           stride: Pair, padding: Pair, dilation: Pair = 1, ceil_mode: bool = False, memory: Any = None) -> Any:
    """[.., N * H * W, C] or [N, H, W, C] -> [1, 1, N * Ho * Wo, C]. An average counts the padding."""
    (kh, kw), (sh, sw), (dh, dw), around = two(kernel), two(stride), two(dilation), four(padding)
    if x._shape.volume() != batch * height * width * channels:
        raise ValueError(f"{who}: the input {list(x._shape)} does not have {batch} x {height} x {width} x {channels} elements")
    ho = output_size(height, kh, sh, around[0], around[1], dh, ceil_mode)
    wo = output_size(width, kw, sw, around[2], around[3], dw, ceil_mode)
    if ho < 1 or wo < 1:
        raise ValueError(f"{who}: the result would be {ho} x {wo}; the kernel is larger than the padded picture")
    gathered = call("windows", who, x, batch, height, width, channels, [kh, kw], [sh, sw], list(around), [dh, dw],
                    0.0 if average else LOWEST, True, ceil_mode, layout=Layout.TILE)
    made = call("window_mean", who, gathered, 1.0 / (kh * kw), memory=memory) if average else \
        call("window_max", who, gathered, memory=memory)
    return call("reshape", who, made, (1, 1, batch * ho * wo, channels))
