"""Analysis of the memory that a graph needs, and eviction of tensors to the host."""
from __future__ import annotations

import operator
from typing import Any, cast

import torch
import ttnn
from torch.fx import GraphModule, Node
from torch.fx.passes.infra.pass_base import PassBase, PassResult

from ..mem_utils import MemoryManager, manager_of
from ..utils import TtnnDevice
from .lowering.add_data_move_pass import is_device_node


def _on_device(node: Node) -> bool:
    return is_device_node(node) and isinstance(node.meta.get("val"), torch.Tensor) and node.target is not ttnn.from_device


def walk(gm: GraphModule, manager: MemoryManager) -> None:
    """Allocates inputs when first met, then the output; frees what has no later user on the device."""
    order = {node: place for place, node in enumerate(gm.graph.nodes)}

    def last(node: Node) -> int:
        return max((order[user] for user in node.users if is_device_node(user) and user.target is not ttnn.deallocate),
                   default=-1)
    for node in gm.graph.nodes:
        if node.op != "call_function" or node.target in (ttnn.deallocate, operator.getitem) or not is_device_node(node):
            continue
        operands = [one for one in node.all_input_nodes if _on_device(one)]
        for one in operands:
            manager.allocate(one)
        if _on_device(node):
            manager.allocate(node)
        manager.record(node, operands)
        for one in (*operands, node):
            if last(one) <= order[node]:
                manager.free(one)
    manager.finish()


class MemoryPass(PassBase):
    """Sets option.memory_manager."""

    def __init__(self, option: Any, device: Any) -> None:
        super().__init__()
        self.option, self.device = option, device

    def call(self, gm: GraphModule) -> PassResult:
        self.option.memory_manager = manager_of(self.option, self.device)
        walk(gm, self.option.memory_manager)
        return PassResult(gm, False)


class EvictionPass(PassBase):
    """While a call does not fit, moves the largest tensors that it does not use to the host and back."""

    def __init__(self, option: Any, device: Any) -> None:
        super().__init__()
        self.option, self.device = option, device

    def call(self, gm: GraphModule) -> PassResult:
        modified = False
        for _ in range(self.option.memory_manager.max_evictions_required() + len(gm.graph.nodes)):
            manager = self.option.memory_manager
            if not manager.has_sram_overflow() or not self._evict(gm, manager):
                break
            modified = True
            MemoryPass(self.option, self.device)(gm)
        if modified:
            gm.graph.lint()
            gm.recompile()
        return PassResult(gm, modified)

    def _evict(self, gm: GraphModule, manager: MemoryManager) -> bool:
        node, live, own = manager.first_overflow()
        over = sum(manager.size_of(one) for one in live) - manager.usable_sram_limit
        if sum(manager.size_of(one) for one in own) >= manager.usable_sram_limit:
            manager.logs.append(f"{node.name}: its own operands do not fit")
            return False
        order = {one: place for place, one in enumerate(gm.graph.nodes)}
        moved = False
        for one in sorted((one for one in live if one not in own), key=manager.size_of, reverse=True):
            if over < 0:
                break
            later = [user for user in one.users if order[user] > order[node] and user.target is not ttnn.deallocate]
            if later and one.target is not ttnn.to_device:
                self._move(gm, one, node, order)
                over -= manager.size_of(one)
                moved = True
        return moved

    def _move(self, gm: GraphModule, one: Node, node: Node, order: dict[Node, int]) -> None:
        with gm.graph.inserting_before(node):
            away = gm.graph.call_function(ttnn.from_device, (one,))
        later = [user for user in one.users if order.get(user, -1) > order[node] and user.target is not ttnn.deallocate]
        with gm.graph.inserting_before(min(later, key=lambda user: order[user])):
            back = gm.graph.call_function(ttnn.to_device, (away,), {"device": cast(Any, TtnnDevice())})
        for made in (away, back):
            made.meta = {"val": one.meta["val"]}
        for user in later:
            user.replace_input_with(one, back)
        for user in [user for user in one.users if user.target is ttnn.deallocate]:
            user.replace_input_with(one, back)
        with gm.graph.inserting_after(away):
            free = gm.graph.call_function(ttnn.deallocate, (one,))
        free.meta = {"val": None}
