"""Functions of Python as operations: seen by captures of graphs and the comparison mode like ops of the table."""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch

from ttsim.eager import EagerTensor
from ttsim.eager.config import CONFIG, observe
from ttsim.eager.launch import check_against

__all__ = ["attach_golden_function", "register_python_operation"]


def _tensors(values: Any) -> list[EagerTensor]:
    if isinstance(values, EagerTensor):
        return [values]
    inner = list(values.values()) if isinstance(values, dict) else values if isinstance(values, (list, tuple)) else ()
    return [one for value in inner for one in _tensors(value)]


def _plain(value: Any, who: str) -> Any:
    if isinstance(value, EagerTensor):
        return value.peek(who)
    if isinstance(value, (list, tuple)):
        return type(value)(_plain(one, who) for one in value)
    return {key: _plain(one, who) for key, one in value.items()} if isinstance(value, dict) else value


def register_python_operation(*, name: str, golden_function: Callable[..., Any] | None = None,
                              **accepted: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorates a function of tensors of ttnn: its calls are events of graph captures, named `name`, around those of the ops
    that it calls. `golden_function`: the same of tensors of torch, for ttnn.get_golden_function() and the comparison
    mode."""
    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def operation(*args: Any, **kwargs: Any) -> Any:
            observe("begin", name, [*_tensors(args), *_tensors(kwargs)])
            golden = getattr(operation, "golden_function", None)
            expected = None
            if CONFIG.enable_comparison_mode and golden is not None:
                with torch.no_grad():
                    expected = golden(*_plain(args, name), **_plain(kwargs, name))
            made = function(*args, **kwargs)
            observe("end", name, made)
            if expected is not None:
                check_against(name, expected, made)
            return made
        operation.golden_function = golden_function  # type: ignore[attr-defined]
        operation.python_fully_qualified_name = name  # type: ignore[attr-defined]
        return operation
    return decorate


def attach_golden_function(operation: Any, golden_function: Callable[..., Any], **accepted: Any) -> None:
    """Sets the golden function of an op or of a registered operation."""
    if not callable(operation):
        raise TypeError(f"ttnn.attach_golden_function: an operation is expected, not {type(operation).__name__}")
    operation.golden_function = golden_function
