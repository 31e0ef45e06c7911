"""Tensors on the host and on devices."""
from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import torch

from .._ttsim import BufferInfo, BufferSpec, DeviceMemory, InputError
from .device import Device
from .dtypes import DataType, Layout
from .memory import DRAM, MemoryConfig, placed

TILE = 32
_MOST_AXES = 8
_numbers = itertools.count(1)


class Shape(tuple[int, ...]):
    """A shape: a tuple of sizes. It equals a list of the same sizes too."""

    def __new__(cls, sizes: Iterable[int] = ()) -> Shape:
        return super().__new__(cls, (int(one) for one in sizes))

    def __eq__(self, other: object) -> bool:
        return tuple(self) == tuple(other) if isinstance(other, (tuple, list)) else NotImplemented

    def __ne__(self, other: object) -> bool:
        return tuple(self) != tuple(other) if isinstance(other, (tuple, list)) else NotImplemented

    __hash__ = tuple.__hash__

    def to_rank(self, rank: int) -> Shape:
        """With axes of size 1 in front, or without them. ValueError if others would go."""
        extra = len(self) - rank
        if extra > 0 and any(size != 1 for size in self[:extra]):
            raise ValueError(f"{self} cannot have rank {rank}")
        return Shape(self[extra:] if extra > 0 else [1] * -extra + list(self))

    @property
    def rank(self) -> int:
        """Number of axes."""
        return len(self)

    def volume(self) -> int:
        """Number of elements."""
        return math.prod(self)

    def with_tile_padding(self) -> Shape:
        """The last two axes rounded up to whole tiles."""
        return Shape(padded(self))

    def __repr__(self) -> str:
        return f"Shape({list(self)})"


