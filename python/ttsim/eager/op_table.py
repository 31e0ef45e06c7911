"""python -m ttsim.eager.op_table: the table of ops of docs/ttnn.md."""
from __future__ import annotations

from . import ops as _ops  # noqa: F401 (fills the table)
from .table import OpDef, all_ops

_VALUES = {"chip": "as the chip", "move": "exact", "host": "host", "create": "exact"}


def _row(names: list[str], op: OpDef) -> str:
    shown = ", ".join(f"`{name}`" for name in names)
    parameters = ", ".join(str(one).split(":")[0].split("=")[0].strip() + ("" if one.default is one.empty else f"={one.default}")
                           for one in op.signature.parameters.values())
    layouts = {"tile": "TILE", "tile operand": "TILE, weights both"}.get(op.layouts, "both")
    text = " ".join(op.doc.split()).replace("|", "\\|")
    return f"| {shown} | `({parameters})` | {_VALUES[op.kind]} | {layouts} | {text} |"


def table() -> str:
    """The ops by group, in markdown."""
    groups: dict[str, dict[int, list[str]]] = {}
    records = {id(op): op for op in all_ops().values()}
    for name, op in all_ops().items():
        groups.setdefault(op.group, {}).setdefault(id(op), []).append(name)
    lines = []
    for group, ops in groups.items():
        lines += [f"### {group[0].upper()}{group[1:]}", "", "| op | arguments | values | layouts | result |", "|---|---|---|---|---|"]
        lines += [_row(names, records[key]) for key, names in ops.items()]
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())
