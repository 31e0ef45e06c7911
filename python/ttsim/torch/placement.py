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
        node = node.args[0]
    return node


def _reach(start: Node, step: Callable[[Node], Iterable[Node]], ops: set[Node]) -> set[Node]:
    found, ahead = {start}, [start]
    while ahead:
        for node in step(ahead.pop()):
            for one in (node, unit(node)):
                if one in ops and one not in found:
                    found.add(one)
                    ahead.append(one)
    return found


class Placement:
    """`ops`: those to place, in the order of the graph."""

    def __init__(self, ops: list[Node]) -> None:
        self._order = ops
        self._ops = set(ops)
        self.before: set[Node] = set()
        self.behind: set[Node] = set()
        self.reasons: dict[Node, str] = {}  # of those that went to the host for themselves
        self.causes: dict[Node, Node] = {}  # of the others: for which one

    def to_host(self, node: Node, reason: str) -> None:
        node = unit(node)
        self.reasons.setdefault(node, reason)
        if node in self.before or node in self.behind:
            return
        lead = _reach(node, lambda one: one.all_input_nodes, self._ops) - self.before
        rest = _reach(node, lambda one: one.users, self._ops) - self.behind
        side, moved = (self.before, lead) if len(lead) <= len(rest) else (self.behind, rest)
        side |= moved
        for one in moved:
            self.causes.setdefault(one, node)

    @property
    def device(self) -> list[Node]:
        return [node for node in self._order if node not in self.before and node not in self.behind]

    @property
    def host(self) -> list[Node]:
        return [node for node in self._order if node in self.before or node in self.behind]
