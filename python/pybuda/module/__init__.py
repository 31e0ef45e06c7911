"""Modules, which are placed on devices."""
from .base import Module
from .framework import FrameworkModule
from .jax import JaxModule
from .mxnet import MXNetModule
from .onnx import OnnxModule
from .pybuda import IntQueueHandle, PyBudaModule
from .pytorch import PyTorchModule
from .tensorflow import TFGraphDefModule, TFLiteModule, TFModule

__all__ = ["FrameworkModule", "IntQueueHandle", "JaxModule", "MXNetModule", "Module", "OnnxModule", "PyBudaModule", "PyTorchModule",
           "TFGraphDefModule", "TFLiteModule", "TFModule"]
