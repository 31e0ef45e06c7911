"""Constants and small types."""
from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ttsim.eager import BufferType, DataType, Layout, MemoryConfig, Shape, TensorMemoryLayout
from ttsim.eager.cores import (
    CoreCoord,
    CoreGrid,
    CoreRange,
    CoreRangeSet,
    ShardOrientation,
    ShardSpec,
    ShardStrategy,
    core_range_set,
    cores_of_grid,
)
from ttsim.eager.memory import matrix_of
from ttsim.eager.tensor import padded

bfloat16, float32, bfloat8_b, bfloat4_b = DataType.BFLOAT16, DataType.FLOAT32, DataType.BFLOAT8_B, DataType.BFLOAT4_B
uint8, uint16, uint32, int32 = DataType.UINT8, DataType.UINT16, DataType.UINT32, DataType.INT32
ROW_MAJOR_LAYOUT, TILE_LAYOUT = Layout.ROW_MAJOR, Layout.TILE
TILE_SIZE = 32
DRAM_MEMORY_CONFIG = MemoryConfig()
L1_MEMORY_CONFIG = MemoryConfig(buffer_type=BufferType.L1)
L1_BLOCK_SHARDED_MEMORY_CONFIG = MemoryConfig(TensorMemoryLayout.BLOCK_SHARDED, BufferType.L1)
L1_HEIGHT_SHARDED_MEMORY_CONFIG = MemoryConfig(TensorMemoryLayout.HEIGHT_SHARDED, BufferType.L1)
L1_WIDTH_SHARDED_MEMORY_CONFIG = MemoryConfig(TensorMemoryLayout.WIDTH_SHARDED, BufferType.L1)
DefaultQueueId = 0


class StorageType(enum.Enum):
    """Where a tensor is."""
    HOST = 0
    DEVICE = 1


class MathFidelity(enum.Enum):
    """Passes of the multiplier for each product."""
    LoFi = 0
    HiFi2 = 2
    HiFi3 = 3
    HiFi4 = 4


class Topology(enum.Enum):
    """Accepted, without effect."""
    Ring = 0
    Linear = 1
    Mesh = 2
    Torus = 3


@dataclass
class WormholeComputeKernelConfig:
    """`math_fidelity` sets the fidelity of products; the rest has no effect."""
    math_fidelity: MathFidelity = MathFidelity.HiFi4
    math_approx_mode: bool = True
    fp32_dest_acc_en: bool = False
    packer_l1_acc: bool = False
    dst_full_sync_en: bool = False
    throttle_level: Any = None


GrayskullComputeKernelConfig = WormholeComputeKernelConfig
BlackholeComputeKernelConfig = WormholeComputeKernelConfig
DeviceComputeKernelConfig = WormholeComputeKernelConfig


def init_device_compute_kernel_config(arch: Any, *args: Any, **kwargs: Any) -> WormholeComputeKernelConfig:
    """The configuration with these fields."""
    return WormholeComputeKernelConfig(**{key: value for key, value in kwargs.items()
                                          if key in WormholeComputeKernelConfig.__dataclass_fields__})


class UnaryOpType(enum.StrEnum):
    """Activations of UnaryWithParam."""
    RELU = "relu"
    RELU6 = "relu6"
    GELU = "gelu"
    SILU = "silu"
    SIGMOID = "sigmoid"
    TANH = "tanh"
    SQRT = "sqrt"
    EXP = "exp"
    LOG = "log"
    RECIP = "reciprocal"
    ABS = "abs"
    NEG = "neg"
    SQUARE = "square"
    SOFTPLUS = "softplus"
    MISH = "mish"
    HARDSWISH = "hardswish"
    IDENTITY = "identity"


class UnaryWithParam(str):
    """An activation; a parameter such as that of GELU has no effect."""

    def __new__(cls, op_type: UnaryOpType | str, *params: Any) -> UnaryWithParam:
        return super().__new__(cls, op_type.value if isinstance(op_type, UnaryOpType) else op_type)


