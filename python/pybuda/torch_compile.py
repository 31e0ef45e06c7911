"""A backend of torch.compile: `torch.compile(module, backend=pybuda.compile_torch)`."""
from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any

import torch
import ttsim.torch

from . import config
from ._C import DataFormat
from ._C.backend_api import default_arch
from .compile_options import default_format
from .pybudaglobal import get_tenstorrent_device
from .stage import DeviceModel, Settings, compile_graph
from .ttdevice import TTDevice, _chips


class _WithoutBackward(torch.autograd.Function):
    """Results of the device; requests for gradients raise an error."""

    @staticmethod
    def forward(ctx: Any, count: int, *tensors: torch.Tensor) -> Any:
        results = tuple(tensor.clone() for tensor in tensors[count:])
        ctx.mark_non_differentiable(*(one for one in results if not one.dtype.is_floating_point))
        return results

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        raise NotImplementedError(
            "results of torch.compile(backend=pybuda.compile_torch) have no gradients: their graph is compiled for "
            "inference. Train the module without torch.compile and compile it again, train it on the chip with "
            "pybuda.run_training(), or call it under torch.no_grad()")


class _Bound(torch.nn.Module):
    """A captured graph with its parameters bound; torch.compile passes them as inputs."""

    def __init__(self, graph: torch.fx.GraphModule, example: Sequence[Any]) -> None:
        super().__init__()
        self.graph_module = graph
        self.fixed = {place: value for place, value in enumerate(example) if not isinstance(value, torch.Tensor)}
        self.weights = [place for place, value in enumerate(example) if isinstance(value, torch.nn.Parameter)]
        for place in self.weights:
            self.register_parameter(f"weight_{place}", example[place])
        self.count = len(example)

    def given(self, values: Sequence[Any]) -> list[Any]:
        """Values of a call that are not parameters."""
        return [value for place, value in enumerate(values) if place not in self.fixed and place not in self.weights]

    def forward(self, *values: Any) -> Any:
        left = iter(values)
        return self.graph_module(*(getattr(self, f"weight_{place}") if place in self.weights else
                                   self.fixed[place] if place in self.fixed else next(left)
                                   for place in range(self.count)))


def compile_torch(gm: torch.fx.GraphModule, example_inputs: Sequence[Any], **_: Any) -> Callable[..., Any]:
    """Compiles the graph for the first TTDevice, or one of the default architecture, and returns a function. Parameters
    have their values at compile time."""
    bound = _Bound(gm, example_inputs).eval()
    samples = bound.given(example_inputs)
    device = get_tenstorrent_device()
    if device is None:
        device = object.__new__(TTDevice)  # only defines the chip; not part of a pipeline
        device.arch, device.chip_ids, device.name = default_arch(), _chips(None, None), "tt"
    settings_ = config._get_global_compiler_config()
    fallback = tuple(sorted(settings_.cpu_fallback_ops))
    imported = ttsim.torch.import_module(bound, tuple(samples), name="torch", fallback=True, fallback_ops=fallback)
    settings = Settings(settings_, device, default_format(settings_, [DataFormat.Float32], DataFormat.Float16_b), 1,
                        {"engine": "full"})
    order = ([info.name for info in imported.graph.inputs], [info.name for info in imported.graph.outputs])
    model = DeviceModel(compile_graph(imported.graph, settings), settings, order)

    def run(*values: Any) -> list[torch.Tensor]:
        given = bound.given(values)
        with torch.no_grad():
            results = model.run_samples([imported.device_inputs(*given)])[0]
            outputs = imported.finish(results, *given)
        wanting = [value for value in (*values, *bound.parameters())
                   if isinstance(value, torch.Tensor) and value.requires_grad]
        if not torch.is_grad_enabled() or not wanting:
            return outputs
        return list(_WithoutBackward.apply(len(wanting), *wanting, *outputs))  # type: ignore[no-untyped-call]

    return run


def reset_state() -> None:
    """Discards everything that torch.compile has compiled."""
    importlib.import_module("torch._dynamo").reset()  # slow to import
