"""Ops that torch computes on the host: operands are read, the result returns with the layout and device of the first. Each
call counts its transfers and a fallback."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.nn.functional as F

from ttsim.eager import EagerTensor

from .tensor import Tensor


def _fallback(name: str, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    tensors: list[EagerTensor] = []

    def plain(value: Any) -> Any:
        if isinstance(value, EagerTensor):
            tensors.append(value)
            held = value.to_host(f"tt_lib.fallback_ops.{name}").host_values(name)
            return held.float() if held.is_floating_point() else held
        if isinstance(value, (list, tuple)):
            return type(value)(plain(one) for one in value)
        return value
    given = [plain(one) for one in args], {key: plain(value) for key, value in kwargs.items()}
    if not tensors:
        raise TypeError(f"tt_lib.fallback_ops.{name}: no operand is a Tensor")
    with torch.no_grad():
        made = function(*given[0], **given[1])
    first = tensors[0]
    if first._device is not None:
        first._device.record_host(f"tt_lib.fallback_ops.{name}", 0)

    def back(value: torch.Tensor) -> Any:
        value = value.reshape([1] * (4 - value.dim()) + list(value.shape)) if value.dim() < 4 else value
        value = value.float() if value.dtype == torch.bool else value
        result = Tensor.from_host(value, first._dtype, first._layout)
        return result if first._device is None else result.to_device(first._device, first._memory)
    return [back(one) for one in made] if isinstance(made, (list, tuple)) else back(made)


def _named(names: dict[str, Callable[..., Any]]) -> None:
    for name, function in names.items():
        def op(*args: Any, _name: str = name, _function: Callable[..., Any] = function, **kwargs: Any) -> Any:
            return _fallback(_name, _function, *args, **kwargs)
        op.__name__ = op.__qualname__ = name
        op.__doc__ = f"torch's {name} on the host."
        globals()[name] = op


_named({
    "reshape": lambda x, *shape: x.reshape(shape), "permute": lambda x, *order: x.permute(order),
    "pad": lambda x, padding, value=0.0: F.pad(x, tuple(padding), value=value), "concat": lambda xs, dim=0: torch.cat(list(xs), dim),
    "chunk": lambda x, n, dim=0: torch.chunk(x, n, dim),
    "tensor_slice": lambda x, slices: x[tuple(slices)], "repeat": lambda x, sizes: x.repeat(*sizes),
    "repeat_interleave": torch.repeat_interleave, "conv2d": F.conv2d, "group_norm": F.group_norm, "layer_norm": F.layer_norm,
    "softmax": F.softmax, "interpolate": F.interpolate, "silu": F.silu, "sigmoid": torch.sigmoid, "ceil": torch.ceil,
    "floor": torch.floor, "trunc": torch.trunc, "unary_fmod": torch.fmod, "binary_fmod": torch.fmod,
    "bitwise_not": lambda x: torch.bitwise_not(x.int()), "bitwise_or": lambda a, b: torch.bitwise_or(a.int(), _int(b)),
    "bitwise_and": lambda a, b: torch.bitwise_and(a.int(), _int(b)), "bitwise_xor": lambda a, b: torch.bitwise_xor(a.int(), _int(b)),
    "bitwise_left_shift": lambda a, b: torch.bitwise_left_shift(a.int(), _int(b)),
    "bitwise_right_shift": lambda a, b: torch.bitwise_right_shift(a.int(), _int(b))})


def _int(x: Any) -> Any:
    return x.int() if isinstance(x, torch.Tensor) else int(x)


def full(size: Sequence[int], fill_value: float) -> Tensor:
    """All elements equal, on the host."""
    from ttsim.eager import DataType, Layout
    made: Tensor = Tensor.from_host(torch.full(tuple(size), float(fill_value)), DataType.BFLOAT16, Layout.ROW_MAJOR)
    return made


def _torch(value: Any) -> Any:
    return torch.nn.Parameter(value.to_host("tt_lib.fallback_ops").to_torch().float()) if isinstance(value, EagerTensor) else value


class _Module:
    """A module of torch that is called with tensors."""
    _kind: type[torch.nn.Module]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.module = self._kind(*args, **kwargs)
        self.module.eval()

    def __call__(self, *args: Any) -> Any:
        return _fallback(type(self).__name__, self.module, *args)


class _Weighted(_Module):
    """The same with weights: Kind(weights, biases, ...)."""

    def __init__(self, weights: Any, biases: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        with torch.no_grad():
            for name, value in (("weight", weights), ("bias", biases)):
                own = getattr(self.module, name, None)
                if own is not None and value is not None:
                    own.copy_(_torch(value).reshape(own.shape))


class Conv2d(_Weighted):
    """Conv2d(weights, biases, in_channels, out_channels, kernel_size, ...), as torch's."""
    _kind = torch.nn.Conv2d


class LayerNorm(_Weighted):
    """LayerNorm(weights, biases, normalized_shape, ...), as torch's."""
    _kind = torch.nn.LayerNorm


class GroupNorm(_Weighted):
    """GroupNorm(weights, biases, num_groups, num_channels, ...), as torch's."""
    _kind = torch.nn.GroupNorm


class BatchNorm2d(_Weighted):
    """BatchNorm2d(weights, biases, num_features, ...), as torch's, with running statistics 0 and 1."""
    _kind = torch.nn.BatchNorm2d


class MaxPool2d(_Module):
    """As torch's."""
    _kind = torch.nn.MaxPool2d


class AdaptiveAvgPool2d(_Module):
    """As torch's."""
    _kind = torch.nn.AdaptiveAvgPool2d
