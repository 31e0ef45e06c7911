"""Small things that programs use beside the package."""
from __future__ import annotations

from typing import Any

import torch

from .parameter import Parameter
from .pybudaglobal import align_up_tile, round_up_div

__all__ = ["align_up_tile", "flatten", "get_pybuda_parameters_from_state_dict", "round_up_div"]


def get_pybuda_parameters_from_state_dict(state_dict: dict[str, torch.Tensor]) -> dict[str, Parameter]:
    return {name: Parameter(value, requires_grad=value.requires_grad, name=name) for name, value in state_dict.items()}


def flatten(outputs: Any) -> list[Any]:
    """The tensors of nested outputs in order, None left out. NotImplementedError for what holds none."""
    from .tensor import SomeTensorTypes
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
    raise NotImplementedError(f"a module gave a {type(outputs).__name__}; outputs are tensors, or tuples, lists, "
                              "dictionaries and dataclasses of tensors")
