"""Tensors of rank 4."""
from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Any

import torch

from ttsim.eager import BufferType, DataType, EagerTensor, Layout
from ttsim.eager import MemoryConfig as _Config
from ttsim.eager.cores import ShardSpec
from ttsim.eager.memory import TensorMemoryLayout
from ttsim.eager.surface import call

from .. import utils
from ..device import Device, Host


class StorageType(enum.Enum):
    """Where a tensor is."""
    HOST = 0
    DEVICE = 1


def MemoryConfig(interleaved: bool | TensorMemoryLayout = True, buffer_type: Any = BufferType.DRAM,
                 shard_spec: ShardSpec | None = None) -> _Config:
    """Where a tensor's buffer is. A number as second argument is a DRAM channel, and has no effect. Later programs give a
    TensorMemoryLayout first, and a ShardSpec for shards in L1."""
    layout = interleaved if isinstance(interleaved, TensorMemoryLayout) else TensorMemoryLayout.INTERLEAVED
    return _Config(layout, buffer_type if isinstance(buffer_type, BufferType) else BufferType.DRAM, shard_spec)


class _Callable(list[int]):
    """A shape, which may be called."""

    def __call__(self) -> list[int]:
        return list(self)


def cut_to_bfloat16(values: torch.Tensor) -> torch.Tensor:
    """bfloat16 of float32 without rounding: the lower half of the bits is dropped."""
    bits = values.to(torch.float32).contiguous().view(torch.int32) & -65536
    return bits.view(torch.float32).to(torch.bfloat16)


