"""Places ops on the device or the host: at most [host before][device][host after].

An op that the device does not support moves to the host, with either all ops before it or all ops after it, whichever
are fewer."""
from __future__ import annotations

import operator
from collections.abc import Callable, Iterable

from torch.fx import Node


def unit(node: Node) -> Node:
    """The op of a result: all results of an op are placed together."""
    while node.target is operator.getitem:
        whole = node.args[0]
        assert isinstance(whole, Node), f"the operand of {node} is not a node"
        node = whole
    return node


class Placement:
    """`ops`: those to place, in the order of the graph."""

    def __init__(self, ops: list[Node]) -> None:
        self._order = ops
        self._ops = {node for node in ops if unit(node) is node}
        self.before: set[Node] = set()
        self.behind: set[Node] = set()
        self.reasons: dict[Node, str] = {}  # of ops moved to the host for their own reason
        self.causes: dict[Node, Node] = {}  # of other ops moved to the host: the op that caused it

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
        """Moves ops that `wanted` selects to the host at both ends, up to `depth` consecutive ops, if no device op is
        between them and the end; no ops if the device would have none left."""
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
    """Readers of any result."""
    for user in node.users:
        yield from _readers(user) if user.target is operator.getitem else (user,)
