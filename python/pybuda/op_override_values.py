"""Checks values of overrides of single ops when they are set; errors name the op."""
from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

_DIRECTIONS = ("n", "r", "c", "rz", "cz")


def _count(value: Any) -> int:
    number = operator.index(value)
    if number < 1:
        raise ValueError
    return number


def _pair(value: Any) -> tuple[int, int]:
    rows, columns = value
    return _count(rows), _count(columns)


def _direction(value: Any) -> str:
    if str(value).lower() not in _DIRECTIONS:
        raise ValueError
    return str(value).lower()


def _per_operand(value: Any) -> dict[int, int]:
    return {operator.index(operand): _count(number) for operand, number in value.items()}


_READ: dict[str, tuple[Callable[[Any], Any], str]] = {
    "grid_shape": (_pair, "a pair of integers of 1 or more: rows, columns"),
    "t_stream_shape": (_pair, "a pair of integers of 1 or more: slices of rows, of columns"),
    "t_stream_dir": (_direction, f"one of {', '.join(_DIRECTIONS)}"),
    "u_kt": (_count, "a number of tiles of 1 or more"),
    "output_buffer_multiplier": (_count, "an integer of 1 or more"),
    "input_buffer_multiplier": (_per_operand, "integers of 1 or more by operand"),
    "force_dram_parameters": (bool, "True or False"),
}


def read(op: Any, attribute: str, value: Any) -> Any:
    """RuntimeError for an invalid value of the attribute; None: chosen by the balancer."""
    if value is None:
        return None
    take, meant = _READ[attribute]
    try:
        return take(value)
    except (AttributeError, RuntimeError, TypeError, ValueError) as error:
        raise RuntimeError(f"{attribute} of op '{op}' must be {meant}, not {value!r}") from error
