"""Nops between ops, where a configuration asks for them."""
from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .op.common import PyBudaOp
from .trace import Trace


def insert_nops(made: Trace, instructions: Iterable[Any]) -> None:
    """Between `src` and each of `dest`: `nop_count` in a row for all of them, or, as a daisy chain, one more before each
    next reader. They are named buffer_<number>_<src>_<first dest>. Ops that are not there are left out."""
    for one in instructions:
        by_name = {op.name: op for op in made.ops}
        source = by_name.get(one.src)
        readers = [by_name[name] for name in one.dest if name in by_name and _reads(by_name[name], source)]
        if source is None or not readers:
            continue
        last, number = source, 0
        for place, reader in enumerate(readers):
            if place == 0 or one.daisy_chain:
                for _ in range(one.nop_count):
                    last = _nop_behind(made, last, f"buffer_{number}_{one.src}_{reader.name}")
                    number += 1
            _replace(reader, source, last)


def _reads(op: PyBudaOp, source: PyBudaOp | None) -> bool:
    return source is not None and any(getattr(operand, "src_op", None) is source for operand in op.operands)


def _nop_behind(made: Trace, op: PyBudaOp, name: str) -> PyBudaOp:
    taken = getattr(op, "result", None)  # of a nop that nobody reads yet
    if taken is None:
        taken = next(operand for one in made.ops for operand in one.operands
                     if getattr(operand, "src_op", None) is op)
    nop = PyBudaOp("buffer", name, taken)
    made.ops.insert(made.ops.index(op) + 1, nop)
    nop.result = nop.get_tensor()
    return nop


def _replace(reader: PyBudaOp, source: PyBudaOp, last: PyBudaOp) -> None:
    reader.operands = [last.result if getattr(operand, "src_op", None) is source else operand
                       for operand in reader.operands]
