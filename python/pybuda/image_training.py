"""The stage of a device whose image trains."""
from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from typing import Any

import torch

from .parameter import Parameter
from .stage import Settings
from .train_stages import OfGraphInputs, Plan, saved_op


class ImageTraining(OfGraphInputs):
    """The parameters and the optimizer are those of the image. RuntimeError for other micro-batches, and where earlier
    devices need gradients that it does not compute."""

    def __init__(self, image: Any, settings: Settings, plan: Plan) -> None:
        self.begin(plan, settings.device.name)
        self.settings, self.compiled = settings, image.compiled
        if image.microbatch_size != settings.microbatch:
            raise RuntimeError(f"image '{image.path}' is compiled for micro-batches of {image.microbatch_size}, and "
                               f"{settings.microbatch} samples were pushed; push as many")
        given = [info for info in self.compiled.inputs if not info.name.startswith("loss_")]
        results = [info for info in self.compiled.outputs if not info.name.startswith("grad_")
                   and saved_op(info.name) is None]
        self.saved = [op for info in self.compiled.outputs if (op := saved_op(info.name)) is not None]
        gradients = {info.name.removeprefix("loss_") for info in self.compiled.inputs if info not in given}
        kept = [info for info in self.compiled.outputs if saved_op(info.name) and info.name in gradients]
        self.results, self.graph = results, types.SimpleNamespace(inputs=given, outputs=[*results, *kept])
        computed = {info.name for info in self.compiled.outputs}
        for info, wanted in zip(given, plan.wanted):
            if wanted and f"grad_{info.name}" not in computed:
                raise RuntimeError(f"image '{image.path}' has no gradient of input '{info.name}', which the device before "
                                   "it needs; compile it with a sample input that has requires_grad")
        self.wanted = [f"grad_{info.name}" in computed for info in given]
        self.trained = [info.name for info in self.trainer.parameters]
        self._parameters = {name: Parameter(torch.from_numpy(self.trainer.parameter(name).copy()), name=name)
                            for name in self.trained}
        self.has_optimizer = any(queue.name.startswith("lr_") for queue in self.compiled.layout.queues)

    def own_outputs(self) -> list[Any]:
        """Without saved results of ops."""
        return list(self.results)

    def input_names(self) -> list[str | None]:
        """Of the graph."""
        return [info.name for info in self.graph.inputs]

    def parameters(self) -> dict[str, Parameter]:
        """Those of the image, by name."""
        return self._parameters

    def shapes(self) -> list[tuple[int, ...]]:
        """Shapes of the outputs for one sample."""
        return [tuple(info.shape) for info in self.results]

    def check_trained(self, values: Mapping[str, torch.Tensor], samples: Sequence[Any]) -> None:
        """Was checked when the image was written."""

    def reference(self, values: Mapping[str, torch.Tensor], tensors: Sequence[Any], sample: int = 0) -> list[torch.Tensor]:
        """Zeros in the shapes of the outputs: an image has no module to evaluate in torch."""
        return [torch.zeros(shape) for shape in self.shapes()]
