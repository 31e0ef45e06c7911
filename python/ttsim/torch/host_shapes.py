"""Checks steps of host parts with shapes only, before anything is allocated."""
from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils.flop_counter import FlopCounterMode

from . import host_limits as limits
from . import host_ops

# ops with one result for each position or part of an axis: argument of the axis, argument of the length
_CUTS = {"unbind": None, "split": "split_size", "unsafe_split": "split_size", "chunk": "chunks",
         "unsafe_chunk": "chunks", "tensor_split": "sections"}


@contextlib.contextmanager
def _silent() -> Iterator[None]:
    """Suppresses torch's log messages: failures are reported as errors here."""
    log = logging.getLogger("torch._subclasses.fake_tensor")
    was = log.disabled
    log.disabled = True
    try:
        yield
    finally:
        log.disabled = was


class ShapeCheck:
    """Runs steps in order. ValueError beyond a limit; exceptions of torch are passed on."""

    def __init__(self) -> None:
        self._mode = FakeTensorMode(allow_fallback_kernels=False)
        self._flops = FlopCounterMode(display=False)
        self._alive = self._all = 0  # bytes

    def shape_of(self, tensor: torch.Tensor) -> torch.Tensor:
        """A tensor of the same shape without values."""
        with self._mode:
            return torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype)

    def run(self, op: str, function: Callable[..., Any], args: list[Any], kwargs: dict[str, Any]) -> Any:
        if op == host_ops.GETITEM:
            return self._one_of(*args)
        check_count(function, args, kwargs)
        with torch.no_grad(), _silent(), self._mode, self._flops:
            made = function(*args, **kwargs)
        results = list(made) if isinstance(made, (tuple, list)) else [made]
        if len(results) > limits.MOST_RESULTS:
            raise ValueError(f"it returns {len(results)} tensors; the limit is {limits.MOST_RESULTS}")
        for one in results:
            self._count(one)
        if self._flops.get_total_flops() > limits.MOST_FLOPS:
            raise ValueError(f"the steps up to here need more than {limits.MOST_FLOPS:.0e} operations")
        return made

    def forget(self, made: Any) -> None:
        """Removes results that are not read any more."""
        for one in made if isinstance(made, (tuple, list)) else [made]:
            self._alive -= bytes_of(one)

    def _one_of(self, several: Any, place: int) -> torch.Tensor:
        if not isinstance(several, (tuple, list)) or place >= len(several):
            raise ValueError(f"the step has no result {place}")
        one: torch.Tensor = several[place]
        self._alive += bytes_of(one)  # it may outlive the others
        return one

    def _count(self, one: Any) -> None:
        if not isinstance(one, torch.Tensor) or one.layout != torch.strided or one.device.type != "cpu":
            raise ValueError("its result is not a tensor in host memory")
        if one.dim() > limits.MOST_RANK:
            raise ValueError(f"its result has {one.dim()} axes")
        size = bytes_of(one)
        if size > limits.MOST_RESULT_BYTES:
            raise ValueError(f"its result of the shape {list(one.shape)} has {size} bytes; the limit is "
                             f"{limits.MOST_RESULT_BYTES}")
        self._alive += size
        self._all += size
        if self._alive > limits.MOST_LIVE_BYTES or self._all > limits.MOST_ALL_BYTES:
            raise ValueError(f"with its result, {self._alive} bytes are in use and {self._all} computed; limits are "
                             f"{limits.MOST_LIVE_BYTES} and {limits.MOST_ALL_BYTES}")


def bytes_of(tensor: torch.Tensor) -> int:
    """Bytes of all elements, even if several share memory."""
    return tensor.numel() * tensor.element_size()


def check_count(function: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
    """ValueError for an op that would return too many tensors, one for each position along an axis."""
    name = function._schema.name.removeprefix("aten::")
    if name not in _CUTS:
        return
    named = dict(zip([one.name for one in function._schema.arguments], args)) | kwargs
    tensor, axis, given = named.get("self"), named.get("dim", 0), named.get(_CUTS[name] or "")
    if not isinstance(tensor, torch.Tensor) or not isinstance(axis, int):
        return  # torch reports the error
    inside = -tensor.dim() <= axis < tensor.dim()
    count = tensor.shape[axis] if inside else max(tensor.shape, default=1)
    if isinstance(given, int):
        count = -(-count // max(given, 1)) if _CUTS[name] == "split_size" else given
    if count > limits.MOST_RESULTS and not isinstance(given, list):
        raise ValueError(f"it returns {count} tensors; the limit is {limits.MOST_RESULTS}")
