"""Places of buffers."""
from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any


class BufferType(enum.Enum):
    """The memory of a buffer."""
    DRAM = 0
    L1 = 1
    SYSTEM_MEMORY = 2
    L1_SMALL = 3
    TRACE = 4


class TensorMemoryLayout(enum.Enum):
    """How pages are distributed. Sharded layouts are accepted; the simulator interleaves their pages."""
    INTERLEAVED = 0
    SINGLE_BANK = 1
    HEIGHT_SHARDED = 2
    WIDTH_SHARDED = 3
    BLOCK_SHARDED = 4


@dataclass(frozen=True)
class MemoryConfig:
    """Where an op places its result."""
    memory_layout: TensorMemoryLayout = TensorMemoryLayout.INTERLEAVED
    buffer_type: BufferType = BufferType.DRAM
    shard_spec: Any = None

    def is_sharded(self) -> bool:
        return self.memory_layout not in (TensorMemoryLayout.INTERLEAVED, TensorMemoryLayout.SINGLE_BANK)

    @property
    def in_l1(self) -> bool:
        return self.buffer_type in (BufferType.L1, BufferType.L1_SMALL)

    def __repr__(self) -> str:
        return (f"MemoryConfig(memory_layout=TensorMemoryLayout.{self.memory_layout.name},"
                f"buffer_type=BufferType.{self.buffer_type.name},shard_spec={self.shard_spec})")


DRAM = MemoryConfig()
L1 = MemoryConfig(buffer_type=BufferType.L1)
