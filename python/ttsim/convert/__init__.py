"""Converts models of TensorFlow, TensorFlow Lite, JAX and torch.export to ONNX, which ttsim.Graph.from_onnx() reads.

The frameworks are imported where a function needs them; without them it raises InputError, which names the extra to
install. No code of a file is executed."""
from . import (exported, graph_def, jax, keras_file, parts, saved_model, tensorflow, tensorflow_parts, tflite,
               tflite_parts)
from .base import Converted
from .files import convert_file, load_tensorflow

__all__ = ["Converted", "convert_file", "exported", "graph_def", "jax", "keras_file", "load_tensorflow", "parts", "saved_model",
           "tensorflow", "tensorflow_parts", "tflite", "tflite_parts"]
