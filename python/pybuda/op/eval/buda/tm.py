"""TMs of netlists on torch tensors."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from .. import pybuda

_ATTRIBUTES = {"hslice": ("slices",), "hstack": ("slices",), "vslice": ("slices",), "vstack": ("slices",),
               "transpose": ("dim0", "dim1"), "select": ("dim", "start", "length", "stride")}


def eval(type: str, attr: Sequence[Any], ops: Sequence[torch.Tensor]) -> torch.Tensor:
    """`attr` as in the TM: slices of hslice, hstack, vslice and vstack; (dim0, dim1) of transpose; (dim, factor) of
    broadcast; (dim, start, length, stride) of select; the shape of reshape. RuntimeError for another TM."""
    x, = ops
    if type == "broadcast":
        shape = list(x.shape)
        assert shape[attr[0]] == 1, f"axis {attr[0]} of {tuple(shape)} does not have size 1, so it cannot be broadcast"
        shape[attr[0]] = attr[1]
        return x.broadcast_to(shape)
    if type == "reshape":
        return x.reshape(tuple(attr))
    if type not in _ATTRIBUTES:
        known = ", ".join(sorted([*_ATTRIBUTES, "broadcast", "reshape"]))
        raise RuntimeError(f"there is no TM '{type}'; TMs are {known}")
    return pybuda.evaluate(type, [x], **dict(zip(_ATTRIBUTES[type], attr)))


def shape(type: str, attr: Sequence[Any], ops: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], list[Any]]:
    """(shape of the result, broadcast dims: none)."""
    made = eval(type, attr, [torch.empty(tuple(one), device="meta") for one in ops])
    return tuple(made.shape), []
