"""Tensors that are made, not converted. `device`: None makes them on the host. Float bfloat16, TILE on a device and ROW_MAJOR
on the host are the defaults."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ttsim.eager import DataType, Device, Layout, MemoryConfig
from ttsim.eager.surface import create

from .tensor import Tensor, from_torch

__all__ = ["arange", "empty", "empty_like", "fill", "full", "full_like", "ones", "ones_like", "rand", "zeros", "zeros_like"]


def _made(name: str, *args: Any, dtype: DataType | None = None, layout: Layout | None = None, device: Device | None = None,
          memory_config: MemoryConfig | None = None, **kwargs: Any) -> Tensor:
    layout = layout or (Layout.TILE if device is not None else Layout.ROW_MAJOR)
    made: Tensor = create(name, f"ttnn.{name}", Tensor, *args, dtype=dtype or DataType.BFLOAT16, layout=layout, device=device,
                          memory=memory_config, **kwargs)
    return made


def full(shape: Sequence[int], fill_value: float, dtype: DataType | None = None, layout: Layout | None = None,
         device: Device | None = None, memory_config: MemoryConfig | None = None, **accepted: Any) -> Tensor:
    """All elements equal."""
    return _made("full", shape, float(fill_value) if dtype is None or dtype.is_float else int(fill_value), dtype=dtype,
                 layout=layout, device=device, memory_config=memory_config)


def zeros(shape: Sequence[int], dtype: DataType | None = None, layout: Layout | None = None, device: Device | None = None,
          memory_config: MemoryConfig | None = None) -> Tensor:
    """All elements 0."""
    return _made("zeros", shape, dtype=dtype, layout=layout, device=device, memory_config=memory_config)


def ones(shape: Sequence[int], dtype: DataType | None = None, layout: Layout | None = None, device: Device | None = None,
         memory_config: MemoryConfig | None = None) -> Tensor:
    """All elements 1."""
    return _made("ones", shape, dtype=dtype, layout=layout, device=device, memory_config=memory_config)


def empty(shape: Sequence[int], dtype: DataType | None = None, layout: Layout | None = None, device: Device | None = None,
          memory_config: MemoryConfig | None = None) -> Tensor:
    """Elements of no certain value; here 0."""
    return _made("empty", shape, dtype=dtype, layout=layout, device=device, memory_config=memory_config)


def arange(start: float, end: float | None = None, step: float = 1, dtype: DataType | None = None,
           device: Device | None = None, memory_config: MemoryConfig | None = None, layout: Layout | None = None) -> Tensor:
    """start, start + step, ... below end."""
    return _made("arange", start, end, step, dtype=dtype, layout=layout, device=device, memory_config=memory_config)


def rand(shape: Sequence[int], device: Device | None = None, *, dtype: DataType | None = None, layout: Layout | None = None,
         memory_config: MemoryConfig | None = None, low: float = 0.0, high: float = 1.0, seed: int = 0, **kwargs: Any) -> Tensor:
    """Uniform random numbers of a seed."""
    low, high = kwargs.pop("from", low), kwargs.pop("to", high)
    return _made("rand", shape, low, high, seed, dtype=dtype, layout=layout, device=device, memory_config=memory_config)


def _like(name: str, tensor: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    if not isinstance(tensor, Tensor):
        raise TypeError(f"ttnn.{name}: a ttnn.Tensor is expected, not {type(tensor).__name__}")
    given = {key: value for key, value in kwargs.items() if value is not None and key in ("dtype", "layout", "device", "memory_config")}
    chosen = {"dtype": tensor._dtype, "layout": tensor._layout, "device": tensor._device, "memory_config": tensor._memory} | given
    return _made(name.removesuffix("_like"), tensor._shape, *args, **chosen)


def full_like(tensor: Tensor, fill_value: float, **keywords: Any) -> Tensor:
    """All elements equal, with shape, type, layout and place of a tensor."""
    return _like("full_like", tensor, float(fill_value), **keywords)


def fill(input_tensor: Tensor, fill_value: float, memory_config: MemoryConfig | None = None) -> Tensor:
    """All elements equal, with shape, type, layout and device of a tensor."""
    return full_like(input_tensor, fill_value, memory_config=memory_config)


def zeros_like(tensor: Tensor, **keywords: Any) -> Tensor:
    """Zeros with shape, type, layout and place of a tensor."""
    return _like("zeros_like", tensor, **keywords)


def ones_like(tensor: Tensor, **keywords: Any) -> Tensor:
    """Ones with shape, type, layout and place of a tensor."""
    return _like("ones_like", tensor, **keywords)


def empty_like(tensor: Tensor, **keywords: Any) -> Tensor:
    """Elements of no certain value, with shape, type, layout and place of a tensor."""
    return _like("empty_like", tensor, **keywords)


_ = from_torch
