"""ONNX models."""
from __future__ import annotations

import importlib
from typing import Any

import torch
import ttsim

from .base import Module


class OnnxModule(Module):
    """A ModelProto, or None with the path of a file. For inference only."""

    def __init__(self, name: str, module: Any, onnx_path: str) -> None:
        super().__init__(name)
        if module is not None and not hasattr(module, "SerializeToString"):
            raise RuntimeError(f"OnnxModule '{name}' needs a ModelProto as returned by onnx.load(), not a "
                               f"{type(module).__name__}")
        self.module = module
        self.onnx_path = onnx_path
        self._session: Any = None

    def graph_of(self, shapes: list[tuple[int, ...]]) -> Any:
        """The ttsim.Graph; inputs with symbolic sizes get `shapes`, in order. ttsim.InputError, ttsim.UnsupportedError
        for a model that cannot be compiled."""
        source = self.onnx_path if self.module is None else self.module.SerializeToString()
        names = self._open_inputs()
        return ttsim.Graph.from_onnx(source, dict(zip(names, shapes)) if names else None)

    def _open_inputs(self) -> list[str]:
        """Names of the inputs if any size is symbolic, else []."""
        model = self._model()
        weights = {tensor.name for tensor in model.graph.initializer}
        inputs = [value for value in model.graph.input if value.name not in weights]
        still_open = any(not dim.HasField("dim_value") for value in inputs for dim in value.type.tensor_type.shape.dim)
        return [value.name for value in inputs] if still_open else []

    def _model(self) -> Any:
        if self.module is None:
            self.module = importlib.import_module("onnx").load(self.onnx_path)
        return self.module

    def forward(self, *args: torch.Tensor) -> list[torch.Tensor]:
        """Runs onnxruntime on the host. Inputs are cast to the model's types, and a larger batch than the model's is
        split."""
        if self._session is None:
            self._session = importlib.import_module("onnxruntime").InferenceSession(self._model().SerializeToString())
        inputs = self._session.get_inputs()
        batch = inputs[0].shape[0] if inputs and inputs[0].shape else None
        size = args[0].shape[0] if args and args[0].dim() else 1
        step = batch if isinstance(batch, int) else size
        parts = [self._run(inputs, [arg[at:at + step] if arg.dim() and arg.shape[0] == size else arg for arg in args])
                 for at in range(0, size, step)]
        return [torch.cat(values) if len(values) > 1 else values[0] for values in zip(*parts)]

    def _run(self, inputs: Any, args: Any) -> list[torch.Tensor]:
        types = {"tensor(float)": torch.float32, "tensor(int64)": torch.int64, "tensor(int32)": torch.int32,
                 "tensor(float16)": torch.float16, "tensor(bool)": torch.bool, "tensor(double)": torch.float64}
        given = {info.name: arg.detach().to(types[info.type]).numpy() for info, arg in zip(inputs, args)}
        return [torch.from_numpy(value) for value in self._session.run(None, given)]

    cpu_eval_forward = forward
