"""Places of buffers."""
from __future__ import annotations

import enum
import math
from collections.abc import Sequence
from dataclasses import dataclass

from .cores import CoreGrid, ShardSpec, core_range_set, cores_of_grid

_TILE = 32


class BufferType(enum.Enum):
    """The memory of a buffer."""
    DRAM = 0
    L1 = 1
    SYSTEM_MEMORY = 2
    L1_SMALL = 3
    TRACE = 4


class TensorMemoryLayout(enum.Enum):
    """How pages are distributed: over all banks, or in shards, each in the L1 of one core."""
    INTERLEAVED = 0
    SINGLE_BANK = 1
    HEIGHT_SHARDED = 2
    WIDTH_SHARDED = 3
    BLOCK_SHARDED = 4


@dataclass(frozen=True)
class MemoryConfig:
    """Where an op places its result. A sharded one without `shard_spec` takes as many cores as there are parts of whole
    tiles, from the first core on. Shards in DRAM are interleaved."""
    memory_layout: TensorMemoryLayout = TensorMemoryLayout.INTERLEAVED
    buffer_type: BufferType = BufferType.DRAM
    shard_spec: ShardSpec | None = None

    def is_sharded(self) -> bool:
        """Whether its pages are in shards."""
        return self.memory_layout not in (TensorMemoryLayout.INTERLEAVED, TensorMemoryLayout.SINGLE_BANK)

    @property
    def in_l1(self) -> bool:
        return self.buffer_type in (BufferType.L1, BufferType.L1_SMALL)

    def __repr__(self) -> str:
        return (f"MemoryConfig(memory_layout=TensorMemoryLayout.{self.memory_layout.name},"
                f"buffer_type=BufferType.{self.buffer_type.name},shard_spec={self.shard_spec})")


DRAM = MemoryConfig()
L1 = MemoryConfig(buffer_type=BufferType.L1)


def matrix_of(shape: Sequence[int]) -> tuple[int, int]:
    """Rows and columns of a tensor: all axes but the last are its rows."""
    return math.prod(shape[:-1]), shape[-1] if shape else 1


def placed(who: str, memory: MemoryConfig, shape: Sequence[int], tiled: bool, grid: tuple[int, int]) -> MemoryConfig:
    """The config with a shard spec if it is sharded in L1. `tiled`: in TILE layout. `grid`: columns and rows of cores.
    ValueError for shards that do not hold the tensor, cores outside the grid, and parts of tiles."""
    if not memory.is_sharded() or not memory.in_l1:
        return memory
    rows, columns = _padded(shape) if tiled else matrix_of(shape)
    spec = memory.shard_spec or _even(memory.memory_layout, rows, columns, _TILE if tiled else 1, grid)
    if tiled and (spec.shape[0] % _TILE or spec.shape[1] % _TILE):
        raise ValueError(f"{who}: in TILE layout rows and columns of a shard are multiples of {_TILE}, not {list(spec.shape)}")
    outside = [core for core in spec.cores() if core.x >= grid[0] or core.y >= grid[1]]
    if outside:
        raise ValueError(f"{who}: the core {outside[0]} is outside of the device's grid of {grid[0]} x {grid[1]} cores")
    down, across = -(-rows // spec.shape[0]), -(-columns // spec.shape[1])
    if down * across > spec.num_cores():
        raise ValueError(f"{who}: {list(shape)} in shards of {list(spec.shape)} has {down * across} of them, for "
                         f"{spec.num_cores()} cores; use larger shards or more cores")
    if (memory.memory_layout is TensorMemoryLayout.HEIGHT_SHARDED and across > 1) or \
            (memory.memory_layout is TensorMemoryLayout.WIDTH_SHARDED and down > 1):
        raise ValueError(f"{who}: a {memory.memory_layout.name} shard of {list(spec.shape)} does not hold whole "
                         f"{'rows' if across > 1 else 'columns'} of {list(shape)}")
    return MemoryConfig(memory.memory_layout, memory.buffer_type, spec)


def _padded(shape: Sequence[int]) -> tuple[int, int]:
    """Rows and columns in whole tiles."""
    rows = shape[-2] if len(shape) > 1 else 1
    return math.prod(shape[:-2]) * -(-rows // _TILE) * _TILE, -(-shape[-1] // _TILE) * _TILE


def _even(layout: TensorMemoryLayout, rows: int, columns: int, unit: int, grid: tuple[int, int]) -> ShardSpec:
    """Shards of whole units over as many cores as they fill."""
    def part(size: int, cores: int) -> int:
        return -(-size // unit // cores) * unit if size > unit else size
    if layout is TensorMemoryLayout.BLOCK_SHARDED:
        shape = part(rows, grid[1]), part(columns, grid[0])
        down, across = -(-rows // shape[0]), -(-columns // shape[1])
        return ShardSpec(core_range_set(CoreGrid(y=down, x=across)), shape)
    all_cores = grid[0] * grid[1]
    by_rows = layout is TensorMemoryLayout.HEIGHT_SHARDED
    shape = (part(rows, all_cores), columns) if by_rows else (rows, part(columns, all_cores))
    count = -(-rows // shape[0]) if by_rows else -(-columns // shape[1])
    return ShardSpec(cores_of_grid(count, grid[0]), shape)
