"""Small helper functions for programs."""
from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Sequence
from typing import Any

import torch

from .parameter import Parameter
from .process import align_up_tile, round_up_div
from .tensor import SomeTensorTypes

__all__ = ["align_up_tile", "arranged", "flatten", "get_pybuda_parameters_from_state_dict", "round_up_div"]


def get_pybuda_parameters_from_state_dict(state_dict: dict[str, torch.Tensor]) -> dict[str, Parameter]:
    """Parameters with the names and values of the dictionary."""
    return {name: Parameter(value, requires_grad=value.requires_grad, name=name) for name, value in state_dict.items()}


def structure(given: Any) -> Any:
    """Structure of nested inputs: tuples, lists and dictionaries with the index of each tensor in its place."""
    places = itertools.count()

    def of(value: Any) -> Any:
        if isinstance(value, (tuple, list)):
            return [of(one) for one in value]
        if hasattr(value, "items"):
            return {key: of(one) for key, one in value.items()}
        return next(places)

    return of(given)


def arranged(function: Callable[..., Any], values: Sequence[Any], nested: Any) -> list[Any]:
    """Arguments for `function`: the values separately if it accepts as many, else nested as they were pushed. TypeError
    if it accepts neither."""
    def filled(value: Any) -> Any:
        if isinstance(value, list):
            return [filled(one) for one in value]
        if isinstance(value, dict):
            return {key: filled(one) for key, one in value.items()}
        return values[value]

    signature = inspect.signature(function)
    ways = [list(values)]
    if isinstance(nested, list) and len(flatten_places(nested)) == len(values):
        ways += [filled(nested), [filled(nested)]]
    problem: TypeError | None = None
    for way in ways:
        try:
            signature.bind(*way)
            return way
        except TypeError as error:
            problem = problem or error
    assert problem is not None
    raise problem


def flatten_places(nested: Any) -> list[int]:
    """The indices in a structure."""
    if isinstance(nested, (list, dict)):
        return [place for one in (nested.values() if isinstance(nested, dict) else nested)
                for place in flatten_places(one)]
    return [nested]


def flatten(outputs: Any) -> list[Any]:
    """The tensors of nested outputs in order, without None. NotImplementedError for other types."""
    if outputs is None:
        return []
    if isinstance(outputs, (*SomeTensorTypes, Parameter)):
        return [outputs]
    if isinstance(outputs, dict) or hasattr(outputs, "items"):
        return [tensor for value in outputs.values() for tensor in flatten(value)]
    if hasattr(outputs, "__dataclass_fields__"):
        return [tensor for field in outputs.__dataclass_fields__ for tensor in flatten(getattr(outputs, field))]
    if isinstance(outputs, (list, tuple)):
        return [tensor for value in outputs for tensor in flatten(value)]
    raise NotImplementedError(f"a module returned a {type(outputs).__name__}; outputs must be tensors, or tuples, "
                              "lists, dictionaries and dataclasses of tensors")
