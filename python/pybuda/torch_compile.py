"""A backend of torch.compile: `torch.compile(module, backend=pybuda.compile_torch)`."""
from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy
import torch
import ttsim
import ttsim.torch

from . import config
from ._C import DataFormat
from ._C.backend_api import default_arch
from .compile_options import default_format
from .dropout_masks import mask_seed
from .pybudaglobal import get_tenstorrent_device
from .stage import DeviceModel, Settings, compile_graph
from .ttdevice import TTDevice, _chips


class _WithBackward(torch.autograd.Function):
    """Results of the device, whose gradients the device computes."""

    @staticmethod
    def forward(ctx: Any, graph: _Trained, count: int, *values: torch.Tensor) -> Any:
        weights, given = values[:count], values[count:]
        ctx.graph, ctx.count = graph, count
        ctx.save_for_backward(*values)
        ctx.sample, results = graph.forward(weights, given)
        ctx.mark_non_differentiable(*(one for one in results if not one.dtype.is_floating_point))
        return results

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        weights, given = ctx.saved_tensors[:ctx.count], ctx.saved_tensors[ctx.count:]
        return None, None, *ctx.graph.backward(ctx.sample, weights, given, gradients)


class _Trained:
    """A graph compiled with a backward program, without an optimizer; parameters and inputs get gradients. UnsupportedError
    for a graph with steps of the host."""

    def __init__(self, bound: _Bound, samples: Sequence[Any], settings: Settings, wanted: Sequence[bool]) -> None:
        imported = ttsim.torch.import_module(bound, tuple(samples), name="torch", fallback=False, training=True)
        names = [imported.input_names[place] for place, want in enumerate(wanted) if want]
        given = [name for name in names if name in imported.inputs]
        known = dict(bound.named_parameters())
        self.names = [f"weight_{place}" for place in bound.weights]
        train = [name for name in imported.parameters if name in known and known[name].requires_grad]
        compiled = compile_graph(imported.graph, settings, device_comparisons=True, training={
            "training": True, "optimizer": "none", "train": train, "freeze": [] if train else ["*"],
            "input_gradients": given, "dropout_seed": mask_seed("torch.compile")})
        lost = ", ".join(step.origin for step in compiled.host_steps)
        if lost or not imported.from_device:
            raise ttsim.UnsupportedError(f"the host computes {lost or 'a result'}, and gradients do not pass host steps")
        self.imported, self.train = imported, set(train)
        self.trainer = ttsim.Trainer(compiled, engine="full")
        self._zeros: dict[str, numpy.ndarray] = {}  # gradients of the outputs
        self._running: int | None = None  # the sample whose values for backward() the device has
        self._next = 0

    def forward(self, weights: Sequence[torch.Tensor], given: Sequence[Any]) -> tuple[int, tuple[torch.Tensor, ...]]:
        """The number of the sample, and its results."""
        sample, self._next = self._next, self._next + 1
        return sample, self._run(sample, weights, given)

    def _run(self, sample: int, weights: Sequence[torch.Tensor], given: Sequence[Any]) -> tuple[torch.Tensor, ...]:
        if self._running is not None:  # its values are lost; backward() computes them again
            self.trainer.backward(self._zeros)
        self.trainer.samples = sample
        for name, value in zip(self.names, weights):
            if name in self.train:
                self.trainer.set_parameter(name, value.detach().float())
        with torch.no_grad():
            values = self.imported.device_inputs(*given)
        given_values = {name: value.float()[None] if value.is_floating_point() else value[None]
                        for name, value in zip(self.imported.inputs, values)}
        shapes = {info.name: tuple(info.shape) for info in self.imported.graph.outputs}
        found = {name: value.reshape(shapes[name]) for name, value in self.trainer.forward(given_values).items()}
        self._zeros = {name: numpy.zeros_like(value) for name, value in found.items()}
        self._running = sample
        with torch.no_grad():
            return tuple(self.imported.finish([torch.from_numpy(found[name].copy()) for name in self.imported.outputs],
                                              *given))

    def backward(self, sample: int, weights: Sequence[torch.Tensor], given: Sequence[Any],
                 gradients: Sequence[Any]) -> list[torch.Tensor | None]:
        """Gradients of the weights and inputs."""
        if self._running != sample:
            self._run(sample, weights, given)
        self._running = None
        known = dict(zip(self.imported.outputs, gradients))
        found = self.trainer.backward({name: zero if known.get(name) is None else
                                       known[name].detach().float().numpy().reshape(zero.shape)
                                       for name, zero in self._zeros.items()})
        have = {info.name for info in self.trainer.parameters}
        made: list[torch.Tensor | None] = [
            torch.from_numpy(self.trainer.gradient(name).copy()).to(value.dtype).reshape(value.shape)
            if name in have else None for name, value in zip(self.names, weights)]
        names = self.imported.input_names
        return made + [torch.from_numpy(found[name].copy()).to(value.dtype).reshape(value.shape)
                       if name in found else None for name, value in zip(names, given)]


class _WithoutBackward(torch.autograd.Function):
    """Results of the device; requests for gradients raise an error."""

    @staticmethod
    def forward(ctx: Any, why: str, count: int, *tensors: torch.Tensor) -> Any:
        ctx.why = why
        results = tuple(tensor.clone() for tensor in tensors[count:])
        ctx.mark_non_differentiable(*(one for one in results if not one.dtype.is_floating_point))
        return results

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        raise NotImplementedError(
            f"results of torch.compile(backend=pybuda.compile_torch) have no gradients here: {ctx.why}. Train the module "
            "without torch.compile, or call it under torch.no_grad()")


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

    trained: list[_Trained | str] = []  # compiled when gradients are first needed; text: why it cannot be

    def run(*values: Any) -> list[torch.Tensor]:
        given = bound.given(values)
        weights = list(bound.parameters())
        wanting = [value for value in (*given, *weights) if isinstance(value, torch.Tensor) and value.requires_grad]
        needed = torch.is_grad_enabled() and bool(wanting)
        if needed and not trained:
            trained.append(_made(bound, given, settings))
        if needed and isinstance(trained[0], _Trained):
            return list(_WithBackward.apply(trained[0], len(weights), *weights, *given))  # type: ignore[no-untyped-call]
        with torch.no_grad():
            results = model.run_samples([imported.device_inputs(*given)])[0]
            outputs = imported.finish(results, *given)
        if not needed:
            return outputs
        return list(_WithoutBackward.apply(trained[0], len(wanting), *wanting, *outputs))  # type: ignore[no-untyped-call]

    return run


def _made(bound: _Bound, given: Sequence[Any], settings: Settings) -> _Trained | str:
    """The graph with a backward program, or why there is none."""
    try:
        return _Trained(bound, given, settings, [value.requires_grad for value in given])
    except (ttsim.UnsupportedError, ttsim.InputError) as problem:
        return str(problem)


def reset_state() -> None:
    """Discards everything that torch.compile has compiled."""
    importlib.import_module("torch._dynamo").reset()  # slow to import
