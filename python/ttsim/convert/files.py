"""Files of models, by their kind."""
from __future__ import annotations

import os
from typing import Any

from . import keras_file, saved_model
from .base import invalid


def load_tensorflow(path: str, signature: str | None = None) -> Any:
    """The model of a .keras file, or a signature of a SavedModel folder. InputError, UnsupportedError."""
    if os.path.isdir(path):
        with saved_model.loaded(path) as model:
            function = saved_model.choose_signature(model, signature, path)
            function._ttsim_owner = model  # its variables live as long as it does
            return function
    if path.endswith(".keras"):
        return keras_file.load(path)
    raise invalid("it is neither a SavedModel folder nor a .keras file", path,
                  "pybuda.TFGraphDefModule reads .pb files, and pybuda.TFLiteModule .tflite files")
