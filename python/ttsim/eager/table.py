"""The table of ops: one record an op, from which calls, programs, golden functions and documentation come."""
from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .dtypes import DataType

KINDS = ("chip", "move", "host", "create")


@dataclass
class OpDef:
    """An op. `function`: torch tensors and attributes -> one torch tensor or a tuple of them; it is the golden function.

    `kind`: "chip": compiled for the chip, computed with its formats; "move": data movement, exact, at the speed of DRAM;
    "host": torch computes it; "create": makes a tensor. `layouts`: "any", "tile", or "tile operand": of its
    first tensor; others, such as weights, have any. `integer`: the element type of
    integer results without integer operands. `keeps_order`: elements keep their order, so tiles may stay in place.
    `group`: for the documentation."""
    name: str
    function: Callable[..., Any]
    kind: str = "chip"
    layouts: str = "any"
    integer: DataType = DataType.UINT32
    keeps_order: bool = False
    group: str = "elementwise"
    signature: inspect.Signature = field(init=False)

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"'{self.kind}' is not one of {KINDS}")
        self.signature = inspect.signature(self.function)

    @property
    def doc(self) -> str:
        return inspect.getdoc(self.function) or ""


_ops: dict[str, OpDef] = {}


def op(name: str = "", **properties: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Adds a function to the table, under its own name by default."""
    def put(function: Callable[..., Any]) -> Callable[..., Any]:
        add(name or function.__name__, function, **properties)
        return function
    return put


def add(name: str, function: Callable[..., Any], **properties: Any) -> OpDef:
    """Adds an op to the table. ValueError if there is one of this name."""
    if name in _ops:
        raise ValueError(f"the table has two ops '{name}'")
    made = _ops[name] = OpDef(name, function, **properties)
    return made


def alias(name: str, of: str) -> None:
    """Another name of an op."""
    _ops[name] = _ops[of]


def ops_named(name: str) -> OpDef:
    """An op. KeyError for an unknown name."""
    return _ops[name]


def all_ops() -> dict[str, OpDef]:
    """All ops by name, with aliases."""
    return dict(_ops)
