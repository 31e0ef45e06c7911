"""Modules of frameworks that must be converted to ONNX first."""
from __future__ import annotations

from typing import Any

from .base import Module


class _ThroughOnnx(Module):
    framework = ""
    remedy = ""

    def __init__(self, name: str, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError(f"{type(self).__name__} '{name}': models of {self.framework} are not imported directly; "
                           f"{self.remedy}, and wrap the result with pybuda.OnnxModule(name, onnx.load(path), path)")


class TFModule(_ThroughOnnx):
    """Raises RuntimeError that describes how to convert a TensorFlow model to ONNX."""
    framework = "TensorFlow"
    remedy = "convert the model with `python -m tf2onnx.convert --saved-model FOLDER --output MODEL.onnx`"


class TFGraphDefModule(_ThroughOnnx):
    """Raises RuntimeError that describes how to convert a GraphDef to ONNX."""
    framework = "TensorFlow (GraphDef)"
    remedy = ("convert the graph with `python -m tf2onnx.convert --graphdef FILE --inputs ... --outputs ... --output "
              "MODEL.onnx`")


class TFLiteModule(_ThroughOnnx):
    """Raises RuntimeError that describes how to convert a TFLite file to ONNX."""
    framework = "TensorFlow Lite"
    remedy = "convert the file with `python -m tf2onnx.convert --tflite FILE --output MODEL.onnx`"


class JaxModule(_ThroughOnnx):
    """Raises RuntimeError that describes how to convert a JAX function to ONNX."""
    framework = "JAX"
    remedy = "export the function with jax2onnx.to_onnx()"


class MXNetModule(_ThroughOnnx):
    """Raises RuntimeError that describes how to convert an MXNet model to ONNX."""
    framework = "MXNet"
    remedy = "export the model with mxnet.onnx.export_model()"
