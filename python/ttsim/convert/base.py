"""Result of a conversion to ONNX, and what the converters share."""
from __future__ import annotations

import contextlib
import dataclasses
import importlib
import logging
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .._ttsim import InputError, UnsupportedError

OPSET = 18  # the newest that tf2onnx writes
ON_HOST = ("a module of pybuda runs such ops in the framework on the host, between parts for the device; a model that has "
           "no others runs on a pybuda.CPUDevice")


@dataclasses.dataclass(frozen=True)
class Converted:
    """An ONNX model with inputs and outputs in the order of the original, and its values as numpy arrays by parameter
    name. `model` is a ModelProto."""
    model: Any
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    def serialized(self) -> bytes:
        """The ModelProto as bytes."""
        return bytes(self.model.SerializeToString())


def invalid(message: str, file: str = "", remedy: str = "", code: str = "invalid-input") -> InputError:
    """An InputError with the attributes that errors of the library have."""
    error = InputError(_text(message, file, remedy))
    _set_attributes(error, message, file, remedy, code)
    return error


def unsupported(message: str, file: str = "", remedy: str = "", ops: Sequence[str] = (),
                found: Sequence[tuple[str, str]] = ()) -> UnsupportedError:
    """An UnsupportedError with the attributes that errors of the library have. `found`: types and places of ops."""
    error = UnsupportedError(_text(message, file, remedy))
    _set_attributes(error, message, file, remedy, "unsupported-op")
    error.ops = tuple(ops) or tuple(name for _, name in found)
    extended: Any = error
    extended.found = tuple(found)
    return error


def _text(message: str, file: str, remedy: str) -> str:
    return (f"{file}: " if file else "") + message + (f"; {remedy}" if remedy else "")


def _set_attributes(error: Any, message: str, file: str, remedy: str, code: str) -> None:
    error.message, error.file, error.remedy, error.code = message, file, remedy, code


def need(extra: str, *names: str) -> list[Any]:
    """Imports modules of a framework. InputError that names the extra to install if one is missing."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")  # TensorFlow's own notes about the machine
    found = []
    for name in names:
        with silenced() if name not in sys.modules else contextlib.nullcontext():
            try:
                found.append(importlib.import_module(name))
            except ModuleNotFoundError as error:
                missing = error.name or name
                raise invalid(f"the Python package '{missing.split('.')[0]}' is missing",
                              remedy=f"install it: pip install 'ttsim[{extra}]'", code="missing-package") from error
    return found


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Keeps the notes of converters and frameworks from the terminal: what matters is raised as an error."""
    loggers = [logging.getLogger(name) for name in ("tf2onnx", "tensorflow", "jax2onnx", "onnx_ir", "absl", "torch.onnx")]
    levels = [one.level for one in loggers]
    for one in loggers:
        one.setLevel(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        for one, level in zip(loggers, levels):
            one.setLevel(level)


@contextlib.contextmanager
def silenced() -> Iterator[None]:
    """quiet(), and without what C++ code of a framework writes to standard error."""
    sys.stderr.flush()
    with quiet(), open(os.devnull, "w") as nowhere:
        kept = os.dup(2)
        os.dup2(nowhere.fileno(), 2)
        try:
            yield
        finally:
            sys.stderr.flush()
            os.dup2(kept, 2)
            os.close(kept)


def check_ops(model: Any, file: str = "", framework: str = "TensorFlow") -> None:
    """UnsupportedError for nodes that the converter left as ops of the framework."""
    onnx = importlib.import_module("onnx")
    found: list[tuple[str, str]] = []

    def search(graph: Any) -> None:
        for node in graph.node:
            if node.domain in ("", "ai.onnx") and not onnx.defs.has(node.op_type):
                found.append((node.op_type.removeprefix("TFL_"), node.name))
            elif node.domain not in ("", "ai.onnx", "ai.onnx.ml", "com.microsoft"):
                found.append((node.op_type, node.name))
            for attribute in node.attribute:
                for inner in ([attribute.g] if attribute.HasField("g") else list(attribute.graphs)):
                    search(inner)

    search(model.graph)
    if found:
        listed = ", ".join(f"{op} ('{name}')" for op, name in found[:8])
        more = f" and {len(found) - 8} more" if len(found) > 8 else ""
        raise unsupported(f"the converter to ONNX has no form of these ops of {framework}: {listed}{more}", file,
                          ON_HOST, found=found)


def renamed(model: Any, inputs: Sequence[str], outputs: Sequence[str]) -> Converted:
    """Gives inputs and outputs of a model, in order, these names, where no other value has them."""
    graph = model.graph
    weights = {tensor.name for tensor in graph.initializer}
    given = [value for value in graph.input if value.name not in weights]
    taken = {name for node in graph.node for name in node.output} | weights
    new: dict[str, str] = {}
    for values, names in ((given, inputs), (graph.output, outputs)):
        for value, name in zip(values, names):
            if value.name != name and value.name not in new and name not in taken:
                new[value.name] = name
                taken.add(name)
    _rename(graph, new)
    graph.ClearField("value_info")
    return Converted(model, tuple(value.name for value in given), tuple(value.name for value in graph.output))


def _rename(graph: Any, new: dict[str, str]) -> None:
    for value in [*graph.input, *graph.output]:
        value.name = new.get(value.name, value.name)
    for tensor in graph.initializer:
        tensor.name = new.get(tensor.name, tensor.name)
    for node in graph.node:
        node.input[:] = [new.get(name, name) for name in node.input]
        node.output[:] = [new.get(name, name) for name in node.output]
        for attribute in node.attribute:
            for inner in ([attribute.g] if attribute.HasField("g") else list(attribute.graphs)):
                _rename(inner, new)


_cache: dict[Any, Converted] = {}


def cached(path: str, options: Any, make: Callable[[], Converted]) -> Converted:
    """make() once for a file in its present state and the options."""
    try:
        state = os.stat(path)
    except OSError:
        return make()
    key = (os.path.realpath(path), state.st_mtime_ns, state.st_size, options)
    if key not in _cache:
        while len(_cache) >= 8:  # models are large
            _cache.pop(next(iter(_cache)))
        _cache[key] = make()
    return _cache[key]
