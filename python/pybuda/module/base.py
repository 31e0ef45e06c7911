"""Base class of modules."""
from __future__ import annotations

import os
from typing import Any

from .. import upper_layers
from ..process import register_module


class Module:
    """A named workload for a device."""

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise RuntimeError(f"a module's name must be a string, not {name!r}: the first argument of every module")
        self.name = os.environ.get("PYBUDA_GRAPH_NAME_SUFFIX", "") + name  # a prefix, as in the vendor's PyBuda
        self.device: Any = None
        self.input_names: list[str] = []
        self.input_structure: Any = None  # of the first push: which of its tensors were in a list
        self.subgraph_idx = 0
        register_module(self)

    def get_name(self) -> str:
        """The name, with the prefix of PYBUDA_GRAPH_NAME_SUFFIX."""
        return self.name

    def get_device(self) -> Any:
        """The device; None until the module is placed."""
        return self.device

    def forward_names(self, count: int) -> list[str]:
        """Names of the first `count` inputs."""
        return self.input_names or [f"input_{place}" for place in range(count)]

    def get_parameters(self) -> list[Any]:
        """Parameters; none in this class."""
        return []

    def _set_device(self, device: Any) -> None:
        self.device = device

    def run(self, *args: Any) -> Any:
        """The outputs of one inference. No other module may be placed on a device."""
        return upper_layers.call("run_inference", self, inputs=[args]).get()

    def __repr__(self) -> str:
        return f"{type(self).__name__} '{self.name}'"
