"""Comparison of a sweep with an earlier one, for nightly tests."""
from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .errors import SweepError
from .spec import Sweep
from .store import Store, cell

_THRESHOLD = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*(%?)")
# change for the worse that is allowed, where the specification has no thresholds
_DEFAULT = {"cycles": "1%", "inputs_per_second": "1%", "latency_cycles": "1%", "pcc": "0.001"}


@dataclass(frozen=True)
class Change:
    """A measure of a point in both sweeps. `worse`: by more than its threshold. None: no such figure."""
    point: dict[str, Any]
    measure: str
    before: Any
    after: Any
    worse: bool

    def text(self) -> str:
        """One line."""
        where = ", ".join(f"{name}={value}" for name, value in self.point.items())
        shown = [value if isinstance(value, str) else "none" if value is None else f"{value:g}"
                 for value in (self.before, self.after)]
        change = ""
        if all(isinstance(v, (int, float)) for v in (self.before, self.after)) and self.before:
            change = f" ({100 * (self.after / self.before - 1):+.2f} %)"
        return f"{'worse' if self.worse else 'changed'}: {where}: {self.measure} {shown[0]} -> {shown[1]}{change}"


def _allowed(text: str, before: float) -> float:
    found = _THRESHOLD.fullmatch(text.strip().lstrip("+-"))
    if not found:
        raise SweepError(f"thresholds: '{text}' is not a number or a percentage, such as 2% or 0.001")
    return float(found[1]) * (abs(before) / 100 if found[2] else 1)


def thresholds_of(sweep: Sweep) -> Mapping[str, str]:
    """Those of the specification, else the default ones of what is measured."""
    if sweep.thresholds:
        for text in sweep.thresholds.values():
            _allowed(text, 1)
        return sweep.thresholds
    return {name: text for name, text in _DEFAULT.items() if any(m.name == name for m in sweep.measures)}


def _by_point(rows: Any, axes: list[str]) -> dict[tuple[Any, ...], dict[str, Any]]:
    """The last row of each point."""
    return {tuple(cell(row.get(axis)) for axis in axes): row for row in sorted(rows, key=lambda row: row["at"])}


def compare(sweep: Sweep, store: Store, keys: list[str], baseline: Store) -> tuple[list[Change], int]:
    """(changes, points that both have). Points are the same if all axes are; builds may differ."""
    axes = [axis.name for axis in sweep.axes]
    limits = thresholds_of(sweep)
    with baseline.connect() as connection:
        found = connection.execute("SELECT * FROM results")
        names = [column[0] for column in found.description or []]
        if missing := [axis for axis in axes if axis not in names]:
            raise SweepError(f"--against {baseline.folder}: its points have no axis '{missing[0]}'")
        before = _by_point([dict(zip(names, row)) for row in found.fetchall()], axes)
    after = _by_point(store.rows(keys).values(), axes)
    changes = []
    common = 0
    for at, row in after.items():
        old = before.get(at)
        if old is None:
            continue
        common += 1
        point = dict(zip(axes, at))
        if row["status"] != old["status"]:
            changes.append(Change(point, "status", old["status"], row["status"], row["status"] != "ok"))
        for name, text in limits.items():
            was, now = old.get(name), row.get(name)
            if not isinstance(was, (int, float)) or not isinstance(now, (int, float)) or was == now:
                continue
            worse_by = (now - was) if sweep.measure(name).less_is_better else (was - now)
            changes.append(Change(point, name, was, now, worse_by > _allowed(text, was)))
    if not common:
        raise SweepError(f"--against {baseline.folder}: it has none of this sweep's points")
    return changes, common