class _Accepted:
    """A configuration of the vendor's kernels: accepted, without effect."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.args = args
        self.__dict__.update(kwargs)

    def __repr__(self) -> str:
        fields = ", ".join(f"{key}={value!r}" for key, value in self.__dict__.items() if key != "args")
        return f"{type(self).__name__}({fields})"


class SDPAProgramConfig(_Accepted):
    """Accepted, without effect."""


class Conv2dConfig(_Accepted):
    """`activation` is applied to the result; the rest has no effect."""
    activation: str | None = None


class Conv1dConfig(Conv2dConfig):
    """As Conv2dConfig."""


class Conv2dSliceConfig(_Accepted):
    """Accepted, without effect."""


class MatmulMultiCoreReuseProgramConfig(_Accepted):
    """Accepted, without effect."""


class MatmulMultiCoreReuseMultiCastProgramConfig(_Accepted):
    """`fused_activation` is applied to the result; the rest has no effect."""
    fused_activation: Any = None


class MatmulMultiCoreReuseMultiCast1DProgramConfig(MatmulMultiCoreReuseMultiCastProgramConfig):
    """As MatmulMultiCoreReuseMultiCastProgramConfig."""


class MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig(MatmulMultiCoreReuseMultiCastProgramConfig):
    """As MatmulMultiCoreReuseMultiCastProgramConfig."""


class LayerNormDefaultProgramConfig(_Accepted):
    """Accepted, without effect."""


class LayerNormShardedMultiCoreProgramConfig(_Accepted):
    """Accepted, without effect."""


class SoftmaxDefaultProgramConfig(_Accepted):
    """Accepted, without effect."""


class SoftmaxShardedMultiCoreProgramConfig(_Accepted):
    """Accepted, without effect."""


def pad_to_tile_shape(shape: Sequence[int]) -> Shape:
    """The last two sizes, rounded up to multiples of 32."""
    return Shape(padded(shape))


def num_cores_to_corerangeset(target_num_cores: int, grid_size: Any, row_wise: bool = True) -> CoreRangeSet:
    """The first cores of a grid (its size: x columns, y rows), row by row, or column by column."""
    columns, rows = (grid_size.x, grid_size.y) if hasattr(grid_size, "x") else tuple(grid_size)
    if not 0 < target_num_cores <= columns * rows:
        raise ValueError(f"ttnn.num_cores_to_corerangeset: a grid of {columns} x {rows} does not have {target_num_cores} cores")
    if row_wise:
        return cores_of_grid(target_num_cores, columns)
    turned = cores_of_grid(target_num_cores, rows).ranges()
    return CoreRangeSet([CoreRange(CoreCoord(one.start.y, one.start.x), CoreCoord(one.end.y, one.end.x)) for one in turned])


def create_sharded_memory_config(shape: Sequence[int], core_grid: Any, strategy: ShardStrategy,
                                 orientation: ShardOrientation | None = None, *accepted: Any,
                                 use_height_and_width_as_shard_shape: bool = False, **more: Any) -> MemoryConfig:
    """A sharded place in L1. `shape`: of the tensor, or, with use_height_and_width_as_shard_shape, of a shard. `core_grid`:
    a CoreGrid, CoreRange or CoreRangeSet. TypeError and ValueError for other values, and blocks on cores that form no
    rectangle."""
    if not isinstance(strategy, ShardStrategy):
        raise TypeError(f"ttnn.create_sharded_memory_config: strategy is a ttnn.ShardStrategy, not {type(strategy).__name__}")
    cores, order = core_range_set(core_grid), orientation or ShardOrientation.ROW_MAJOR
    rows, columns = matrix_of(tuple(shape))
    if not use_height_and_width_as_shard_shape:
        down = across = cores.num_cores()
        if strategy is ShardStrategy.BLOCK:
            size = cores.bounding_box().grid_size()
            if size.x * size.y != cores.num_cores():
                raise ValueError(f"ttnn.create_sharded_memory_config: blocks are on a rectangle of cores, not on {cores}")
            down, across = (size.y, size.x) if order is ShardOrientation.ROW_MAJOR else (size.x, size.y)
        rows = rows if strategy is ShardStrategy.WIDTH else -(-rows // down)
        columns = columns if strategy is ShardStrategy.HEIGHT else -(-columns // across)
    return MemoryConfig(TensorMemoryLayout[f"{strategy.name}_SHARDED"], BufferType.L1, ShardSpec(cores, (rows, columns), order))


__all__ = ["BlackholeComputeKernelConfig", "BufferType", "Conv1dConfig", "Conv2dConfig", "Conv2dSliceConfig",
           "CoreCoord", "CoreGrid", "CoreRange", "CoreRangeSet", "DRAM_MEMORY_CONFIG", "DataType", "DefaultQueueId",
           "DeviceComputeKernelConfig", "GrayskullComputeKernelConfig", "L1_BLOCK_SHARDED_MEMORY_CONFIG",
           "L1_HEIGHT_SHARDED_MEMORY_CONFIG", "L1_MEMORY_CONFIG", "L1_WIDTH_SHARDED_MEMORY_CONFIG",
           "LayerNormDefaultProgramConfig", "LayerNormShardedMultiCoreProgramConfig", "Layout", "MathFidelity",
           "MatmulMultiCoreReuseMultiCast1DProgramConfig", "MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig",
           "MatmulMultiCoreReuseMultiCastProgramConfig", "MatmulMultiCoreReuseProgramConfig", "MemoryConfig",
           "ROW_MAJOR_LAYOUT", "SDPAProgramConfig", "Shape", "ShardOrientation", "ShardSpec", "ShardStrategy",
           "SoftmaxDefaultProgramConfig", "SoftmaxShardedMultiCoreProgramConfig", "StorageType", "TILE_LAYOUT",
           "TILE_SIZE", "TensorMemoryLayout", "Topology", "UnaryOpType", "UnaryWithParam",
           "WormholeComputeKernelConfig", "bfloat16", "bfloat4_b", "bfloat8_b", "create_sharded_memory_config",
           "float32", "init_device_compute_kernel_config", "int32", "num_cores_to_corerangeset", "pad_to_tile_shape",
           "uint16", "uint32", "uint8"]
