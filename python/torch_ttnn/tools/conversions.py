"""python -m torch_ttnn.tools.conversions: the table of conversions in Markdown."""
from __future__ import annotations

from ..conversions import Record, all_records


def _name(record: Record) -> str:
    return str(record.target).removeprefix("aten.").removesuffix(".default")


def table() -> str:
    """Ops that become the same call and stay nowhere are in one row."""
    same: dict[tuple[str, str], list[str]] = {}
    plain = []
    for record in all_records():
        if record.part == "same" and _name(record).split(".")[0] == record.becomes:
            plain.append(_name(record))
        else:
            same.setdefault((record.becomes, record.stays), []).append(_name(record))
    lines = ["| aten | becomes | stays on the host when |", "|---|---|---|",
             f"| {' '.join(f'`{name}`' for name in plain)} | the same name | |"]
    lines += [f"| {' '.join(f'`{name}`' for name in names)} | {becomes} | {stays} |" for (becomes, stays), names in same.items()]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(table(), end="")
