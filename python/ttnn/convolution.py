"""Convolutions and pools. Pictures are [N, H, W, C] or [1, 1, N * H * W, C]; results are [1, 1, N * Ho * Wo, Co]. A device
gathers the windows (exact, at the speed of DRAM) and multiplies them by the kernel's matrix."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ttsim.eager import DataType, Device, MemoryConfig, pictures

from .tensor import Tensor

__all__ = ["avg_pool2d", "conv1d", "conv2d", "conv_transpose2d", "max_pool2d", "prepare_conv_bias",
           "prepare_conv_transpose2d_bias", "prepare_conv_transpose2d_weights", "prepare_conv_weights"]
Pair = int | Sequence[int]


def _device(who: str, device: Device | None, tensor: Tensor) -> Device:
    found = device or tensor._device
    if found is None:
        raise RuntimeError(f"{who}: {tensor.summary()} is on the host; move it to a device, or name one with device=")
    return found


def _results(made: tuple[Any, int, int], weight: Tensor, bias: Tensor | None, sizes: bool, weights: bool) -> Any:
    parts: list[Any] = [made[0]]
    if sizes:
        parts.append([made[1], made[2]])
    if weights:
        parts.append([weight, bias])
    return parts[0] if len(parts) == 1 else tuple(parts)


def conv2d(*, input_tensor: Tensor, weight_tensor: Tensor, device: Device | None = None, in_channels: int, out_channels: int,
           batch_size: int, input_height: int, input_width: int, kernel_size: Pair, stride: Pair = 1, padding: Pair = 0,
           dilation: Pair = 1, groups: int = 1, dtype: DataType | None = None, bias_tensor: Tensor | None = None,
           conv_config: Any = None, compute_config: Any = None, memory_config: MemoryConfig | None = None,
           slice_config: Any = None, return_output_dim: bool = False, return_weights_and_bias: bool = False, **accepted: Any) -> Any:
    """Convolution. `weight_tensor`: [Co, C / groups, kh, kw]; `bias_tensor`: Co elements; both on the host or the device.
    `conv_config.activation`: of the result. Returns it, with return_output_dim also [Ho, Wo], with
    return_weights_and_bias also the weights. ValueError for sizes that do not fit."""
    who = "ttnn.conv2d"
    made = pictures.conv2d(who, input_tensor, weight_tensor, bias_tensor, _device(who, device, input_tensor), batch=batch_size,
                           height=input_height, width=input_width, in_channels=in_channels, out_channels=out_channels,
                           kernel=kernel_size, stride=stride, padding=padding, dilation=dilation, groups=groups,
                           activation=getattr(conv_config, "activation", None) or None, dtype=dtype, memory=memory_config)
    return _results(made, weight_tensor, bias_tensor, return_output_dim, return_weights_and_bias)


def conv1d(*, input_tensor: Tensor, weight_tensor: Tensor, device: Device | None = None, in_channels: int, out_channels: int,
           batch_size: int, input_length: int, kernel_size: int, stride: int = 1, padding: int = 0, dilation: int = 1,
           groups: int = 1, dtype: DataType | None = None, bias_tensor: Tensor | None = None, conv_config: Any = None,
           compute_config: Any = None, memory_config: MemoryConfig | None = None, return_output_dim: bool = False,
           return_weights_and_bias: bool = False, **accepted: Any) -> Any:
    """Convolution of [N, L, C] with [Co, C / groups, k]: [1, 1, N * Lo, Co]; as conv2d() of width 1."""
    from ttsim.eager.surface import call
    who = "ttnn.conv1d"
    weight = weight_tensor if len(weight_tensor._shape) == 4 else call("unsqueeze", who, weight_tensor, 3)
    made = pictures.conv2d(who, input_tensor, weight, bias_tensor, _device(who, device, input_tensor), batch=batch_size,
                           height=input_length, width=1, in_channels=in_channels, out_channels=out_channels,
                           kernel=(kernel_size, 1), stride=(stride, 1), padding=(padding, 0), dilation=(dilation, 1),
                           groups=groups, activation=getattr(conv_config, "activation", None) or None, dtype=dtype,
                           memory=memory_config)
    parts = _results(made, weight_tensor, bias_tensor, False, return_weights_and_bias)
    return (parts, made[1]) if return_output_dim else parts


def conv_transpose2d(*, input_tensor: Tensor, weight_tensor: Tensor, device: Device | None = None, in_channels: int,
                     out_channels: int, batch_size: int, input_height: int, input_width: int, kernel_size: Pair,
                     stride: Pair = 1, padding: Pair = 0, output_padding: Pair = 0, dilation: Pair = 1, groups: int = 1,
                     dtype: DataType | None = None, bias_tensor: Tensor | None = None, conv_config: Any = None,
                     compute_config: Any = None, memory_config: MemoryConfig | None = None, mirror_kernel: bool = True,
                     return_output_dim: bool = False, return_weights_and_bias: bool = False, **accepted: Any) -> Any:
    """Transposed convolution. `weight_tensor`: [C, Co / groups, kh, kw]. The rest is as of conv2d()."""
    who = "ttnn.conv_transpose2d"
    made = pictures.conv_transpose2d(
        who, input_tensor, weight_tensor, bias_tensor, _device(who, device, input_tensor), batch=batch_size,
        height=input_height, width=input_width, in_channels=in_channels, out_channels=out_channels, kernel=kernel_size,
        stride=stride, padding=padding, output_padding=output_padding, dilation=dilation, groups=groups,
        activation=getattr(conv_config, "activation", None) or None)
    return _results(made, weight_tensor, bias_tensor, return_output_dim, return_weights_and_bias)


def max_pool2d(input_tensor: Tensor, batch_size: int, input_h: int, input_w: int, channels: int, kernel_size: Pair,
               stride: Pair, padding: Pair = 0, dilation: Pair = 1, *, ceil_mode: bool = False,
               memory_config: MemoryConfig | None = None, applied_shard_scheme: Any = None, **accepted: Any) -> Tensor:
    """Largest element of each window, per channel."""
    made: Tensor = pictures.pool2d("ttnn.max_pool2d", input_tensor, False, batch=batch_size, height=input_h, width=input_w,
                                   channels=channels, kernel=kernel_size, stride=stride, padding=padding,
                                   dilation=dilation, ceil_mode=ceil_mode, memory=memory_config)
    return made


def avg_pool2d(input_tensor: Tensor, batch_size: int, input_h: int, input_w: int, channels: int, kernel_size: Pair,
               stride: Pair, padding: Pair = 0, ceil_mode: bool = False, count_include_pad: bool = True,
               divisor_override: int | None = None, *, memory_config: MemoryConfig | None = None, **accepted: Any) -> Tensor:
    """Mean of each window, per channel, padding included. NotImplementedError for the options that change the divisor."""
    if (not count_include_pad and padding not in (0, (0, 0), [0, 0])) or divisor_override is not None or ceil_mode:
        raise NotImplementedError("ttnn.avg_pool2d: ceil_mode, divisor_override and padding with count_include_pad=False are "
                                  "not available; pad with ttnn.pad, or multiply the result")
    made: Tensor = pictures.pool2d("ttnn.avg_pool2d", input_tensor, True, batch=batch_size, height=input_h, width=input_w,
                                   channels=channels, kernel=kernel_size, stride=stride, padding=padding, memory=memory_config)
    return made


def prepare_conv_weights(*, weight_tensor: Tensor, **accepted: Any) -> Tensor:
    """The weight itself: a convolution prepares it at its first call, and keeps that as long as the tensor."""
    return weight_tensor


def prepare_conv_bias(*, bias_tensor: Tensor, **accepted: Any) -> Tensor:
    """The bias itself, as prepare_conv_weights()."""
    return bias_tensor


prepare_conv_transpose2d_weights, prepare_conv_transpose2d_bias = prepare_conv_weights, prepare_conv_bias
