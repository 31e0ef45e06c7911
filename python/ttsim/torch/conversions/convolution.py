"""Convolutions over any number of axes."""
from __future__ import annotations

from typing import Any

import torch

from ..table import Op, Refused, Tensor, converts

aten = torch.ops.aten


def _spread(values: Any, axes: int) -> list[int]:
    return [int(value) for value in (values if len(values) == axes else list(values) * axes)]


def _convolve(op: Op, name: str, x: Tensor, weight: Tensor, bias: Tensor | None, pads: list[int], stride: Any, dilation: Any,
              groups: Any, **more: Any) -> Any:
    """An x without batch gets a batch of 1."""
    axes = weight.rank - 2
    if axes < 1 or x.rank not in (weight.rank, weight.rank - 1):
        raise Refused(f"it convolves rank {x.rank} with weights of rank {weight.rank}; x needs a batch and channels")
    value = op.float(x) if x.rank == weight.rank else op.build.reshape(op.float(x), [1, *x.shape])
    operands = [value, op.float(weight)] + ([] if bias is None else [op.float(bias)])
    y = op.build.add(name, *operands, strides=_spread(stride, axes), dilations=_spread(dilation, axes), pads=pads,
                     group=int(groups), **more)
    return op.build.reshape(y, op.result.shape)


@converts(aten.convolution.default, aten._convolution.default)
def convolution(op: Op, x: Tensor, weight: Tensor, bias: Tensor | None, stride: Any, padding: Any, dilation: Any, transposed: Any,
                output_padding: Any, groups: Any, *flags: Any) -> Any:
    """x [n, channels, ..], weight [out, channels / groups, ..]; transposed [channels, out / groups, ..]."""
    if transposed:
        return conv_transpose(op, x, weight, bias, stride, padding, output_padding, groups, dilation)
    return conv(op, x, weight, bias, stride, padding, dilation, groups)


@converts(aten.conv1d.default, aten.conv2d.default, aten.conv3d.default)
def conv(op: Op, x: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Any = (1,), padding: Any = (0,), dilation: Any = (1,),
         groups: Any = 1) -> Any:
    return _convolve(op, "conv", x, weight, bias, _spread(padding, weight.rank - 2) * 2, stride, dilation, groups)


@converts(aten.conv1d.padding, aten.conv2d.padding, aten.conv3d.padding)
def conv_padded(op: Op, x: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Any = (1,), padding: Any = "valid",
                dilation: Any = (1,), groups: Any = 1) -> Any:
    """`padding`: "valid": none; "same": keeps the size; an odd amount has one more at the end."""
    apart = _spread(dilation, weight.rank - 2)
    reach = [step * (size - 1) if padding == "same" else 0 for step, size in zip(apart, weight.shape[2:], strict=True)]
    pads = [total // 2 for total in reach] + [total - total // 2 for total in reach]
    return _convolve(op, "conv", x, weight, bias, pads, stride, dilation, groups)


@converts(aten.conv_transpose1d.default, aten.conv_transpose2d.input, aten.conv_transpose3d.input)
def conv_transpose(op: Op, x: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Any = (1,), padding: Any = (0,),
                   output_padding: Any = (0,), groups: Any = 1, dilation: Any = (1,)) -> Any:
    axes = weight.rank - 2
    return _convolve(op, "conv_transpose", x, weight, bias, _spread(padding, axes) * 2, stride, dilation, groups,
                     output_padding=_spread(output_padding, axes))
