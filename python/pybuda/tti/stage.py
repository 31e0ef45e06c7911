"""An image as what a device runs."""
from __future__ import annotations

from typing import Any

from ..parameter import Parameter
from ..stage import DeviceModel, Settings
from ..stage_kinds import Stage


class ImageStage(Stage):
    def __init__(self, image: Any, settings: Settings) -> None:
        self.compiled = image.compiled
        self.saved: list[str] = []
        self.settings = settings

    def start(self) -> None:
        self.device = DeviceModel(self.compiled, self.settings)

    def shapes(self) -> list[tuple[int, ...]]:
        return [tuple(info.shape) for info in self.compiled.outputs]

    def parameters(self) -> dict[str, Parameter]:
        return {}

    def evaluate(self, tensors: Any) -> Any:
        raise RuntimeError("a device image holds no module to evaluate in torch")
