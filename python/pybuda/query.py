"""Predicates that select ops for a configuration: `name_regex("a.*") & op_type("matmul")`."""
from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any


class NodePredicateBuilder:
    """`test(name, type)` for an op of the netlist. `has_matched`: whether an op has matched so far, of any model."""

    def __init__(self, test: Callable[[str, str], bool], text: str) -> None:
        self.test = test
        self.text = text
        self.has_matched = False

    def __and__(self, other: NodePredicateBuilder) -> NodePredicateBuilder:
        return NodePredicateBuilder(lambda n, t: self.test(n, t) and other.test(n, t), f"({self.text} & {other.text})")

    def __or__(self, other: NodePredicateBuilder) -> NodePredicateBuilder:
        return NodePredicateBuilder(lambda n, t: self.test(n, t) or other.test(n, t), f"({self.text} | {other.text})")

    def negate(self) -> NodePredicateBuilder:
        """Matches if this predicate does not."""
        return NodePredicateBuilder(lambda n, t: not self.test(n, t), f"!{self.text}")

    def __call__(self, name: str, op: str) -> bool:
        matches = self.test(name, op)
        self.has_matched = self.has_matched or matches
        return matches

    def __repr__(self) -> str:
        return self.text


def name_regex(regex: str) -> NodePredicateBuilder:
    """Ops whose full name matches."""
    pattern = re.compile(regex)
    return NodePredicateBuilder(lambda name, _: pattern.fullmatch(name) is not None, f"name_regex({regex!r})")


def layer_regex(regex: str) -> NodePredicateBuilder:
    """Ops whose name contains a match: names begin with those of their layers."""
    pattern = re.compile(regex)
    return NodePredicateBuilder(lambda name, _: pattern.search(name) is not None, f"layer_regex({regex!r})")


def op_type(kind: str) -> NodePredicateBuilder:
    """Ops of this type in the netlist, such as matmul."""
    return NodePredicateBuilder(lambda _, op: op == kind, f"op_type({kind!r})")


def matching(names: Any, ops: Mapping[str, str]) -> list[str]:
    """Names in `ops` (types by name) that a name, a predicate or a list of both selects, in the order of `ops`; unknown
    names are kept."""
    wanted = names if isinstance(names, (list, tuple)) else [names]
    for one in wanted:
        if not isinstance(one, (str, NodePredicateBuilder)):
            raise RuntimeError(f"select ops by strings, predicates of pybuda.query, or lists of them, not by {one!r}")
    found = [name for name in wanted if isinstance(name, str) and name not in ops]
    for name, kind in ops.items():
        if any(name == one if isinstance(one, str) else one(name, kind) for one in wanted):
            found.append(name)
    return found
