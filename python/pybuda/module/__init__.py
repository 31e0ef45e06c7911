"""Modules, which are placed on devices."""
from .base import Module
from .onnx import OnnxModule
from .pybuda import IntQueueHandle, PyBudaModule
from .pytorch import PyTorchModule
from .refused import JaxModule, MXNetModule, TFGraphDefModule, TFLiteModule, TFModule

__all__ = ["IntQueueHandle", "JaxModule", "MXNetModule", "Module", "OnnxModule", "PyBudaModule", "PyTorchModule",
           "TFGraphDefModule", "TFLiteModule", "TFModule"]
