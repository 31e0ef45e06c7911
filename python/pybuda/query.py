"""Which ops a configuration is for: `name_regex("a.*") & op_type("matmul")`."""
from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any


class NodePredicateBuilder:
    """`test(name, type)` of an op of the netlist."""

    def __init__(self, test: Callable[[str, str], bool], text: str) -> None:
        self.test = test
        self.text = text

    def __and__(self, other: NodePredicateBuilder) -> NodePredicateBuilder:
        return NodePredicateBuilder(lambda n, t: self.test(n, t) and other.test(n, t), f"({self.text} & {other.text})")

    def __or__(self, other: NodePredicateBuilder) -> NodePredicateBuilder:
        return NodePredicateBuilder(lambda n, t: self.test(n, t) or other.test(n, t), f"({self.text} | {other.text})")

    def negate(self) -> NodePredicateBuilder:
        """Fits where this one does not."""
        return NodePredicateBuilder(lambda n, t: not self.test(n, t), f"!{self.text}")

    def __call__(self, name: str, op: str) -> bool:
        return self.test(name, op)

    def __repr__(self) -> str:
        return self.text


def name_regex(regex: str) -> NodePredicateBuilder:
    """Ops whose whole name fits."""
    pattern = re.compile(regex)
    return NodePredicateBuilder(lambda name, _: pattern.fullmatch(name) is not None, f"name_regex({regex!r})")


def layer_regex(regex: str) -> NodePredicateBuilder:
    """Ops in whose name a part fits: names begin with those of their layers."""
    pattern = re.compile(regex)
    return NodePredicateBuilder(lambda name, _: pattern.search(name) is not None, f"layer_regex({regex!r})")


def op_type(kind: str) -> NodePredicateBuilder:
    """Ops of this type in the netlist, such as matmul."""
    return NodePredicateBuilder(lambda _, op: op == kind, f"op_type({kind!r})")


def matching(names: Any, ops: dict[str, str]) -> list[str]:
    """Those of `ops` (type by name) that a name, a predicate or a list of both means, in the order of `ops`; a name
    that is none of them stays."""
    wanted = names if isinstance(names, (list, tuple)) else [names]
    for one in wanted:
        if not isinstance(one, (str, NodePredicateBuilder)):
            raise RuntimeError(f"ops are named by strings, predicates of pybuda.query, or lists of them, not by {one!r}")
    found = [name for name in wanted if isinstance(name, str) and name not in ops]
    for name, kind in ops.items():
        if any(name == one if isinstance(one, str) else one(name, kind) for one in wanted):
            found.append(name)
    return found
