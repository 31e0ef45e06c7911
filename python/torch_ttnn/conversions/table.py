"""The table of conversions: one record for each aten op, with what it becomes and when it stays on the host."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


class Stays(Exception):
    """An op stays a torch call on the host; the text is the reason."""


@dataclass(frozen=True)
class Record:
    """`function`: for "same" and "rewrite" f(rewriter, *arguments of the op) -> node, number or tuple of nodes; for
    "decompose" a function of torch tensors. `becomes` and `stays`: for the documentation."""
    target: Any
    part: str
    function: Callable[..., Any]
    becomes: str
    stays: str = ""
    takes_empty: bool = False  # operands may have no elements


_records: dict[Any, Record] = {}


def _add(record: Record) -> None:
    if record.target in _records:
        raise ValueError(f"the table has two conversions of {record.target}")
    _records[record.target] = record


def same(target: Any, function: Any, **attributes: Any) -> None:
    """An op that becomes one call of ttnn with the same arguments, and these attributes."""
    def call(r: Any, *args: Any, **kwargs: Any) -> Any:
        return r.call(function, *args, **kwargs, **attributes)
    _add(Record(target, "same", call, function.__name__))


def rewrites(*targets: Any, becomes: str, stays: str = "",
             takes_empty: bool = False) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Adds a function that makes the calls of ttnn for an op: f(rewriter, *arguments)."""
    def put(function: Callable[..., Any]) -> Callable[..., Any]:
        for target in targets:
            _add(Record(target, "rewrite", function, becomes, stays, takes_empty))
        return function
    return put


def decomposes(*targets: Any, becomes: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Adds a function of torch tensors that computes an op with other aten ops."""
    def put(function: Callable[..., Any]) -> Callable[..., Any]:
        for target in targets:
            _add(Record(target, "decompose", function, becomes))
        return function
    return put


def record_of(target: Any) -> Record | None:
    """The record of an op; None: it has no conversion."""
    return _records.get(target)


def all_records() -> list[Record]:
    """The table, by the names of the ops."""
    return sorted(_records.values(), key=lambda record: str(record.target))
