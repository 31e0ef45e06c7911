"""Constants and small types."""
from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any

from ttsim.eager import BufferType, DataType, Layout, MemoryConfig, Shape, TensorMemoryLayout

bfloat16, float32, bfloat8_b, bfloat4_b = DataType.BFLOAT16, DataType.FLOAT32, DataType.BFLOAT8_B, DataType.BFLOAT4_B
uint8, uint16, uint32, int32 = DataType.UINT8, DataType.UINT16, DataType.UINT32, DataType.INT32
ROW_MAJOR_LAYOUT, TILE_LAYOUT = Layout.ROW_MAJOR, Layout.TILE
TILE_SIZE = 32
DRAM_MEMORY_CONFIG = MemoryConfig()
L1_MEMORY_CONFIG = MemoryConfig(buffer_type=BufferType.L1)
L1_BLOCK_SHARDED_MEMORY_CONFIG = MemoryConfig(TensorMemoryLayout.BLOCK_SHARDED, BufferType.L1)
L1_HEIGHT_SHARDED_MEMORY_CONFIG = MemoryConfig(TensorMemoryLayout.HEIGHT_SHARDED, BufferType.L1)
L1_WIDTH_SHARDED_MEMORY_CONFIG = MemoryConfig(TensorMemoryLayout.WIDTH_SHARDED, BufferType.L1)


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


class ShardStrategy(enum.Enum):
    """How a sharded tensor is cut."""
    HEIGHT = 0
    WIDTH = 1
    BLOCK = 2


class ShardOrientation(enum.Enum):
    """Order of shards."""
    ROW_MAJOR = 0
    COL_MAJOR = 1


@dataclass
class WormholeComputeKernelConfig:
    """`math_fidelity` sets the fidelity of products; the rest has no effect."""
    math_fidelity: MathFidelity = MathFidelity.HiFi4
    math_approx_mode: bool = True
    fp32_dest_acc_en: bool = False
    packer_l1_acc: bool = False
    dst_full_sync_en: bool = False


GrayskullComputeKernelConfig = WormholeComputeKernelConfig
BlackholeComputeKernelConfig = WormholeComputeKernelConfig


@dataclass(frozen=True)
class CoreCoord:
    """A core: column and row."""
    x: int
    y: int


@dataclass(frozen=True)
class CoreGrid:
    """A grid of cores."""
    y: int
    x: int

    @property
    def num_cores(self) -> int:
        return self.x * self.y


class _Accepted:
    """A configuration of the vendor's kernels: accepted, without effect."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.args = args
        self.__dict__.update(kwargs)


class SDPAProgramConfig(_Accepted):
    """Accepted, without effect."""


class Conv2dConfig(_Accepted):
    """`activation` is applied to the result; the rest has no effect."""
    activation: str | None = None


class Conv1dConfig(Conv2dConfig):
    """As Conv2dConfig."""


class MatmulMultiCoreReuseMultiCastProgramConfig(_Accepted):
    """Accepted, without effect."""


class MatmulMultiCoreReuseMultiCast1DProgramConfig(_Accepted):
    """Accepted, without effect."""


class LayerNormDefaultProgramConfig(_Accepted):
    """Accepted, without effect."""


class SoftmaxDefaultProgramConfig(_Accepted):
    """Accepted, without effect."""


def init_device_compute_kernel_config(arch: Any, *args: Any, **kwargs: Any) -> WormholeComputeKernelConfig:
    """The configuration with these fields."""
    return WormholeComputeKernelConfig(**{key: value for key, value in kwargs.items()
                                          if key in WormholeComputeKernelConfig.__dataclass_fields__})


def create_sharded_memory_config(shape: Any, core_grid: Any, strategy: ShardStrategy, *args: Any, **kwargs: Any) -> MemoryConfig:
    """A sharded place in L1; the simulator interleaves its pages."""
    return MemoryConfig(TensorMemoryLayout[f"{strategy.name}_SHARDED"], BufferType.L1)


__all__ = [name for name in dir() if not name.startswith("_") and name not in ("annotations", "enum", "dataclass", "Any")]
_ = Shape
