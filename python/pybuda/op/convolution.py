"""Convolutions. Activations are NCHW, with `channel_last` NHWC."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
import torch.nn.functional as F

from ..operand import Operand
from ..tensor import Tensor
from .common import define, result



def per_axis(value: Any, axes: int) -> list[int]:
    """One integer for each axis. RuntimeError for another count."""
    return [int(value)] * axes if isinstance(value, int) else [int(one) for one in value]


def edges(padding: Any, kernel: Sequence[int], dilation: Sequence[int]) -> list[tuple[int, int]]:
    """Padding before and after each axis. `padding`: "same", an integer, one for each axis, or [left, right, top,
    bottom]. AssertionError for other values."""
    axes = len(kernel)
    if isinstance(padding, str):
        assert padding == "same", f"padding must be 'same' or integers, not '{padding}'"
        totals = [(size - 1) * step for size, step in zip(kernel, dilation)]
        return [(total // 2, total - total // 2) for total in totals]
    sizes = per_axis(padding, axes)
    assert len(sizes) in (axes, 2 * axes), f"padding {padding} for {axes} axes"
    if len(sizes) == axes:
        return [(size, size) for size in sizes]
    return [(sizes[2 * k], sizes[2 * k + 1]) for k in reversed(range(axes))]


def pads(around: Sequence[tuple[int, int]]) -> list[int]:
    """Order of pads in graphs: all axes before, then all axes after."""
    return [before for before, _ in around] + [after for _, after in around]


def _flat(around: Sequence[tuple[int, int]]) -> list[int]:
    """Order of pads in torch.nn.functional.pad()."""
    return [size for pair in reversed(around) for size in pair]


def _conv(x: torch.Tensor, w: torch.Tensor, bias: torch.Tensor | None = None, *, stride: list[int],
          around: list[tuple[int, int]], dilation: list[int], groups: int, channel_last: bool) -> torch.Tensor:
    x = x.movedim(-1, 1) if channel_last else x
    run = {1: F.conv1d, 2: F.conv2d, 3: F.conv3d}[len(stride)]
    bias = None if bias is None else bias.reshape(-1)
    y = run(F.pad(x, _flat(around)), w, bias, tuple(stride), 0, tuple(dilation), groups)
    return y.movedim(1, -1) if channel_last else y


def _operands(make: Any, x: Any, w: Any, bias: Any, channel_last: bool) -> list[Any]:
    x = make.channels_first(x) if channel_last else x
    found = [make.as_float(x), w]
    return found if bias is None else [*found, make.reshape(bias, [make.count(bias)])]


def _build_conv(make: Any, x: Any, w: Any, bias: Any = None, *, stride: list[int], around: list[tuple[int, int]],
                dilation: list[int], groups: int, channel_last: bool) -> Any:
    y = make.add("conv", *_operands(make, x, w, bias, channel_last), strides=stride, dilations=dilation,
                 pads=pads(around), group=groups)
    return make.channels_last(y) if channel_last else y


def _transposed(x: torch.Tensor, w: torch.Tensor, bias: torch.Tensor | None = None, *, stride: list[int],
                padding: list[int], output_padding: list[int], groups: int, channel_last: bool) -> torch.Tensor:
    x = x.movedim(-1, 1) if channel_last else x
    bias = None if bias is None else bias.reshape(-1)
    y = F.conv_transpose2d(x, w, bias, tuple(stride), tuple(padding), tuple(output_padding), groups)
    return y.movedim(1, -1) if channel_last else y


def _build_transposed(make: Any, x: Any, w: Any, bias: Any = None, *, stride: list[int], padding: list[int],
                      output_padding: list[int], groups: int, channel_last: bool) -> Any:
    y = make.add("conv_transpose", *_operands(make, x, w, bias, channel_last), strides=stride,
                 pads=[*padding, *padding], output_padding=output_padding, group=groups)
    return make.channels_last(y) if channel_last else y


define("conv2d", _conv, _build_conv)
define("conv3d", _conv, _build_conv)
define("conv2d_transpose", _transposed, _build_transposed)


def _result(op_type: str, axes: int, name: str, activations: Operand, weights: Operand, bias: Operand | None,
            stride: Any, padding: Any, dilation: Any, groups: int, channel_last: bool) -> Tensor:
    assert not isinstance(weights, (list, tuple)), "weights must be one tensor (Cout, Cin / groups, kernel)"
    kernel = list(weights.shape)[2:]
    stride, dilation = per_axis(stride, axes), per_axis(dilation, axes)
    operands = [activations, weights] if bias is None else [activations, weights, bias]
    return result(op_type, name, *operands, attrs=(*stride, dilation[0], groups, padding, channel_last), stride=stride,
                  around=edges(padding, kernel, dilation), dilation=dilation, groups=groups, channel_last=channel_last)


def Conv2d(name: str, activations: Tensor, weights: Operand, bias: Operand | None = None, stride: int | list[int] = 1,
           padding: int | str | list[int] = "same", dilation: int | list[int] = 1, groups: int = 1,
           channel_last: bool = False) -> Tensor:
    """Weights (Cout, Cin / groups, kH, kW), bias (Cout); padding "same", an integer or [left, right, top, bottom]."""
    return _result("conv2d", 2, name, activations, weights, bias, stride, padding, dilation, groups, channel_last)


def Conv3d(name: str, activations: Tensor, weights: Operand, bias: Operand | None = None, stride: int | list[int] = 1,
           padding: int | str | list[int] = "same", dilation: int | list[int] = 1, groups: int = 1,
           channel_last: bool = False) -> Tensor:
    """NCDHW; weights (Cout, Cin / groups, kD, kH, kW)."""
    return _result("conv3d", 3, name, activations, weights, bias, stride, padding, dilation, groups, channel_last)


def conv_transpose(name: str, activations: Tensor, weights: Operand, bias: Operand | None, stride: Any, padding: Any,
                   groups: int, channel_last: bool, output_padding: Any = 0) -> Tensor:
    """A transposed convolution of NCHW, for Conv2dTranspose and its module."""
    around = edges(padding, list(weights.shape)[2:], [1, 1])
    assert all(before == after for before, after in around), f"padding {padding} is not symmetric"
    operands = [activations, weights] if bias is None else [activations, weights, bias]
    return result("conv2d_transpose", name, *operands, stride=per_axis(stride, 2), groups=groups,
                  padding=[before for before, _ in around], output_padding=per_axis(output_padding, 2),
                  channel_last=channel_last)


def Conv2dTranspose(name: str, activations: Tensor, weights: Operand, bias: Operand | None = None, stride: int = 1,
                    padding: int | str = "same", dilation: int = 1, groups: int = 1,
                    channel_last: bool = False) -> Tensor:
    """Weights (Cin, Cout / groups, kH, kW). AssertionError for a dilation other than 1, different strides and
    asymmetric padding."""
    assert dilation in (1, (1, 1), [1, 1]), f"Conv2dTranspose supports only dilation 1, not {dilation}"
    assert len(set(per_axis(stride, 2))) == 1, f"Conv2dTranspose needs one stride for both axes, not {stride}"
    return conv_transpose(name, activations, weights, bias, stride, padding, groups, channel_last)
