"""Values that depend on parameters only, kept between calls."""
from __future__ import annotations

from typing import Any

import torch
from torch.fx import GraphModule


def versions(values: Any) -> tuple[Any, ...]:
    """Equal for tensors in the same memory that were not written in between."""
    return tuple((one.data_ptr(), one._version, tuple(one.shape), one.dtype) if isinstance(one, torch.Tensor) else one
                 for one in values)


class OnceSpec:
    """The nodes of one graph that depend on parameters only. `run`: computes them; the backend sets it. The results are
    kept until a parameter is in another place or was written."""

    def __init__(self, name: str, gm: GraphModule) -> None:
        self.name, self.gm = name, gm
        self.run: Any = gm
        self.count = 0  # times that it was computed
        self._key: Any = None
        self._values: Any = None

    def __call__(self, *values: Any) -> Any:
        key = versions(values)
        if key != self._key:
            self._values = None  # frees the old values first
            self._values = self.run(*values)
            self._key = key
            self.count += 1
        return self._values

    def clear(self) -> None:
        """Forgets the values."""
        self._key = self._values = None

    def __repr__(self) -> str:
        return self.name

    def __deepcopy__(self, memo: Any) -> OnceSpec:
        return self
