"""Meshes of one device: mappers, composers and collective ops, which leave tensors as they are. NotImplementedError for
meshes of several devices, which open_mesh_device() refuses."""
from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from ttsim.eager import Device, MemoryConfig
from ttsim.eager.surface import call

from .device import MeshShape
from .tensor import Tensor

__all__ = ["ConcatMesh2dToTensor", "ConcatMeshToTensor", "MeshToTensor", "ReplicateTensorToMesh", "ShardTensor2dMesh",
           "ShardTensorToMesh", "TensorToMesh", "aggregate_as_tensor", "all_gather", "all_reduce",
           "combine_device_tensors", "concat_mesh_to_tensor_composer", "distribute", "get_device_tensors",
           "reduce_scatter", "replicate_tensor_to_mesh_mapper", "shard_tensor_to_mesh_mapper"]


class TensorToMesh:
    """How a tensor of torch becomes one of a mesh. For a mesh of one device: the tensor itself."""

    def __init__(self, mesh_device: Device) -> None:
        self.mesh_device = mesh_device


class ReplicateTensorToMesh(TensorToMesh):
    """A copy for each device."""


class ShardTensorToMesh(TensorToMesh):
    """A part along an axis for each device."""

    def __init__(self, mesh_device: Device, dim: int) -> None:
        super().__init__(mesh_device)
        self.dim = dim


class ShardTensor2dMesh(TensorToMesh):
    """Parts along two axes for rows and columns of devices."""

    def __init__(self, mesh_device: Device, mesh_shape: Sequence[int], dims: Sequence[int | None]) -> None:
        super().__init__(mesh_device)
        _one(mesh_shape)
        self.mesh_shape, self.dims = MeshShape(*mesh_shape), tuple(dims)


class MeshToTensor:
    """How a tensor of a mesh becomes one of torch. For a mesh of one device: the tensor itself."""

    def __init__(self, mesh_device: Device) -> None:
        self.mesh_device = mesh_device


class ConcatMeshToTensor(MeshToTensor):
    """The devices' parts along an axis."""

    def __init__(self, mesh_device: Device, dim: int) -> None:
        super().__init__(mesh_device)
        self.dim = dim


class ConcatMesh2dToTensor(MeshToTensor):
    """The devices' parts along two axes."""

    def __init__(self, mesh_device: Device, mesh_shape: Sequence[int], dims: Sequence[int]) -> None:
        super().__init__(mesh_device)
        _one(mesh_shape)
        self.mesh_shape, self.dims = MeshShape(*mesh_shape), tuple(dims)


def _one(mesh_shape: Sequence[int]) -> None:
    if tuple(mesh_shape) != (1, 1):
        raise NotImplementedError(f"ttnn: a mesh has one device here, not {list(mesh_shape)}; open a device for each part with "
                                  "ttnn.open_device(device_id=) and move tensors through the host")


def replicate_tensor_to_mesh_mapper(mesh_device: Device) -> ReplicateTensorToMesh:
    """A copy for each device."""
    return ReplicateTensorToMesh(mesh_device)


def shard_tensor_to_mesh_mapper(mesh_device: Device, dim: int) -> ShardTensorToMesh:
    """A part along an axis for each device."""
    return ShardTensorToMesh(mesh_device, dim)


def concat_mesh_to_tensor_composer(mesh_device: Device, dim: int) -> ConcatMeshToTensor:
    """The devices' parts along an axis."""
    return ConcatMeshToTensor(mesh_device, dim)


def get_device_tensors(tensor: Tensor) -> list[Tensor]:
    """The tensors of the devices: one."""
    return [tensor]


def aggregate_as_tensor(tensors: Sequence[Tensor]) -> Tensor:
    """The reverse of get_device_tensors(). NotImplementedError for several."""
    if len(tensors) != 1:
        raise NotImplementedError(f"ttnn.aggregate_as_tensor: a mesh has one device here; {len(tensors)} tensors are given")
    return tensors[0]


combine_device_tensors = aggregate_as_tensor


@contextlib.contextmanager
def distribute(mapper: Any) -> Iterator[None]:
    """The mapper or composer of the conversions in a block."""
    yield


def _collective(name: str, tensor: Tensor, memory_config: MemoryConfig | None) -> Tensor:
    if not isinstance(tensor, Tensor):
        raise TypeError(f"ttnn.{name}: a ttnn.Tensor is expected, not {type(tensor).__name__}")
    if memory_config is None or memory_config == tensor._memory:
        return tensor
    made: Tensor = call("to_memory_config", f"ttnn.{name}", tensor, memory=memory_config)
    return made


def all_gather(input_tensor: Tensor, dim: int = -1, *, memory_config: MemoryConfig | None = None, **accepted: Any) -> Tensor:
    """The parts of all devices along an axis: of one device the tensor itself."""
    return _collective("all_gather", input_tensor, memory_config)


def all_reduce(input_tensor: Tensor, *args: Any, memory_config: MemoryConfig | None = None, **accepted: Any) -> Tensor:
    """The sum over all devices: of one device the tensor itself."""
    return _collective("all_reduce", input_tensor, memory_config)


def reduce_scatter(input_tensor: Tensor, dim: int = -1, *args: Any, memory_config: MemoryConfig | None = None,
                   **accepted: Any) -> Tensor:
    """The sum over all devices, a part along an axis for each: of one device the tensor itself."""
    return _collective("reduce_scatter", input_tensor, memory_config)
