"""Constants in a module's code."""
from __future__ import annotations

import torch

from ..tensor import Tensor
from .common import define, result

define("constant", lambda constant: torch.tensor([float(constant)]),
       lambda make, constant: make.graph.constant(make.unique_name(make.name), torch.tensor([float(constant)])))


def Constant(name: str, *, constant: float) -> Tensor:
    """Shape [1]."""
    return result("constant", name, attrs=(constant,), constant=constant)
