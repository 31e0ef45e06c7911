"""Functions that stand in graphs as targets where one call of ttnn does not express an op."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.fx
import ttnn
from ttnn.types import TILE_LAYOUT

Pair = Sequence[int]


def _target(function: Callable[..., Any]) -> Callable[..., Any]:
    function.__name__ = f"target_wrapper_{function.__name__}"
    function.__qualname__ = function.__name__
    globals()[function.__name__] = function  # generated code finds it by this name
    return function


@_target
def clone(t: Any) -> Any:
    """A copy of an argument that the graph returns as it is."""
    return t.clone() if isinstance(t, torch.Tensor) else ttnn.clone(t)


@_target
def repeat(t: Any, sizes: Sequence[int]) -> Any:
    """Copies beside each other along every axis; more sizes than axes add axes in front."""
    if len(sizes) > len(t.shape):
        t = ttnn.reshape(t, (*[1] * (len(sizes) - len(t.shape)), *t.shape))
    return ttnn.repeat(t, tuple(sizes))


@_target
def pack_to_tuple(*values: Any) -> tuple[Any, ...]:
    """Its arguments, for ops with several results."""
    return values


@_target
def move_to_host(t: Any, layout: Any) -> Any:
    """A copy on the host in a layout."""
    return ttnn.to_layout(ttnn.from_device(t), layout)


@_target
def conv(t: Any, weight: Any, bias: Any, batch: int, in_channels: int, out_channels: int, size: Pair, kernel: Pair,
         stride: Pair, padding: Pair, dilation: Pair, groups: int, transposed: bool, output_padding: Pair,
         device: Any) -> Any:
    """[1, 1, N * H * W, C] -> [1, 1, N * Ho * Wo, Co]. `size`, `kernel` and the rest: (height, width); of one axis, the
    width is 1. `weight` and `bias`: as torch has them, on the host or the device."""
    shared: dict[str, Any] = {"input_tensor": t, "weight_tensor": weight, "bias_tensor": bias, "device": device, "in_channels": in_channels,
              "out_channels": out_channels, "batch_size": batch, "groups": groups}
    if len(size) == 1:
        if transposed:
            weight = ttnn.unsqueeze(weight, 3)
            return ttnn.conv_transpose2d(**{**shared, "weight_tensor": weight}, input_height=size[0], input_width=1,
                                         kernel_size=(kernel[0], 1), stride=(stride[0], 1), padding=(padding[0], 0),
                                         dilation=(dilation[0], 1), output_padding=(output_padding[0], 0))
        return ttnn.conv1d(**shared, input_length=size[0], kernel_size=kernel[0], stride=stride[0], padding=padding[0],
                           dilation=dilation[0])
    sizes: dict[str, Any] = {"input_height": size[0], "input_width": size[1], "kernel_size": tuple(kernel), "stride": tuple(stride),
             "padding": tuple(padding), "dilation": tuple(dilation)}
    if transposed:
        return ttnn.conv_transpose2d(**shared, **sizes, output_padding=tuple(output_padding))
    return ttnn.conv2d(**shared, **sizes)


@_target
def roll(t: Any, shifts: Sequence[int], dims: Sequence[int]) -> Any:
    """Elements moved along axes; those beyond the end come back at the start."""
    return ttnn.roll(t, tuple(shifts), tuple(dims)) if dims else ttnn.roll(t, tuple(shifts))


@_target
def stack(tensors: Sequence[Any], dim: int) -> Any:
    """Tensors along a new axis."""
    return ttnn.stack(list(tensors), dim)


@_target
def all(t: Any, dim: int | None = None, keepdim: bool = False) -> Any:  # noqa: A001
    """1 where all elements are not 0, else 0."""
    return ttnn.all(t, dim, keepdim)


@_target
def native_layer_norm(t: Any, shape: Sequence[int], weight: Any, bias: Any, eps: float, statistics: bool = False) -> Any:
    """The normalized tensor, and with `statistics` the mean and the reciprocal deviation, else None."""
    if not statistics and len(shape) == 1:
        return ttnn.layer_norm(t, epsilon=eps, weight=weight, bias=bias), None, None
    made, mean, scale = ttnn.operations.moreh.layer_norm(t, len(shape), eps, gamma=weight, beta=bias)
    ones = (*mean.shape, *[1] * len(shape))
    return made, ttnn.reshape(mean, ones), ttnn.reshape(scale, ones)


@_target
def dropout(t: Any, p: float, device: Any) -> Any:
    """torch draws the mask on the host. Returns the result and the mask."""
    mask = ttnn.from_torch((torch.rand(tuple(t.shape)) >= p).bfloat16(), layout=TILE_LAYOUT, device=device)
    return ttnn.multiply(ttnn.multiply(t, mask), 1 / (1 - p) if p < 1 else 0.0), mask


@_target
def run_once(spec: Any, *values: Any) -> Any:
    """Results of nodes that depend on parameters only; computed anew after a parameter was changed."""
    return spec(*values)


@_target
def replicate_tensor(t: Any, devices: int) -> Any:
    """A tensor of which every device of a mesh gets all."""
    return t


@_target
def shard_tensor(t: Any, dim: int, devices: int) -> Any:
    """A tensor that is cut along an axis, one part for each device of a mesh."""
    return t


@_target
def concat_tensor(t: Any, dim: int, devices: int) -> Any:
    """The parts of the devices of a mesh, joined along an axis."""
    return t


RANDOM = frozenset((dropout,))