class Tensor(EagerTensor):
    """Tensor(data, shape, dtype, layout[, device[, mem_config]]): `data` is a flat list of numbers in the order of the
    layout (tilize_to_list() of utils), `shape` four sizes. Tensor(torch_tensor, dtype): row major, on the host. Python's
    floats become bfloat16 by cutting, without rounding. ValueError for shapes that do not fit."""

    def __init__(self, data: Any, shape: Any = None, dtype: Any = None, layout: Any = None, device: Any = None,
                 mem_config: _Config | None = None, **made: Any) -> None:
        if made:  # by an op
            super().__init__(data, shape, dtype, device=device, **made)
            return
        if isinstance(data, torch.Tensor):
            values, kind, order = data, shape or DataType.BFLOAT16, Layout.ROW_MAJOR
            values = values.reshape([1] * (4 - values.dim()) + list(values.shape))
        else:
            values, kind, order = _values(data, shape, dtype, layout), dtype, layout
        check_shape("Tensor", list(values.shape), order)
        host = EagerTensor.from_host(values, kind, order)
        if device is None:
            super().__init__(values.shape, kind, order, host=host._host)
            return
        moved = host.to_device(device.eager("Tensor"), mem_config, "Tensor")
        super().__init__(values.shape, kind, order, device=moved._device, buffer=moved._buffer, memory=moved._memory)
        moved._buffer = None

    @classmethod
    def from_host(cls, values: torch.Tensor, dtype: DataType, layout: Layout) -> Any:
        """On the host."""
        held = EagerTensor.from_host(values, dtype, layout)._host
        return cls(values.shape, dtype, layout, host=held)

    @property
    def shape(self) -> Any:
        """Four sizes; it may be called."""
        return _Callable(self._shape)

    @property
    def dtype(self) -> DataType:
        """It may be called."""
        return self._dtype

    @property
    def layout(self) -> Layout:
        """It may be called."""
        return self._layout

    def storage_type(self) -> StorageType:
        """On the host or on a device."""
        return StorageType.DEVICE if self.on_device else StorageType.HOST

    def device(self) -> Any:
        """The open device; None: on the host."""
        return self._device

    def buffer_address(self) -> int:
        """Address in each bank, in bytes."""
        return int(self.buffer_info().address)

    def data(self) -> list[Any]:
        """The elements in the order of the layout. RuntimeError on a device: first to(host)."""
        values = self.host_values("Tensor.data")
        if self._layout is Layout.TILE:
            values = utils.tilize(values)
        flat: list[Any] = (values.float() if values.is_floating_point() else values).reshape(-1).tolist()
        return flat

    def to(self, target: Any, mem_config: _Config | None = None) -> Tensor:
        """On a device or the host, layout unchanged; or, on the host only, in another layout."""
        if isinstance(target, Host):
            made: Tensor = self.to_host("Tensor.to(host)")
            return made
        if isinstance(target, Layout):
            values = self.host_values("Tensor.to(layout)")
            check_shape("Tensor.to(layout)", list(self._shape), target)
            return type(self).from_host(values, self._dtype, target)  # type: ignore[no-any-return]
        if isinstance(target, Device):
            open_device = target.eager("Tensor.to(device)")
            if self._layout is Layout.ROW_MAJOR and self._dtype is DataType.BFLOAT16 and self._shape[-1] % 2:
                raise ValueError(f"Tensor.to(device): rows of bfloat16 have an even number of elements, not {self._shape[-1]}; pad first")
            return self.to_device(open_device, mem_config, "Tensor.to(device)")  # type: ignore[no-any-return]
        raise TypeError(f"Tensor.to: a device, GetHost() or a Layout is expected, not {type(target).__name__}")

    def pad(self, output_shape: Sequence[int], input_start: Sequence[int], value: float) -> Tensor:
        """On the host, row major: placed at `input_start` in a tensor of `value`."""
        held = self._row_major("Tensor.pad")
        made = torch.full(tuple(output_shape), value, dtype=held.dtype)
        made[tuple(slice(a, a + n) for a, n in zip(input_start, held.shape, strict=True))] = held
        return type(self).from_host(made, self._dtype, Layout.ROW_MAJOR)  # type: ignore[no-any-return]

    def unpad(self, start: Sequence[int], end: Sequence[int]) -> Tensor:
        """On the host, row major: elements start .. end, the end included."""
        held = self._row_major("Tensor.unpad")
        made = held[tuple(slice(a, b + 1) for a, b in zip(start, end, strict=True))]
        return type(self).from_host(made, self._dtype, Layout.ROW_MAJOR)  # type: ignore[no-any-return]

    def pad_to_tile(self, value: float = 0.0) -> Tensor:
        """On the host, row major: the last two axes filled at the end to multiples of 32."""
        shape = [*self._shape[:2], *(utils.nearest_32(n) for n in self._shape[2:])]
        return self.pad(shape, [0, 0, 0, 0], value)

    def unpad_from_tile(self, shape: Sequence[int]) -> Tensor:
        """The reverse."""
        return self.unpad([0, 0, 0, 0], [n - 1 for n in shape])

    def _row_major(self, who: str) -> torch.Tensor:
        held = self.host_values(who)
        if self._layout is not Layout.ROW_MAJOR:
            raise RuntimeError(f"{who}: the tensor is in TILE layout; convert it with to(Layout.ROW_MAJOR)")
        return held

    def to_torch(self) -> torch.Tensor:
        """The values, of a tensor on the host."""
        return self.host_values("Tensor.to_torch").clone()

    def print(self, print_layout: Layout = Layout.ROW_MAJOR) -> None:
        """Prints all values in nested brackets; a tensor on a device is read first."""
        held = self.to_host("Tensor.print").host_values("Tensor.print")
        held = utils.tilize(held) if print_layout is Layout.TILE else held
        print((held.float() if held.is_floating_point() else held).tolist())

    def deallocate(self) -> None:
        """Frees its memory; a second call does nothing."""
        self.free()

    def reshape(self, n: int, c: int, h: int, w: int) -> Tensor:
        """The same elements in another shape."""
        made: Tensor = call("reshape", "Tensor.reshape", self, (n, c, h, w))
        return made

    def __repr__(self) -> str:
        return f"<tt_lib.tensor.Tensor: {self.summary()}>"


def check_shape(who: str, shape: Sequence[int], layout: Layout) -> None:
    """ValueError unless a shape has four sizes that the layout can have."""
    if len(shape) != 4:
        raise ValueError(f"{who}: a shape has four sizes [N, C, H, W], not {list(shape)}")
    if layout is Layout.TILE and (shape[2] % 32 or shape[3] % 32):
        raise ValueError(f"{who}: in TILE layout height and width are multiples of 32, not {shape[2]} x {shape[3]}; use pad_to_tile()")


def _values(data: Any, shape: Any, dtype: Any, layout: Any) -> torch.Tensor:
    if not isinstance(dtype, DataType) or not isinstance(layout, Layout):
        raise TypeError("Tensor: it is Tensor(data, shape, DataType, Layout[, device[, mem_config]])")
    sizes = [int(n) for n in shape]
    check_shape("Tensor", sizes, layout)
    values = torch.tensor(list(data), dtype=torch.float64 if dtype.is_float else torch.int64)
    count = sizes[0] * sizes[1] * sizes[2] * sizes[3]
    if values.numel() != count:
        raise ValueError(f"Tensor: {values.numel()} numbers are given, and {sizes} has {count}")
    values = values.reshape(sizes)
    if dtype.is_float:
        values = cut_to_bfloat16(values) if dtype is DataType.BFLOAT16 else values.float()
    made: torch.Tensor = utils.untilize(values) if layout is Layout.TILE else values
    return made
