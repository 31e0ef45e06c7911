"""ONNX models."""
from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import torch
import ttsim

from ..parameter import Parameter
from .base import Module

# operands that are not weights, by op type; empty: all
_FIXED: dict[str, set[int]] = {"BatchNormalization": {3, 4}, "Clip": {1, 2}, "Pad": {2}, "OneHot": {2}, "Resize": set(),
                               "Upsample": set(), "QuantizeLinear": {1, 2}, "DequantizeLinear": {1, 2}, "Range": set(),
                               "Dropout": {1, 2}}


class OnnxModule(Module):
    """A ModelProto, or None with the path of a file. In training its initializers of floats are the parameters."""

    def __init__(self, name: str, module: Any, onnx_path: str) -> None:
        super().__init__(name)
        if module is not None and not hasattr(module, "SerializeToString"):
            raise RuntimeError(f"OnnxModule '{name}' needs a ModelProto as returned by onnx.load(), not a "
                               f"{type(module).__name__}")
        self.module = module
        self.onnx_path = onnx_path
        self._session: Any = None
        self._parameters: list[Parameter] | None = None

    def get_parameters(self) -> list[Parameter]:
        """Initializers of floats with at least one axis. Statistics of batch norms, scales of quantizers and resizes,
        and the like do not require gradients."""
        if self._parameters is None:
            onnx = importlib.import_module("onnx")
            fixed = {name for node in self._model().graph.node for place, name in enumerate(node.input)
                     if node.op_type in _FIXED and (not _FIXED[node.op_type] or place in _FIXED[node.op_type])}
            floats = (onnx.TensorProto.FLOAT, onnx.TensorProto.FLOAT16, onnx.TensorProto.BFLOAT16)
            self._parameters = []
            for tensor in self._model().graph.initializer:
                if tensor.data_type in floats and tensor.dims:
                    value = torch.from_numpy(onnx.numpy_helper.to_array(tensor).astype("float32"))
                    self._parameters.append(Parameter(value, requires_grad=tensor.name not in fixed, name=tensor.name))
        return self._parameters

    def with_values(self, values: Mapping[str, torch.Tensor]) -> OnnxModule:
        """A copy with other values of parameters, for references."""
        onnx = importlib.import_module("onnx")
        model = onnx.ModelProto()
        model.CopyFrom(self._model())
        for tensor in model.graph.initializer:
            if tensor.name in values:
                kind = onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type)
                tensor.CopyFrom(onnx.numpy_helper.from_array(values[tensor.name].detach().numpy().astype(kind),
                                                             tensor.name))
        return OnnxModule(f"{self.get_name()}.reference", model, "")

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
