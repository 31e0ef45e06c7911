"""Tensors."""
from __future__ import annotations

from typing import Any

import torch

from ttsim.eager import BufferType, DataType, Device, EagerTensor, Layout, MemoryConfig, Shape, TensorMemoryLayout
from ttsim.eager.config import observe
from ttsim.eager.cores import ShardOrientation, ShardSpec
from ttsim.eager.surface import call
from ttsim.eager.tensor import padded

from .types import StorageType


class Tensor(EagerTensor):
    """A tensor of rank 1 to 8 on the host or a device. Made by from_torch() and by ops; Tensor(values, dtype) takes values
    of torch, Tensor(numbers, shape, dtype, layout, device) a flat list."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if "data_type" in kwargs:
            kwargs["dtype"] = kwargs.pop("data_type")
        if args and isinstance(args[0], list):
            numbers, shape, *rest = args
            names = dict(zip(("dtype", "layout", "device", "memory_config"), rest)) | kwargs
            args, kwargs = (torch.tensor(numbers).reshape(tuple(shape)), names.pop("dtype", DataType.BFLOAT16)), names
        if args and isinstance(args[0], torch.Tensor):
            made = from_torch(*args, **kwargs)
            super().__init__(made._shape, made._dtype, made._layout, host=made._host, device=made._device,
                             buffer=made._buffer, memory=made._memory)
            made._buffer = None
            return
        super().__init__(*args, **kwargs)

    @property
    def shape(self) -> Shape:
        """The logical shape."""
        return self._shape

    @property
    def padded_shape(self) -> Shape:
        """The shape in memory: in TILE layout with whole tiles."""
        return Shape(padded(self._shape)) if self._layout is Layout.TILE else self._shape

    @property
    def dtype(self) -> DataType:
        return self._dtype

    @property
    def layout(self) -> Layout:
        return self._layout

    def get_legacy_shape(self) -> Shape:
        """As padded_shape."""
        return self.padded_shape

    def get_dtype(self) -> DataType:
        return self._dtype

    def get_layout(self) -> Layout:
        return self._layout

    def storage_type(self) -> StorageType:
        """On the host or on a device."""
        return StorageType.DEVICE if self.on_device else StorageType.HOST

    def memory_config(self) -> MemoryConfig:
        """Its place on a device. RuntimeError on the host."""
        self.buffer_of("ttnn.Tensor.memory_config")
        return self._memory

    def is_sharded(self) -> bool:
        """Whether it is in shards."""
        return self.on_device and self._memory.is_sharded()

    def shard_spec(self) -> ShardSpec | None:
        """Cores and shape of its shards; None: it has none."""
        return self._memory.shard_spec if self.on_device else None

    @property
    def tile(self) -> tuple[int, int]:
        """Rows and columns of a tile."""
        return 32, 32

    def squeeze(self, dim: int | None = None) -> Tensor:
        """Without axes of size 1."""
        made: Tensor = call("squeeze", "ttnn.squeeze", self, dim)
        return made

    def unsqueeze(self, dim: int) -> Tensor:
        """With a new axis of size 1."""
        made: Tensor = call("unsqueeze", "ttnn.unsqueeze", self, dim)
        return made

    def pad_to_tile(self, value: float = 0.0) -> Tensor:
        """Rows and columns filled at the end to multiples of 32."""
        pads = [(0, new - old) for old, new in zip(self._shape, padded(self._shape), strict=True)]
        made: Tensor = call("pad", "ttnn.pad", self, pads, value)
        return made

    def unpad_from_tile(self, shape: Any) -> Tensor:
        """The reverse: the first elements of each axis."""
        made: Tensor = call("slice", "ttnn.slice", self, [0] * len(shape), list(shape))
        return made

    def device(self) -> Device | None:
        """Its device; None: it is on the host."""
        return self._device

    def buffer_address(self) -> int:
        """Address in each bank, in bytes. RuntimeError on the host."""
        return int(self.buffer_info().address)

    def deallocate(self, force: bool = False) -> None:
        """As ttnn.deallocate(), which frees by force unless told otherwise."""
        deallocate(self, force)

    def volume(self) -> int:
        """Number of elements."""
        return self._shape.volume()

    logical_volume = volume

    def element_size(self) -> int:
        """Bytes of an element."""
        return max(1, self._dtype.kind.bits // 8)

    def to_torch(self) -> torch.Tensor:
        """As ttnn.to_torch()."""
        return to_torch(self)

    def cpu(self, blocking: bool = True) -> Tensor:
        """A copy on the host."""
        return from_device(self)

    def to(self, target: Any, memory_config: MemoryConfig | None = None) -> Tensor:
        """On a device, or in a layout."""
        if isinstance(target, Layout):
            return to_layout(self, target)
        return to_device(self, target, memory_config=memory_config)

    def item(self) -> float | int:
        """The only element. ValueError for several."""
        return to_torch(self).item()

    def to_list(self) -> Any:
        """The elements as nested lists."""
        return to_torch(self).tolist()

    def reshape(self, *shape: Any) -> Tensor:
        """In another shape."""
        given = shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape
        made: Tensor = call("reshape", "ttnn.reshape", self, tuple(int(one) for one in given))
        return made

    def __len__(self) -> int:
        return self._shape[0]

    def __getitem__(self, index: Any) -> Tensor:
        given = index if isinstance(index, tuple) else (index,)
        parts = tuple(("slice", one.start, one.stop, one.step) if isinstance(one, slice) else one for one in given)
        made: Tensor = call("getitem", "ttnn.getitem", self, parts)
        return made

    def __repr__(self) -> str:
        if not self.is_allocated():
            return f"ttnn.Tensor({self.summary()}: no values)"
        values = self.peek("repr")
        text = str(values).removeprefix("tensor(").rsplit(")", 1)[0]
        return f"ttnn.Tensor({text}, shape={self._shape!r}, dtype={self._dtype!r}, layout={self._layout!r})"

    def __add__(self, other: Any) -> Tensor:
        return _binary("add", self, other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Tensor:
        return _binary("subtract", self, other)

    def __rsub__(self, other: Any) -> Tensor:
        return _binary("rsub", self, other)

    def __mul__(self, other: Any) -> Tensor:
        return _binary("multiply", self, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Tensor:
        return _binary("divide", self, other)

    def __rtruediv__(self, other: Any) -> Tensor:
        return _binary("rdiv", self, other)

    def __pow__(self, other: Any) -> Tensor:
        return _binary("pow", self, other)

    def __matmul__(self, other: Any) -> Tensor:
        return _binary("matmul", self, other)

    def __abs__(self) -> Tensor:
        made: Tensor = call("abs", "ttnn.abs", self)
        return made

    def __neg__(self) -> Tensor:
        made: Tensor = call("neg", "ttnn.neg", self)
        return made

    def __eq__(self, other: Any) -> Any:
        return _binary("eq", self, other) if isinstance(other, (Tensor, int, float)) else NotImplemented

    def __ne__(self, other: Any) -> Any:
        return _binary("ne", self, other) if isinstance(other, (Tensor, int, float)) else NotImplemented

    def __lt__(self, other: Any) -> Tensor:
        return _binary("lt", self, other)

    def __le__(self, other: Any) -> Tensor:
        return _binary("le", self, other)

    def __gt__(self, other: Any) -> Tensor:
        return _binary("gt", self, other)

    def __ge__(self, other: Any) -> Tensor:
        return _binary("ge", self, other)

    __hash__ = object.__hash__


def _binary(name: str, a: Tensor, b: Any) -> Tensor:
    if not isinstance(b, (EagerTensor, int, float)):
        raise TypeError(f"ttnn.{name}: an operand is a tensor or a number, not {type(b).__name__}; convert it with "
                        "ttnn.from_torch(x, layout=ttnn.TILE_LAYOUT, device=device)")
    made: Tensor = call(name, f"ttnn.{name}", a, b)
    return made


def _tensor(who: str, value: Any) -> Tensor:
    if not isinstance(value, Tensor):
        raise TypeError(f"{who}: a ttnn.Tensor is expected, not {type(value).__name__}")
    return value


def from_torch(tensor: torch.Tensor, dtype: DataType | None = None, *, layout: Layout | None = None,
               device: Device | None = None, memory_config: MemoryConfig | None = None, mesh_mapper: Any = None,
               spec: Any = None, pad_value: float | None = None, tile: Any = None, cq_id: Any = None) -> Tensor:
    """A tensor of values of torch, on the host or a device. `dtype`: by default that of the values. `layout`: ROW_MAJOR by
    default; block floats are TILE. TypeError and ValueError for values without elements or of an unknown type."""
    if not isinstance(tensor, torch.Tensor):
        raise TypeError(f"ttnn.from_torch: a torch tensor is expected, not {type(tensor).__name__}")
    if tensor.numel() == 0:
        raise ValueError(f"ttnn.from_torch: a tensor of {list(tensor.shape)} has no elements")
    from ttsim.eager.dtypes import of_torch
    kind = dtype or of_torch(tensor.dtype)
    if not isinstance(kind, DataType):
        raise TypeError(f"ttnn.from_torch: dtype is a DataType such as ttnn.bfloat16, not {type(kind).__name__}")
    layout = layout or (Layout.TILE if kind.is_block_float else Layout.ROW_MAJOR)
    made: Tensor = Tensor.from_host(tensor, kind, layout)
    return made if device is None else to_device(made, device, memory_config=memory_config)


def as_tensor(tensor: Any, dtype: DataType | None = None, *, layout: Layout | None = None, device: Device | None = None,
              memory_config: MemoryConfig | None = None, cache_file_name: Any = None, preprocess: Any = None,
              mesh_mapper: Any = None, use_device_tilizer: bool = False) -> Tensor:
    """As from_torch(), after `preprocess`. `cache_file_name` has no effect."""
    return from_torch(preprocess(tensor) if preprocess else tensor, dtype, layout=layout, device=device, memory_config=memory_config)


def to_torch(tensor: Tensor, dtype: torch.dtype | None = None, *, torch_rank: int | None = None, mesh_composer: Any = None,
             device: Any = None, cq_id: Any = None) -> torch.Tensor:
    """The values, without padding: bfloat16 and float32 as such, block floats in float32, integers in the smallest type of
    torch that holds them. Of a device: waits for it, and costs a transfer. `torch_rank`: leading axes of size 1 are
    removed down to it."""
    held = from_device(_tensor("ttnn.to_torch", tensor)).host_values("ttnn.to_torch").clone()
    while torch_rank is not None and held.dim() > torch_rank:
        if held.shape[0] != 1:
            raise RuntimeError(f"ttnn.to_torch: {list(held.shape)} cannot have rank {torch_rank}")
        held = held.squeeze(0)
    return held if dtype is None else held.to(dtype)


def to_device(tensor: Tensor, device: Device, memory_config: MemoryConfig | None = None, cq_id: Any = None) -> Tensor:
    """A copy on a device; the tensor itself if it is there."""
    observe("begin", "ttnn.to_device", [tensor])
    made: Tensor = _tensor("ttnn.to_device", tensor).to_device(device, memory_config, "ttnn.to_device")
    made = made.held_again() if made is tensor else made
    observe("write", "Tensor::to_device", made)
    observe("end", "ttnn.to_device", made)
    return made


def from_device(tensor: Tensor, blocking: bool = True, cq_id: Any = None) -> Tensor:
    """A copy on the host; the tensor itself if it is there."""
    _tensor("ttnn.from_device", tensor)
    if tensor.on_device:
        observe("read", "Tensor::cpu", tensor)
    made: Tensor = tensor.to_host("ttnn.from_device")
    return made


def to_layout(tensor: Tensor, layout: Layout, dtype: DataType | None = None, memory_config: MemoryConfig | None = None,
              device: Any = None) -> Tensor:
    """In another layout; the tensor itself if it has it. On the device it is a data movement op."""
    _tensor("ttnn.to_layout", tensor)
    if not isinstance(layout, Layout):
        raise TypeError(f"ttnn.to_layout: a layout such as ttnn.TILE_LAYOUT is expected, not {type(layout).__name__}")
    if tensor._layout is layout and dtype in (None, tensor._dtype) and memory_config is None:
        same: Tensor = tensor.held_again()
        return same
    made: Tensor = call("to_layout", "ttnn.to_layout", tensor, layout=layout, dtype=dtype, memory=memory_config or tensor._memory)
    return made


def to_dtype(tensor: Tensor, dtype: DataType) -> Tensor:
    """A tensor on the host in another element type."""
    held = _tensor("ttnn.to_dtype", tensor).host_values("ttnn.to_dtype")
    layout = Layout.TILE if dtype.is_block_float else tensor._layout
    made: Tensor = Tensor.from_host(held, dtype, layout)
    return made


def typecast(tensor: Tensor, dtype: DataType, *args: Any, memory_config: MemoryConfig | None = None, **kwargs: Any) -> Tensor:
    """In another element type; floats to integers without their fraction."""
    if isinstance(args[0] if args else None, DataType):
        dtype = args[0]
    _tensor("ttnn.typecast", tensor)
    if not isinstance(dtype, DataType):
        raise TypeError(f"ttnn.typecast: dtype is a DataType such as ttnn.bfloat16, not {type(dtype).__name__}")
    if not tensor.on_device:
        return to_dtype(tensor, dtype)
    layout = Layout.TILE if dtype.is_block_float else None
    made: Tensor = call("to_layout", "ttnn.typecast", tensor, dtype=dtype, memory=memory_config, layout=layout)
    return made


def to_memory_config(tensor: Tensor, memory_config: MemoryConfig, dtype: DataType | None = None, **kwargs: Any) -> Tensor:
    """In another memory; the tensor itself if it is there."""
    _tensor("ttnn.to_memory_config", tensor)
    if tensor.on_device and tensor._memory == memory_config and dtype in (None, tensor._dtype):
        same: Tensor = tensor.held_again()
        return same
    made: Tensor = call("to_memory_config", "ttnn.to_memory_config", tensor, memory=memory_config, dtype=dtype)
    return made


def interleaved_to_sharded(input_tensor: Tensor, *place: Any, sharded_memory_config: MemoryConfig | None = None,
                           output_dtype: DataType | None = None, **accepted: Any) -> Tensor:
    """In shards in L1. The place: a sharded MemoryConfig, or cores (CoreGrid, CoreRangeSet), the shape of a shard, a
    TensorMemoryLayout and a ShardOrientation. TypeError for another place."""
    who = "ttnn.interleaved_to_sharded"
    config = sharded_memory_config or (place[0] if place and isinstance(place[0], MemoryConfig) else None)
    if config is None:
        given: list[Any] = [accepted.get(name) for name in ("grid", "shard_shape", "shard_scheme", "shard_orientation")]
        given[:len(place[:4])] = place[:4]
        grid, shape, scheme, order = given
        if not isinstance(scheme, TensorMemoryLayout):
            raise TypeError(f"{who}: the place is a sharded MemoryConfig, or cores, shape, TensorMemoryLayout and ShardOrientation")
        config = MemoryConfig(scheme, BufferType.L1, ShardSpec(grid, shape, order or ShardOrientation.ROW_MAJOR))
    if not config.is_sharded():
        raise TypeError(f"{who}: {config} is not sharded; make one with ttnn.create_sharded_memory_config()")
    made: Tensor = call("interleaved_to_sharded", who, _tensor(who, input_tensor), memory=config, dtype=output_dtype)
    return made


def sharded_to_interleaved(input_tensor: Tensor, memory_config: MemoryConfig | None = None,
                           output_dtype: DataType | None = None, **accepted: Any) -> Tensor:
    """Dealt over the banks of a memory, by default DRAM."""
    who = "ttnn.sharded_to_interleaved"
    made: Tensor = call("sharded_to_interleaved", who, _tensor(who, input_tensor), memory=memory_config or MemoryConfig(),
                        dtype=output_dtype)
    return made


def reshard(input_tensor: Tensor, output_memory_config: MemoryConfig, **accepted: Any) -> Tensor:
    """In other shards."""
    made: Tensor = call("reshard", "ttnn.reshard", _tensor("ttnn.reshard", input_tensor), memory=output_memory_config)
    return made


def get_memory_config(tensor: Tensor) -> MemoryConfig | None:
    """Its place on a device; None: it is on the host."""
    return tensor._memory if tensor.on_device else None


def is_sharded(tensor: Tensor) -> bool:
    """Whether it is in shards."""
    return tensor.is_sharded()


def has_storage_type_of(tensor: Tensor, storage_type: StorageType) -> bool:
    """Whether it is there."""
    return tensor.storage_type() is storage_type


def dump_tensor(file_name: Any, tensor: Tensor, **accepted: Any) -> None:
    """Writes values, element type and layout to a file, which load_tensor() reads. Of a device: costs a transfer."""
    torch.save({"values": to_torch(tensor), "dtype": tensor._dtype.name, "layout": tensor._layout.name}, file_name)


def load_tensor(file_name: Any, *, device: Device | None = None) -> Tensor:
    """A tensor from a file of dump_tensor(), on the host or a device. ValueError for another file."""
    held = torch.load(file_name, weights_only=True)
    if not isinstance(held, dict) or set(held) != {"values", "dtype", "layout"}:
        raise ValueError(f"ttnn.load_tensor: {file_name} is no file of ttnn.dump_tensor()")
    return from_torch(held["values"], DataType[held["dtype"]], layout=Layout[held["layout"]], device=device)


def deallocate(tensor: Tensor, force: bool = True) -> None:
    """Frees the memory of a tensor; a second call does nothing. Without `force` it stays for results that are the same
    tensor: ops in place return their operand, and so do to_layout(), to_device() and to_memory_config() if there is
    nothing to do."""
    _tensor("ttnn.deallocate", tensor)
    if not force and tensor.holders > 1:
        tensor.holders -= 1
        return
    observe("free", "ttnn.deallocate", tensor)
    tensor.free()


def reallocate(tensor: Tensor, memory_config: MemoryConfig | None = None) -> Tensor:
    """A copy in the lowest free memory; the tensor itself is deallocated."""
    made: Tensor = call("move", "ttnn.reallocate", tensor, memory=memory_config or tensor._memory)
    deallocate(tensor)
    return made


def is_tensor_storage_on_device(tensor: Tensor) -> bool:
    """Whether it is on a device."""
    return tensor.on_device


def allocate_tensor_on_device(shape: Any, dtype: DataType, layout: Layout, device: Device,
                              memory_config: MemoryConfig | None = None) -> Tensor:
    """Zeros on a device."""
    made: Tensor = Tensor.from_host(torch.zeros(tuple(shape)), dtype, layout).to_device(device, memory_config)
    return made


def copy_host_to_device_tensor(host: Tensor, device_tensor: Tensor, cq_id: Any = 0) -> None:
    """Writes the values of a tensor on the host into one on a device. ValueError for another shape or type."""
    if (host._shape, host._dtype) != (device_tensor._shape, device_tensor._dtype):
        raise ValueError(f"ttnn.copy_host_to_device_tensor: {host.summary()} does not fit {device_tensor.summary()}")
    device_tensor.buffer_of("ttnn.copy_host_to_device_tensor")
    assert device_tensor._device is not None
    made = host.to_device(device_tensor._device, device_tensor._memory)
    observe("write", "ttnn.copy_host_to_device_tensor", made)
    device_tensor.take_memory(made)


__all__ = ["Tensor", "allocate_tensor_on_device", "as_tensor", "copy_host_to_device_tensor", "deallocate", "dump_tensor",
           "from_device", "from_torch", "get_memory_config", "has_storage_type_of", "interleaved_to_sharded", "is_sharded",
           "is_tensor_storage_on_device", "load_tensor", "reallocate", "reshard", "sharded_to_interleaved", "to_device",
           "to_dtype", "to_layout", "to_memory_config", "to_torch", "typecast"]
