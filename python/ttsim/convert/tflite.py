"""Models of TensorFlow Lite (.tflite)."""
from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from typing import Any

import numpy

from . import flatbuffer
from .base import OPSET, Converted, cached, check_ops, invalid, need, renamed, silenced
from .flatbuffer import ANEW
from .tf_ops import register


def check_file(path: str) -> None:
    """InputError unless the file is a whole flatbuffer of TensorFlow Lite."""
    try:
        with open(path, "rb") as file:
            head = file.read(8)
            size = os.fstat(file.fileno()).st_size
    except OSError as error:
        raise invalid(f"cannot be read: {error.strerror}", path, code="unreadable-file") from error
    if head[4:8] != b"TFL3":
        raise invalid("it is not a model of TensorFlow Lite: the identifier TFL3 is missing", path, ANEW)
    if int.from_bytes(head[:4], "little") >= size:
        raise invalid("the flatbuffer is truncated", path, ANEW)


def interpreter(path: str, signature: str | None = None, outputs: Sequence[str] = ()) -> Any:
    """TensorFlow's interpreter of a file, or of one of its signatures. InputError for one that it cannot read."""
    check_file(path)
    need("tflite", "tensorflow")
    return interpreter_of(flatbuffer.contents(path, signature, outputs), path)


def interpreter_of(content: bytes, path: str) -> Any:
    """As interpreter(), of the bytes of a file."""
    (tf,) = need("tflite", "tensorflow")
    with silenced():
        try:
            return tf.lite.Interpreter(model_content=content)
        except Exception as error:
            message = str(error).strip().splitlines()[0][:300]
            if "custom" in message.lower() or "unresolved" in message.lower():
                raise invalid(f"TensorFlow Lite cannot prepare it: {message}", path, "replace its custom ops") from error
            raise invalid(f"the flatbuffer is truncated or damaged ({message})", path, ANEW) from error


def details(path: str, signature: str | None = None, outputs: Sequence[str] = ()) -> tuple[list[Any], list[Any]]:
    """TensorFlow's descriptions of inputs and outputs, in the order of the file."""
    made = interpreter(path, signature, outputs)
    return made.get_input_details(), made.get_output_details()


def variables(path: str, signature: str | None = None, outputs: Sequence[str] = ()) -> list[tuple[str, Any]]:
    """Names and first values of what a streaming model keeps between runs. They are the last inputs and outputs."""
    check_file(path)
    return [(one.name, one.value) for one in flatbuffer.variables(path, signature, outputs)]


def declared_inputs(path: str, signature: str | None = None,
                    outputs: Sequence[str] = ()) -> list[tuple[str, tuple[int | None, ...], str]]:
    """Names, shapes and numpy types of inputs, in the order of the file; None for open sizes."""
    return [(_plain(one["name"]), tuple(None if size < 0 else int(size) for size in one["shape_signature"]),
             numpy.dtype(one["dtype"]).name) for one in details(path, signature, outputs)[0]]


def run(path: str, values: Sequence[Any], signature: str | None = None, outputs: Sequence[str] = ()) -> list[Any]:
    """Outputs in order, computed by TensorFlow's interpreter, in parts of as many samples as the file has."""
    made = interpreter(path, signature, outputs)
    inputs, results = made.get_input_details(), made.get_output_details()
    for one, value in zip(inputs, values):
        sizes = [int(size) for size in one["shape_signature"]]
        if -1 in sizes:
            made.resize_tensor_input(one["index"], [sizes[0] if sizes[0] > 0 else 1, *value.shape[1:]])
    with silenced():
        try:
            made.allocate_tensors()
        except (RuntimeError, ValueError) as error:
            raise invalid(f"TensorFlow's interpreter cannot run it: {str(error).strip().splitlines()[0][:200]}", path,
                          "export the model without this op") from error
    step = int(made.get_input_details()[0]["shape"][0]) if values[0].ndim else 1
    parts = []
    for at in range(0, max(values[0].shape[0] if values[0].ndim else 1, 1), step):
        for one, value in zip(made.get_input_details(), values):
            made.set_tensor(one["index"], value[at:at + step].astype(one["dtype"]) if value.ndim else value)
        with silenced():
            made.reset_all_variables()
            made.invoke()
        parts.append([made.get_tensor(one["index"]).copy() for one in results])
    return [numpy.concatenate(row) if len(row) > 1 else row[0] for row in zip(*parts)]


def convert(path: str, shapes: Sequence[Sequence[int]] | None = None, signature: str | None = None,
            outputs: Sequence[str] = ()) -> Converted:
    """Converts a file, once in a process; `shapes`: of inputs; `signature`: None for the first graph; `outputs`: tensors
    that are outputs, () for those of the file. InputError for a truncated file, UnsupportedError for ops without a form in
    ONNX."""
    options = ("tflite", signature, tuple(outputs), None if shapes is None else tuple(map(tuple, shapes)))
    return cached(path, options, lambda: _convert(path, shapes, signature, outputs))


def _convert(path: str, shapes: Sequence[Sequence[int]] | None, signature: str | None, chosen: Sequence[str]) -> Converted:
    inputs, outputs = details(path, signature, chosen)
    declared = [tuple(int(size) for size in one["shape_signature"]) for one in inputs]
    made = onnx_of(flatbuffer.contents(path, signature, chosen), [one["name"] for one in inputs], [one["name"] for one in outputs], path)
    for value, open_sizes, shape in zip(_inputs_of(made.model), declared, shapes or declared):
        for dim, size, given in zip(value.type.tensor_type.shape.dim, open_sizes, shape):
            if size < 0 and given > 0:
                dim.dim_value = given
    return renamed(made.model, [_plain(one["name"]) for one in inputs], [_plain(one["name"]) for one in outputs])


def _inputs_of(proto: Any) -> list[Any]:
    weights = {tensor.name for tensor in proto.graph.initializer}
    return [value for value in proto.graph.input if value.name not in weights]


def onnx_of(content: bytes, inputs: Sequence[str], outputs: Sequence[str], path: str) -> Converted:
    """The bytes of a file in ONNX, with inputs and outputs in this order. UnsupportedError."""
    (convert_module,) = need("tflite", "tf2onnx.convert")
    register()
    flatbuffer.check_ops(content, path)
    with silenced(), tempfile.NamedTemporaryFile(suffix=".tflite") as file:
        file.write(flatbuffer.without_states(content))
        file.flush()
        try:
            proto, _ = convert_module.from_tflite(file.name, opset=OPSET)
        except Exception as error:
            raise invalid(f"the converter to ONNX cannot read it: {str(error).strip().splitlines()[-1][:300] if str(error).strip() else type(error).__name__}",
                          path, ANEW) from error
    check_ops(proto, path, "TensorFlow Lite")
    _reorder(proto.graph.input, inputs)
    _reorder(proto.graph.output, outputs)
    return Converted(proto, tuple(value.name for value in _inputs_of(proto)), tuple(value.name for value in proto.graph.output))


def _plain(name: str) -> str:
    """Without the ending that the converter of TensorFlow gives inputs and outputs."""
    return name.removesuffix(":0").removeprefix("serving_default_")


def _reorder(values: Any, names: Sequence[str]) -> None:
    by_name = {value.name: value for value in values}
    if sorted(by_name) != sorted(names):
        return
    kept = [type(by_name[name])() for name in names]
    for copy, name in zip(kept, names):
        copy.CopyFrom(by_name[name])
    del values[:]
    values.extend(kept)
