"""A backend of torch.compile that runs models through ttnn on simulated Tenstorrent chips.

    import torch, torch_ttnn, ttnn
    device = ttnn.open_device(device_id=0)
    option = torch_ttnn.TorchTtnnOption(device=device)
    module = torch.compile(module, backend=torch_ttnn.backend, options=option)
    y = module(x)
    print(option.report())
    ttnn.close_device(device)

docs/torch_ttnn.md has the options, the passes and the table of conversions."""
from __future__ import annotations

import ttnn

from . import target_wrappers, utils
from .backend import backend, register_ttnn_objects
from .option import TorchTtnnOption

__all__ = ["TorchTtnnOption", "backend", "register_ttnn_objects", "target_wrappers", "ttnn", "utils"]
