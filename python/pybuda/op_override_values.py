"""What overrides of single ops may be; what they may not is refused with the op's name when it is set."""
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
    "grid_shape": (_pair, "a pair of numbers from 1 on: rows, columns"),
    "t_stream_shape": (_pair, "a pair of numbers from 1 on: slices of rows, of columns"),
    "t_stream_dir": (_direction, f"one of {', '.join(_DIRECTIONS)}"),
    "u_kt": (_count, "a number of tiles from 1 on"),
    "output_buffer_multiplier": (_count, "a number from 1 on"),
    "input_buffer_multiplier": (_per_operand, "numbers from 1 on by operand"),
    "force_dram_parameters": (bool, "True or False"),
}


def read(op: Any, attribute: str, value: Any) -> Any:
    """RuntimeError for what the attribute cannot be; None stands for the balancer's choice."""
    if value is None:
        return None
    take, meant = _READ[attribute]
    try:
        return take(value)
    except (AttributeError, RuntimeError, TypeError, ValueError) as error:
        raise RuntimeError(f"{attribute} of op '{op}' is {meant}, not {value!r}") from error
