"""The stage of a device that runs an image."""
from __future__ import annotations

from typing import Any

import torch

from ..dtypes import buda_dataformat_to_pytorch_dtype, output_format
from ..parameter import Parameter
from ..stage import DeviceModel, Settings, Stage, narrowed
from ..stage_kinds import as_queue


class ImageStage(Stage):
    """`reference`: the stage that the image was compiled from, if known."""

    def __init__(self, image: Any, settings: Settings, reference: Stage | None = None) -> None:
        self.reference = reference
        self.compiled = image.compiled
        self.host = image.host_parts
        self.saved: list[str] = []
        self.settings = settings

    def start(self) -> None:
        """Begins a session of the image."""
        order = None if self.host is None else (self.host.inputs, self.host.outputs)
        self.device = DeviceModel(self.compiled, self.settings, order)

    def run(self, tensors: Any) -> Any:
        """Outputs, without saved results of ops."""
        if self.host is None:
            return super().run(tensors)
        samples = [narrowed(tensors, at) for at in range(self.settings.microbatch)]
        with torch.no_grad():
            made = self.running.run_samples([self.host.device_inputs(one) for one in samples])
            results = [self.host.finish(result, one) for result, one in zip(made, samples)]
        wide = buda_dataformat_to_pytorch_dtype(output_format(self.settings.data_format))
        return [as_queue(torch.cat(values), wide) for values in zip(*results)], []

    def shapes(self) -> list[tuple[int, ...]]:
        """Shapes of the outputs for one sample."""
        return [tuple(info.shape) for info in self.compiled.outputs]

    def parameters(self) -> dict[str, Parameter]:
        """None: an image has its own."""
        return {}

    def evaluate(self, tensors: Any) -> Any:
        """Evaluates the stage that the image was compiled from. RuntimeError for an image from a file."""
        if self.reference is None:
            raise RuntimeError("a device image has no module to evaluate in torch")
        return self.reference.evaluate(tensors)
