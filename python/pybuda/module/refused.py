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
    """RuntimeError, which says how a TensorFlow model becomes ONNX."""
    framework = "TensorFlow"
    remedy = "convert the model by `python -m tf2onnx.convert --saved-model FOLDER --output MODEL.onnx`"


class TFGraphDefModule(_ThroughOnnx):
    """RuntimeError, which says how a GraphDef becomes ONNX."""
    framework = "TensorFlow (GraphDef)"
    remedy = ("convert the graph by `python -m tf2onnx.convert --graphdef FILE --inputs ... --outputs ... --output "
              "MODEL.onnx`")


class TFLiteModule(_ThroughOnnx):
    """RuntimeError, which says how a TFLite file becomes ONNX."""
    framework = "TensorFlow Lite"
    remedy = "convert the file by `python -m tf2onnx.convert --tflite FILE --output MODEL.onnx`"


class JaxModule(_ThroughOnnx):
    """RuntimeError, which says how a JAX function becomes ONNX."""
    framework = "JAX"
    remedy = "export the function by jax2onnx.to_onnx()"


class MXNetModule(_ThroughOnnx):
    """RuntimeError, which says how an MXNet model becomes ONNX."""
    framework = "MXNet"
    remedy = "export the model by mxnet.onnx.export_model()"