def padded(shape: Sequence[int]) -> tuple[int, ...]:
    """The last two sizes, rounded up to whole tiles."""
    up = [-(-size // TILE) * TILE for size in shape[-2:]]
    return (*shape[:-2], *up)


def spec_of(device: Device, shape: Sequence[int], dtype: DataType, layout: Layout, memory: MemoryConfig) -> BufferSpec:
    """How such a tensor lies in a device's memory. `memory`: of placed()."""
    kind = dtype.kind
    where = kind.element, list(shape), kind.format, kind.bits, layout is Layout.TILE
    if not memory.in_l1:
        return BufferSpec(*where, DeviceMemory.Dram)
    shards = memory.shard_spec
    if shards is None:
        return BufferSpec(*where, DeviceMemory.L1)
    return BufferSpec(*where, DeviceMemory.L1, [core.y * device.grid[0] + core.x for core in shards.cores()], *shards.shape)


def check_layout(who: str, dtype: DataType, layout: Layout, shape: Sequence[int]) -> None:
    """ValueError for a layout that the element type does not have."""
    if dtype.is_block_float and layout is not Layout.TILE:
        raise ValueError(f"{who}: {dtype} exists in TILE layout only, not in ROW_MAJOR; convert with layout=TILE_LAYOUT")
    if len(shape) > _MOST_AXES:
        raise ValueError(f"{who}: a tensor has at most {_MOST_AXES} axes, not {len(shape)}")


class EagerTensor:
    """A tensor: either values of torch on the host, or a buffer of a device. Made by from_host() and by ops."""

    __slots__ = ("_shape", "_dtype", "_layout", "_memory", "_device", "_buffer", "_host", "number", "info",
                 "holders", "__weakref__", "__dict__")

    def __init__(self, shape: Sequence[int], dtype: DataType, layout: Layout, *, host: torch.Tensor | None = None,
                 device: Device | None = None, buffer: int | None = None, memory: MemoryConfig = DRAM) -> None:
        self._shape = Shape(shape)
        self._dtype, self._layout, self._memory = dtype, layout, memory
        self._device, self._buffer, self._host = device, buffer, host
        self.number = next(_numbers)
        self.holders = 1  # results of ops that are this tensor: those in place or without effect return their operand
        if device is not None:
            device.tensors.add(self)

    def __del__(self) -> None:
        try:
            self.free()
        except Exception:  # noqa: BLE001 (at the end of the interpreter modules are half gone)
            return

    # --- state ---

    @property
    def on_device(self) -> bool:
        return self._device is not None

    def is_allocated(self) -> bool:
        """Whether it has values: False after deallocate() or when its device was closed."""
        if self._device is None:
            return self._host is not None
        return self._buffer is not None and self._device.session is not None

    def free(self) -> None:
        """Frees its memory; a second call, or one after the device was closed, does nothing."""
        buffer, self._buffer, self._host = self._buffer, None, None
        if buffer is not None and self._device is not None and self._device.session is not None:
            try:
                self._device.session.free(buffer)
            except InputError:
                return

    def held_again(self) -> Any:
        """The tensor itself, as the result of an op that writes to it or has no effect."""
        self.holders += 1
        return self

    def take_memory(self, other: EagerTensor) -> None:
        """Frees its memory and takes that of another tensor of its shape and element type, which has none then."""
        self.free()
        self._buffer, other._buffer = other._buffer, None
        self._host, other._host = other._host, None
        self._layout, self._memory, self._device = other._layout, other._memory, other._device

    def buffer_of(self, op: str) -> int:
        """The number of its buffer. RuntimeError if it is not on an open device, or was deallocated."""
        if self._device is None:
            raise RuntimeError(f"{op}: {self.summary()} is on the host; move it to a device first")
        self._device.open_session(f"{op}: {self.summary()} cannot be used")
        if self._buffer is None:
            raise RuntimeError(f"{op}: {self.summary()} was deallocated")
        return self._buffer

    def host_values(self, op: str) -> torch.Tensor:
        """The values of a tensor on the host. RuntimeError if it is on a device or was deallocated."""
        if self._device is not None:
            raise RuntimeError(f"{op}: {self.summary()} is on device {self._device.id}; read it first")
        if self._host is None:
            raise RuntimeError(f"{op}: {self.summary()} was deallocated")
        return self._host

    def summary(self) -> str:
        """One line for messages."""
        name = self._dtype.name.lower()
        place = "host" if self._device is None else f"device {self._device.id}"
        return f"tensor {self.number} ({name}{list(self._shape)}, {self._layout.name}, {place})"

    @property
    def key(self) -> tuple[Any, ...]:
        """What programs depend on."""
        return tuple(self._shape), self._dtype, self._layout, self._memory

    def page_bytes(self) -> int:
        """Bytes that it takes in memory, with the padding of tiles."""
        shape = padded(self._shape) if self._layout is Layout.TILE else self._shape
        count = math.prod(shape)
        return count * self._dtype.kind.bits // 8 + (count // 16 if self._dtype.is_block_float else 0)

    def buffer_info(self) -> BufferInfo:
        """Address and pages."""
        number = self.buffer_of("buffer_info")
        assert self._device is not None
        return self._device.open_session().buffer(number)

    # --- values ---

    @classmethod
    def from_host(cls, values: torch.Tensor, dtype: DataType, layout: Layout) -> Any:
        """On the host, in this element type; integers wrap, floats round to the nearest."""
        check_layout("from_torch", dtype, layout, values.shape)
        return cls(values.shape, dtype, layout, host=host_form(values, dtype))

    def to_device(self, device: Device, memory: MemoryConfig | None = None, op: str = "to_device") -> Any:
        """A copy in a device's memory: one host write."""
        if not isinstance(device, Device):
            raise TypeError(f"{op}: a Device is expected, not {type(device).__name__}")
        if self._device is not None:
            if self._device is device:
                return self
            raise RuntimeError(f"{op}: {self.summary()} is on another device; read it with from_device() first")
        values = self.host_values(op)
        session = device.open_session(op)
        memory = placed(op, memory or DRAM, self._shape, self._layout is Layout.TILE, device.grid)
        spec = spec_of(device, self._shape, self._dtype, self._layout, memory)
        try:
            buffer = session.write(spec, as_elements(values, self._dtype))
        except InputError as error:
            raise memory_error(op, error) from error
        return type(self)(self._shape, self._dtype, self._layout, device=device, buffer=buffer, memory=memory)

    def to_host(self, op: str = "from_device") -> Any:
        """A copy on the host: one host read."""
        if self._device is None:
            self.host_values(op)
            return self
        buffer = self.buffer_of(op)
        values = self._device.open_session(op).read(buffer)
        return type(self)(self._shape, self._dtype, self._layout, host=from_elements(values, self._dtype, self._shape))

    def peek(self, op: str) -> torch.Tensor:
        """The values in no simulated time, in float32 or int64."""
        if self._device is None:
            held = self.host_values(op)
            return held.float() if held.is_floating_point() else held.long()
        return torch.from_numpy(self._device.open_session(op).peek(self.buffer_of(op))).reshape(self._shape)


def memory_error(who: str, error: InputError) -> Exception:
    """RuntimeError for a buffer that finds no memory or was freed by another thread; other errors stay."""
    return RuntimeError(f"{who}: {error.message}") if error.code in ("out-of-memory", "not-allocated") else error


def host_form(values: torch.Tensor, dtype: DataType) -> torch.Tensor:
    """Values of torch in the element type of a tensor. Bools become 1 and 0."""
    values = values.detach().cpu()
    kind = dtype.kind
    if dtype.is_float:
        return values.to(kind.torch).contiguous().clone()
    whole = values.to(torch.float64).trunc().to(torch.int64) if values.is_floating_point() else values.to(torch.int64)
    if dtype is DataType.INT32:
        return whole.to(torch.int32).contiguous().clone()
    return (whole & ((1 << kind.bits) - 1)).to(kind.torch).contiguous().clone()


def as_elements(values: torch.Tensor, dtype: DataType) -> Any:
    """Values as the session takes them: float32 or int64 in memory order."""
    return values.to(torch.float32 if dtype.is_float else torch.int64).contiguous().numpy()


def from_elements(values: Any, dtype: DataType, shape: Sequence[int]) -> torch.Tensor:
    """The reverse."""
    return torch.from_numpy(values).reshape(tuple(shape)).to(dtype.kind.torch)


def warn_once(text: str, seen: set[str] = set()) -> None:  # noqa: B006 (one set for the process)
    """Warns the first time."""
    if text not in seen:
        seen.add(text)
        warnings.warn(text, stacklevel=4)
