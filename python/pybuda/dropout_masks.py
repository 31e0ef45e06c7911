"""Masks of dropouts that are trained on the device, and the same masks for references in torch."""
from __future__ import annotations

import contextlib
import zlib
from collections.abc import Iterator
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from ttsim import _ttsim

_active: list[_Masks] = []


def mask_seed(where: str) -> int:
    """Seed of the masks of a stage, by torch's seed: another one for each stage, the same in each run of a program."""
    return zlib.crc32(f"{torch.initial_seed()} {where}".encode())


class _Masks(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Draws of torch's dropouts become those of the device, in the order of its graph's dropouts."""

    def __init__(self, seed: int, sample: int) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.seed, self.sample, self.place = seed, sample, 0

    def factors(self, p: float, own_seed: int, shape: Any) -> torch.Tensor:
        """Of the next dropout."""
        self.place += 1
        made = _ttsim.dropout_factors(self.seed, p, own_seed, self.place - 1, self.sample, list(shape))
        return torch.from_numpy(made)

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is torch.ops.aten.bernoulli_.float:  # all kinds of dropout draw their mask by it
            kept = args[1] if len(args) > 1 else (kwargs or {}).get("p", 0.5)
            return args[0].copy_(self.factors(1 - kept, 0, args[0].shape) > 0)
        return func(*args, **(kwargs or {}))


@contextlib.contextmanager
def masks_of_device(seed: int, sample: int) -> Iterator[None]:
    """Inside, torch modules and dropped() have the masks of this sample on the device."""
    masks = _Masks(seed, sample)
    _active.append(masks)
    try:
        with masks:
            yield
    finally:
        _active.pop()


def dropped(x: torch.Tensor, p: float, seed: int) -> torch.Tensor:
    """pybuda.op.Dropout in torch: with the device's mask inside masks_of_device(), else x."""
    return x * _active[-1].factors(p, seed, x.shape).to(x.dtype) if _active and p > 0 else x.clone()
