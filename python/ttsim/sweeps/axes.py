"""Axes of a sweep: their names and values."""
from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any

from .errors import SweepError, unknown

_RANGE_KEYS = {"from", "to", "step", "count", "scale"}


@dataclass(frozen=True)
class Axis:
    """`name`: what varies, such as `run.inputs_count`. `values`: in order. `low`, `high`, `step`, `log`: the range of
    numbers that a search draws from; None: it chooses among the values."""
    name: str
    values: tuple[Any, ...]
    low: float | int | None = None
    high: float | int | None = None
    step: float | int | None = None
    log: bool = False


def _number(name: str, given: dict[str, Any], key: str) -> float | int:
    value = given[key]
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise SweepError(f"axis '{name}': '{key}' is not a number: {value!r}")
    return value


def _range(name: str, given: dict[str, Any]) -> Axis:
    for key in given:
        if key not in _RANGE_KEYS:
            raise SweepError(f"axis '{name}': {unknown('key', key, _RANGE_KEYS)}")
    if "from" not in given or "to" not in given:
        raise SweepError(f"axis '{name}': a range has 'from' and 'to', and 'step' or 'count'")
    low, high = _number(name, given, "from"), _number(name, given, "to")
    if low > high:
        raise SweepError(f"axis '{name}': 'from' {low} is above 'to' {high}")
    log = given.get("scale", "linear")
    if log not in ("linear", "log"):
        raise SweepError(f"axis '{name}': 'scale' is linear or log")
    integers = isinstance(low, int) and isinstance(high, int)
    if log == "log":
        if low <= 0 or "step" in given:
            raise SweepError(f"axis '{name}': a log scale has a 'from' above 0, and 'count' instead of 'step'")
        count = _count(name, given, 2)
        spaced = [low * (high / low) ** (at / max(1, count - 1)) for at in range(count)]
    elif "count" in given:
        count = _count(name, given, 2)
        spaced = [low + (high - low) * at / max(1, count - 1) for at in range(count)]
    else:
        step = _number(name, given, "step") if "step" in given else 1
        if step <= 0 or (high - low) / step > 10_000_000:
            raise SweepError(f"axis '{name}': 'step' {step} does not lead from {low} to {high} in 10,000,000 steps")
        integers = integers and isinstance(step, int)
        # products, not sums: no rounding adds up
        spaced = [low + at * step for at in range(int(math.floor((high - low) / step + 1e-9)) + 1)]
    values = tuple(dict.fromkeys(round(v) if integers else v for v in spaced))
    return Axis(name, values, low, high, given.get("step"), log == "log")


def _count(name: str, given: dict[str, Any], least: int) -> int:
    count = given.get("count")
    if not isinstance(count, int) or isinstance(count, bool) or not least <= count <= 10_000_000:
        raise SweepError(f"axis '{name}': 'count' is an integer of {least} or more")
    return count


def read_axis(name: str, given: Any) -> Axis:
    """An axis from `[values]` or `{from:, to:, step: | count:, scale: log}`. SweepError for anything else."""
    if isinstance(given, dict):
        return _range(name, given)
    if not isinstance(given, list) or not given:
        raise SweepError(f"axis '{name}' is a list of values, or a range {{from: 1, to: 8, step: 1}}; it is {given!r}")
    texts = [json.dumps(value, sort_keys=True, default=str) for value in given]
    for at, text in enumerate(texts):
        if text in texts[:at]:
            raise SweepError(f"axis '{name}' has the value {text} twice")
    return Axis(name, tuple(given))
