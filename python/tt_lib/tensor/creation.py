"""Tensors that are made, not converted. Without a device they are on the host."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ttsim.eager import DataType, Layout, MemoryConfig
from ttsim.eager.surface import create

from ..device import Device
from .tensor import Tensor


def _create(name: str, args: Sequence[Any], data_type: DataType, layout: Layout, device: Device | None,
            output_mem_config: MemoryConfig | None) -> Tensor:
    made: Tensor = create(name, f"tt_lib.tensor.{name}", Tensor, *args, dtype=data_type, layout=layout,
                          device=None if device is None else device.eager(f"tt_lib.tensor.{name}"), memory=output_mem_config)
    return made


def full(shape: Sequence[int], fill_value: float, data_type: DataType = DataType.BFLOAT16, layout: Layout = Layout.ROW_MAJOR,
         device: Device | None = None, output_mem_config: MemoryConfig | None = None) -> Tensor:
    """All elements equal."""
    return _create("full", [shape, fill_value], data_type, layout, device, output_mem_config)


def zeros(shape: Sequence[int], data_type: DataType = DataType.BFLOAT16, layout: Layout = Layout.ROW_MAJOR,
          device: Device | None = None, output_mem_config: MemoryConfig | None = None) -> Tensor:
    """All elements 0."""
    return _create("zeros", [shape], data_type, layout, device, output_mem_config)


def ones(shape: Sequence[int], data_type: DataType = DataType.BFLOAT16, layout: Layout = Layout.ROW_MAJOR,
         device: Device | None = None, output_mem_config: MemoryConfig | None = None) -> Tensor:
    """All elements 1."""
    return _create("ones", [shape], data_type, layout, device, output_mem_config)


def empty(shape: Sequence[int], data_type: DataType = DataType.BFLOAT16, layout: Layout = Layout.ROW_MAJOR,
          device: Device | None = None, output_mem_config: MemoryConfig | None = None) -> Tensor:
    """Elements of no certain value; here 0."""
    return _create("empty", [shape], data_type, layout, device, output_mem_config)


def _like(x: Tensor, value: float) -> Tensor:
    made: Tensor = create("full", "tt_lib.tensor.full_like", Tensor, x._shape, value, dtype=x._dtype, layout=x._layout,
                          device=x._device, memory=x._memory)
    return made


def full_like(x: Tensor, value: float) -> Tensor:
    """All elements equal, like another tensor."""
    return _like(x, float(value))


def zeros_like(x: Tensor) -> Tensor:
    """Zeros like another tensor."""
    return _like(x, 0.0)


def ones_like(x: Tensor) -> Tensor:
    """Ones like another tensor."""
    return _like(x, 1.0)


def arange(start: float, end: float, step: float = 1, device: Device | None = None,
           output_mem_config: MemoryConfig | None = None) -> Tensor:
    """start, start + step, ... below end: [1, 1, 1, n]."""
    made = create("arange", "tt_lib.tensor.arange", Tensor, start, end, step, dtype=DataType.BFLOAT16, layout=Layout.ROW_MAJOR,
                  device=None)
    held = Tensor.from_host(made.host_values("arange").reshape(1, 1, 1, -1), DataType.BFLOAT16, Layout.ROW_MAJOR)
    result: Tensor = held if device is None else held.to(device, output_mem_config)
    return result


def fill_rm(n: int, c: int, h: int, w: int, h_fill: int, w_fill: int, any: Tensor, val_hi: float,  # noqa: A002
            val_lo: float) -> Tensor:
    """Row major [n, c, h, w] where `any` is: val_hi in the first h_fill rows and w_fill columns of each slice, else
    val_lo."""
    import torch
    held = torch.full((n, c, h, w), float(val_lo))
    held[:, :, :h_fill, :w_fill] = val_hi
    made: Tensor = Tensor.from_host(held, DataType.BFLOAT16, Layout.ROW_MAJOR)
    return made if any._device is None else made.to_device(any._device, op="tt_lib.tensor.fill_rm")


def fill_ones_rm(n: int, c: int, h: int, w: int, h_fill: int, w_fill: int, any: Tensor) -> Tensor:  # noqa: A002
    """fill_rm() with 1 and 0."""
    return fill_rm(n, c, h, w, h_fill, w_fill, any, 1.0, 0.0)


__all__ = [name for name, value in dict(globals()).items()  # noqa: PLE0605
           if not name.startswith("_") and getattr(value, "__module__", "") == __name__ and callable(value)]
