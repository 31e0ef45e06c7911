"""Convolutions over any number of axes."""
from __future__ import annotations

import torch

from ..table import Op, Refused, Tensor, converts

aten = torch.ops.aten


@converts(aten.convolution.default, aten._convolution.default)
def convolution(op: Op, x: Tensor, weight: Tensor, bias: Tensor | None, stride, padding, dilation, transposed,
                output_padding, groups, *flags):
    """x [n, channels, ..], weight [out, channels / groups, ..]; transposed [channels, out / groups, ..]."""
    axes = weight.rank - 2
    if x.rank != weight.rank or axes < 1:
        raise Refused(f"it convolves rank {x.rank} with weights of rank {weight.rank}; x needs a batch and channels")

    def spread(values):
        return [int(value) for value in (values if len(values) == axes else list(values) * axes)]
    attributes = {"strides": spread(stride), "dilations": spread(dilation), "pads": spread(padding) * 2,
                  "group": int(groups)}
    if transposed:
        attributes["output_padding"] = spread(output_padding)
    operands = [op.float(x), op.float(weight)] + ([] if bias is None else [op.float(bias)])
    return op.build.add("conv_transpose" if transposed else "conv", *operands, **attributes)
