"""A GPU of the host as a device."""
from __future__ import annotations

from typing import Any

import torch

from .cpudevice import CPUDevice


class GPUDevice(CPUDevice):
    """Like CPUDevice, on CUDA. RuntimeError if torch has no CUDA device."""

    def __init__(self, name: str, *args: Any, **kwargs: Any) -> None:
        if not torch.cuda.is_available():
            raise RuntimeError(f"GPUDevice '{name}': torch finds no CUDA device here; use pybuda.CPUDevice")
        super().__init__(name, *args, **kwargs)

    def _check_module(self, module: Any) -> None:
        super()._check_module(module)
        module.module.to("cuda")

    def compile_for_training(self, *_: Any, **__: Any) -> list[Any]:
        """RuntimeError: it runs inference."""
        raise RuntimeError(f"GPUDevice '{self.name}' runs only inference; train its modules on a pybuda.CPUDevice")

    def forward_values(self, values: list[Any]) -> list[torch.Tensor]:
        """Outputs of the modules in torch."""
        given = [value if value is None else value.to("cuda") for value in values]
        return [value.cpu() for value in super().forward_values(given)]
