"""What is placed on a device."""
from __future__ import annotations

import os
from typing import Any

from ..pybudaglobal import register_module


class Module:
    """A workload under a name."""

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise RuntimeError(f"a module's name is a string, not {name!r}: the first argument of every module")
        self.name = os.environ.get("PYBUDA_GRAPH_NAME_SUFFIX", "") + name  # in front, as by the original
        self.device: Any = None
        self.input_names: list[str] = []
        self.input_structure: Any = None  # of the first push: which of its tensors stood in a list
        self.subgraph_idx = 0
        register_module(self)

    def get_name(self) -> str:
        """As it was given, with the prefix of PYBUDA_GRAPH_NAME_SUFFIX."""
        return self.name

    def get_device(self) -> Any:
        """None until the module is placed."""
        return self.device

    def forward_names(self, count: int) -> list[str]:
        """Of the first `count` inputs."""
        return self.input_names or [f"input_{place}" for place in range(count)]

    def get_parameters(self) -> list[Any]:
        """None of its own."""
        return []

    def _set_device(self, device: Any) -> None:
        self.device = device

    def run(self, *args: Any) -> Any:
        """The outputs of one inference; no other module may be placed on a device."""
        from ..run.api import run_inference
        return run_inference(self, inputs=[args]).get()

    def __repr__(self) -> str:
        return f"{type(self).__name__} '{self.name}'"
