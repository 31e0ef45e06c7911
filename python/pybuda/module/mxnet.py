"""Models of MXNet, which are refused."""
from __future__ import annotations

from typing import Any

from .base import Module


class MXNetModule(Module):
    """Raises RuntimeError: MXNet was archived in 2023, and its last release does not run on current versions of
    Python."""

    def __init__(self, name: str, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError(f"MXNetModule '{name}': MXNet was archived by its developers in 2023, and has no release for "
                           "this version of Python; export the model to ONNX where MXNet still runs "
                           "(mxnet.onnx.export_model()), and wrap the file: pybuda.OnnxModule(name, None, path)")
