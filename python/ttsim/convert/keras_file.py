"""Files of Keras (.keras)."""
from __future__ import annotations

import json
import zipfile
from typing import Any

from .base import invalid, need, silenced, unsupported
from .tensorflow import first_line


def load(path: str) -> Any:
    """The Keras model of a file. UnsupportedError for layers that hold Python code, or whose classes Keras does not
    have: nothing of the file is executed. InputError for other files."""
    try:
        with zipfile.ZipFile(path) as archive:
            config = json.loads(archive.read("config.json"))
    except OSError as error:
        raise invalid(f"cannot be read: {error.strerror}", path, code="unreadable-file") from error
    except (zipfile.BadZipFile, KeyError, ValueError, RuntimeError) as error:
        raise invalid("it is not a file of Keras 3, or it is truncated", path,
                      "write it anew with model.save('model.keras')") from error
    _check(config, path)
    (keras,) = need("tensorflow", "keras")
    with silenced():
        try:
            return keras.models.load_model(path, compile=False, safe_mode=True)
        except Exception as error:
            raise invalid(f"Keras cannot load it: {first_line(error)}", path,
                          "write it anew with model.save() of this version of Keras") from error


def _check(config: Any, path: str) -> None:
    if isinstance(config, list):
        for one in config:
            _check(one, path)
    if not isinstance(config, dict):
        return
    kind, module = config.get("class_name"), config.get("module")
    name = config.get("config", {}).get("name", "") if isinstance(config.get("config"), dict) else ""
    if kind in ("Lambda", "__lambda__"):
        raise unsupported(f"layer '{name}' is a Lambda layer: it holds Python code, which is not executed from a file",
                          path, "replace it by layers or keras.ops, or load the model yourself and pass it to "
                          "pybuda.TFModule", [str(name)])
    if isinstance(kind, str) and isinstance(module, str) and module != "builtins" \
            and module.split(".")[0] not in ("keras", "keras_hub"):
        raise unsupported(f"layer '{name}' is of class {module}.{kind}, which Keras does not have, and code is not "
                          "imported for a file", path, "load the model yourself and pass it to pybuda.TFModule", [str(name)])
    for value in config.values():
        _check(value, path)
