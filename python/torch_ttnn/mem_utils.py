"""What a graph allocates in the L1 of a chip."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.fx import Node

CORES = 120
CORE_BYTES = 1 << 20
RESERVED_BYTES = 20 << 20


def manager_of(option: Any, device: Any) -> MemoryManager:
    """With the limits of the public project (120 cores), or with option.device_memory those of the simulated device."""
    if not option.device_memory:
        return MemoryManager(CORES * CORE_BYTES, RESERVED_BYTES)
    from ttsim._ttsim import DeviceMemory
    return MemoryManager(int(device.open_session("torch_ttnn").memory(DeviceMemory.L1).total), 0)


class MemoryManager:
    """Sizes in bytes: elements times bytes of an element, without padding of tiles. Tensors have ids from 1."""

    def __init__(self, total: int = CORES * CORE_BYTES, reserved: int = RESERVED_BYTES) -> None:
        self.total_sram_limit = total
        self.usable_sram_limit = total - reserved
        self.used_sram = 0
        self.free_sram = self.usable_sram_limit
        self.peak_sram_usage = 0
        self.tensors_on_device: list[int] = []
        self.tensor_size_of: dict[int, int] = {}
        self.node_to_tid_map: dict[Node, int] = {}
        self.tids_in_sram_at: dict[Node, list[int]] = {}
        self.sram_usage_at: dict[Node, int] = {}
        self.ops_mem_usage: dict[Node, int] = {}
        self.data_points: dict[str, list[tuple[int, int]]] = {}
        self.logs: list[str] = []
        self._live: dict[Node, None] = {}
        self._own: dict[Node, list[Node]] = {}
        self._live_at: dict[Node, list[Node]] = {}

    def size_of(self, node: Node) -> int:
        """Bytes of a tensor."""
        return self.tensor_size_of[self.node_to_tid_map[node]]

    def allocate(self, node: Node) -> None:
        """A second time does nothing."""
        if node in self._live:
            return
        tid = self.node_to_tid_map.setdefault(node, len(self.node_to_tid_map) + 1)
        value: torch.Tensor = node.meta["val"]
        whole = not value.dtype.is_floating_point and value.dtype != torch.bool
        self.tensor_size_of[tid] = value.numel() * (4 if whole else 2)
        self._live[node] = None
        self.tensors_on_device.append(tid)
        self._use(self.tensor_size_of[tid])
        self.logs.append(f"{node.name}: tensor {tid} of {self.tensor_size_of[tid]} bytes allocated")

    def free(self, node: Node) -> None:
        """A tensor that is not there is no error."""
        if node in self._live:
            del self._live[node]
            tid = self.node_to_tid_map[node]
            self.tensors_on_device.remove(tid)
            self._use(-self.tensor_size_of[tid])
            self.logs.append(f"{node.name}: tensor {tid} freed")

    def _use(self, size: int) -> None:
        self.used_sram += size
        self.free_sram = self.usable_sram_limit - self.used_sram
        self.peak_sram_usage = max(self.peak_sram_usage, self.used_sram)

    def record(self, node: Node, operands: Sequence[Node]) -> None:
        """What is there while a call runs."""
        self.tids_in_sram_at[node] = list(self.tensors_on_device)
        self.sram_usage_at[node] = self.used_sram
        self._own[node] = [one for one in (*operands, node) if one in self._live]
        self._live_at[node] = list(self._live)
        self.ops_mem_usage[node] = sum(self.size_of(one) for one in self._own[node])
        key = str((node, self.node_to_tid_map.get(node, 0)))
        self.data_points[key] = [(tid, self.tensor_size_of[tid]) for tid in self.tensors_on_device]

    def finish(self) -> None:
        """Frees what is left."""
        for node in list(self._live):
            self.free(node)

    def has_sram_overflow(self) -> bool:
        """Whether some call needs as much as is usable, or more."""
        return any(size >= self.usable_sram_limit for size in self.sram_usage_at.values())

    def first_overflow(self) -> tuple[Node, list[Node], list[Node]]:
        """The first such call, the tensors that are there, and those that it uses. LookupError if there is none."""
        for node, size in self.sram_usage_at.items():
            if size >= self.usable_sram_limit:
                return node, self._live_at[node], self._own[node]
        raise LookupError("no call needs more than there is")

    def max_evictions_required(self) -> int:
        """Most tensors that are there during one call and that it does not use."""
        return max((len(self._live_at[node]) - len(self._own[node]) for node, size in self.sram_usage_at.items()
                    if size >= self.usable_sram_limit), default=0)
