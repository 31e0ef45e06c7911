"""Which ops run on the device: at most [host before][device][host behind].

An op that the device does not take goes to the host with all that leads to it or with all that follows, whichever is
less."""
from __future__ import annotations

import operator
from collections.abc import Callable, Iterable

from torch.fx import Node


def unit(node: Node) -> Node:
    """Results of an op with several go where it goes."""
    while node.target is operator.getitem:
        whole = node.args[0]
        assert isinstance(whole, Node), f"{node} takes a part of what is no node"
        node = whole
    return node


class Placement:
    """`ops`: those to place, in the order of the graph."""

    def __init__(self, ops: list[Node]) -> None:
        self._order = ops
        self._ops = {node for node in ops if unit(node) is node}
        self.before: set[Node] = set()
        self.behind: set[Node] = set()
        self.reasons: dict[Node, str] = {}  # of those that went to the host for themselves
        self.causes: dict[Node, Node] = {}  # of the others: for which one

    def to_host(self, node: Node, reason: str) -> None:
        node = unit(node)
        self.reasons.setdefault(node, reason)
        if node in self.before or node in self.behind:
            return
        lead = self._reach(node, lambda one: one.all_input_nodes) - self.before
        rest = self._reach(node, _readers) - self.behind
        side, moved = (self.before, lead) if len(lead) <= len(rest) else (self.behind, rest)
        side |= moved
        for one in moved:
            self.causes.setdefault(one, node)

    def peel(self, wanted: Callable[[Node], bool], depth: int, reason: str) -> None:
        """Ops that `wanted` takes go to the host at both ends, up to `depth` behind each other, where nothing of the
        device stands between; not if the device were left without ops."""
        before = self._layers(self.device, lambda one: one.all_input_nodes, wanted, depth)
        rest = [node for node in reversed(self.device) if node not in before]
        behind = self._layers(rest, _readers, wanted, depth)
        if all(unit(node) in before or unit(node) in behind for node in self.device):
            return
        self.before |= before
        self.behind |= behind
        for node in before | behind:
            self.reasons.setdefault(node, reason)

    def _layers(self, order: list[Node], step: Callable[[Node], Iterable[Node]], wanted: Callable[[Node], bool],
                depth: int) -> set[Node]:
        found: dict[Node, int] = {}
        device = set(map(unit, self.device))
        for node in order:
            if unit(node) is not node or not wanted(node):
                continue
            next_ones = [unit(one) for one in step(node) if unit(one) in device]
            layer = 1 + max((found.get(one, depth) for one in next_ones), default=0)
            if layer <= depth:
                found[node] = layer
        return set(found)

    def _reach(self, start: Node, step: Callable[[Node], Iterable[Node]]) -> set[Node]:
        found, ahead = {start}, [start]
        while ahead:
            for node in map(unit, step(ahead.pop())):
                if node in self._ops and node not in found:
                    found.add(node)
                    ahead.append(node)
        return found

    def on_host(self, node: Node) -> bool:
        return unit(node) in self.before or unit(node) in self.behind

    @property
    def device(self) -> list[Node]:
        return [node for node in self._order if not self.on_host(node)]

    @property
    def host(self) -> list[Node]:
        return [node for node in self._order if node in self._ops and self.on_host(node)]


def _readers(node: Node) -> Iterable[Node]:
    """Of any of its results."""
    for user in node.users:
        yield from _readers(user) if user.target is operator.getitem else (user,)
