"""Modules of frameworks that come in through another one."""
from __future__ import annotations

from typing import Any

from .base import Module


class _ThroughOnnx(Module):
    framework = ""
    remedy = ""

    def __init__(self, name: str, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError(f"{type(self).__name__} '{name}': models of {self.framework} are not imported directly; "
                           f"{self.remedy}, and wrap the result by pybuda.OnnxModule(name, onnx.load(path), path)")


class TFModule(_ThroughOnnx):
    framework = "TensorFlow"
    remedy = "convert the model by `python -m tf2onnx.convert --saved-model FOLDER --output MODEL.onnx`"


class TFGraphDefModule(_ThroughOnnx):
    framework = "TensorFlow (GraphDef)"
    remedy = ("convert the graph by `python -m tf2onnx.convert --graphdef FILE --inputs ... --outputs ... --output "
              "MODEL.onnx`")


class TFLiteModule(_ThroughOnnx):
    framework = "TensorFlow Lite"
    remedy = "convert the file by `python -m tf2onnx.convert --tflite FILE --output MODEL.onnx`"


class JaxModule(_ThroughOnnx):
    framework = "JAX"
    remedy = "export the function by jax2onnx.to_onnx()"


class MXNetModule(_ThroughOnnx):
    framework = "MXNet"
    remedy = "export the model by mxnet.onnx.export_model()"
