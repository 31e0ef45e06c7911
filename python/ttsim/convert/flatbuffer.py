"""Rewrites .tflite files into ops that tf2onnx and TensorFlow's interpreter have: sparse weights become dense, the
transposed convolution of MediaPipe becomes that of TensorFlow Lite, and variables become inputs and outputs."""
from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy

from .._ttsim import Error
from . import tflite_lstm, tflite_outputs, tflite_signatures, tflite_variables
from .base import ON_HOST, invalid, need, unsupported

ANEW = "write it anew with tf.lite.TFLiteConverter, or download it again"
_MEDIAPIPE_CONVOLUTION = b"Convolution2DTransposeBias"
_cache: dict[Any, tuple[bytes, list[tflite_variables.Variable]]] = {}


def contents(path: str, signature: str | None = None, outputs: Sequence[str] = ()) -> bytes:
    """The bytes of a file, rewritten if necessary; each file once in a process. `signature`: whose graph is the model;
    None: the first graph. `outputs`: tensors that are its outputs; (): its own. InputError for a damaged file, for unknown
    names, and for custom ops that the interpreter does not have; UnsupportedError for variables that cannot be inputs."""
    return _read(path, signature, outputs)[0]


def variables(path: str, signature: str | None = None, outputs: Sequence[str] = ()) -> list[tflite_variables.Variable]:
    """The variables of a file, which are the last inputs and outputs of contents()."""
    return _read(path, signature, outputs)[1]


def _read(path: str, signature: str | None, outputs: Sequence[str]) -> tuple[bytes, list[tflite_variables.Variable]]:
    state = os.stat(path)
    key = (os.path.realpath(path), state.st_mtime_ns, state.st_size, signature, tuple(outputs))
    if key not in _cache:
        while len(_cache) >= 4:
            _cache.pop(next(iter(_cache)))
        with open(path, "rb") as file:
            data = file.read()
        _cache[key] = _rewritten(data, path, signature, outputs)
    return _cache[key]


def _rewritten(data: bytes, path: str, signature: str | None,
               outputs: Sequence[str]) -> tuple[bytes, list[tflite_variables.Variable]]:
    (utils,) = need("tflite", "tensorflow.lite.tools.flatbuffer_utils")
    try:
        model = utils.read_model_from_bytearray(bytearray(data))
        changed = signature is not None or bool(outputs)
        if signature is not None:
            tflite_signatures.select(model, signature, path)
        if outputs:
            tflite_outputs.select(model, outputs, path)
        for graph in model.subgraphs:
            for tensor in graph.tensors:
                (tensor.name or b"").decode()  # the interpreter's descriptions need valid names
            changed = _densify(model, graph) or changed
            changed = _replace_convolutions(model, graph) or changed
        states = tflite_variables.replace(model, path)
        made = bytes(utils.convert_object_to_bytearray(model)) if changed or states else data
        tflite_outputs.refuse_unknown(model, made, path)
        return made, states
    except Error:
        raise
    except Exception as error:  # of any kind: offsets of a damaged file lead anywhere
        raise invalid("the flatbuffer is truncated or damaged", path, ANEW) from error


def without_states(data: bytes) -> bytes:
    """For tf2onnx, which takes no recurrent ops with states."""
    (utils,) = need("tflite", "tensorflow.lite.tools.flatbuffer_utils")
    model = utils.read_model_from_bytearray(bytearray(data))
    codes = {utils.opcode_to_name(model, index): index for index in range(len(model.operatorCodes))}
    changed = [tflite_lstm.without_states(graph, codes) for graph in model.subgraphs]
    return bytes(utils.convert_object_to_bytearray(model)) if any(changed) else data


def operator_name(model: Any, operator: Any) -> str:
    """The name of the type, of custom ops too."""
    (utils,) = need("tflite", "tensorflow.lite.tools.flatbuffer_utils")
    code = model.operatorCodes[operator.opcodeIndex]
    return str(code.customCode.decode() if code.customCode else utils.opcode_to_name(model, operator.opcodeIndex))


def check_ops(data: bytes, path: str) -> None:
    """UnsupportedError that names ops for which tf2onnx has no handler."""
    utils, handler = need("tflite", "tensorflow.lite.tools.flatbuffer_utils", "tf2onnx.handler")
    model = utils.read_model_from_bytearray(bytearray(data))
    known = {name for versions in handler.tf_op.get_opsets().values() for handlers in versions for name in handlers}
    found: list[tuple[str, str]] = []
    for graph in model.subgraphs:
        for operator in graph.operators:
            name = operator_name(model, operator)
            recurrent = tflite_lstm.problem(name, operator, graph) if name in tflite_lstm.NAMES else ""
            if recurrent:
                found.append((f"{name} with {recurrent}", graph.tensors[operator.outputs[0]].name.decode()))
            elif f"TFL_{name}" not in known and name not in known and not name.startswith("Flex"):
                place = graph.tensors[operator.outputs[0]].name.decode() if len(operator.outputs) else ""
                found.append((name, place))
    if found:
        kinds = dict(reversed(found))  # the first of each type
        listed = ", ".join(f"{name} ('{place}')" for name, place in reversed(kinds.items()))
        raise unsupported(f"the converter to ONNX has no form of these ops of TensorFlow Lite: {listed}", path,
                          ON_HOST,
                          found=found)


# --- sparse weights

def _densify(model: Any, graph: Any) -> bool:
    sparse = [tensor for tensor in graph.tensors if tensor.sparsity is not None]
    for tensor in sparse:
        buffer = model.buffers[tensor.buffer]
        dtype = {0: numpy.float32, 1: numpy.float16, 9: numpy.int8}[tensor.type]
        values = numpy.frombuffer(bytes(buffer.data), dtype)
        buffer.data = numpy.frombuffer(dense_values(values, list(tensor.shape), tensor.sparsity).tobytes(), numpy.uint8)
        tensor.sparsity = None
    kept = []
    for operator in graph.operators:
        code = model.operatorCodes[operator.opcodeIndex]
        if max(code.builtinCode, code.deprecatedBuiltinCode) == 124:  # DENSIFY
            _replace_tensor(graph, int(operator.outputs[0]), int(operator.inputs[0]))
        else:
            kept.append(operator)
    graph.operators = kept
    return bool(sparse)


def _replace_tensor(graph: Any, old: int, new: int) -> None:
    for operator in graph.operators:
        operator.inputs = [new if one == old else int(one) for one in operator.inputs]
    graph.outputs = [new if one == old else int(one) for one in graph.outputs]


def dense_values(values: Any, shape: list[int], sparsity: Any) -> Any:
    """The dense tensor of stored values. Each level of `sparsity` has all indices of a dimension, or those listed
    between two segments; levels beyond the rank are indices in blocks."""
    rank, places = len(shape), numpy.zeros(1, numpy.int64)
    order = [int(dim) for dim in sparsity.traversalOrder]
    block_dims = [] if sparsity.blockMap is None else [int(dim) for dim in sparsity.blockMap]
    indices: dict[int, Any] = {}
    for level, meta in enumerate(sparsity.dimMetadata):
        if meta.format == 0:
            size = int(meta.denseSize)
            repeated = numpy.repeat(numpy.arange(len(places)), size)
            own = numpy.tile(numpy.arange(size), len(places))
            places = places[repeated] * size + own
        else:
            segments = numpy.asarray(meta.arraySegments.values, numpy.int64)
            counts = segments[places + 1] - segments[places]
            repeated = numpy.repeat(numpy.arange(len(places)), counts)
            first = numpy.repeat(segments[places] - numpy.cumsum(counts) + counts, counts)
            places = first + numpy.arange(len(repeated))
            own = numpy.asarray(meta.arrayIndices.values, numpy.int64)[places]
        indices = {dim: index[repeated] for dim, index in indices.items()} | {order[level]: own}
    for block, dim in enumerate(block_dims):
        size = int(sparsity.dimMetadata[order.index(rank + block)].denseSize)
        indices[dim] = indices[dim] * size + indices[rank + block]
    made = numpy.zeros(shape, values.dtype)
    made[tuple(indices[dim] for dim in range(rank))] = values[places]
    return made


# --- the transposed convolution of MediaPipe

def _replace_convolutions(model: Any, graph: Any) -> bool:
    (schema,) = need("tflite", "tensorflow.lite.python.schema_py_generated")
    changed = False
    for operator in graph.operators:
        if model.operatorCodes[operator.opcodeIndex].customCode != _MEDIAPIPE_CONVOLUTION:
            continue
        changed = True
        padding, width, height = (int(one) for one in numpy.frombuffer(bytes(operator.customOptions)[:12], "<i4"))
        picture, weights, bias = (int(one) for one in operator.inputs)
        sizes = numpy.asarray(graph.tensors[int(operator.outputs[0])].shape, "<i4")
        shape = schema.TensorT()
        shape.name, shape.shape, shape.type = b"output_shape_of_" + graph.tensors[int(operator.outputs[0])].name, [4], 2
        shape.buffer, shape.shapeSignature = len(model.buffers), None
        buffer = schema.BufferT()
        buffer.data = numpy.frombuffer(sizes.tobytes(), numpy.uint8)
        model.buffers.append(buffer)
        graph.tensors.append(shape)
        operator.inputs = [len(graph.tensors) - 1, weights, picture, bias]
        options = schema.TransposeConvOptionsT()
        options.padding, options.strideW, options.strideH = (0 if padding == 1 else 1), width, height
        operator.builtinOptions, operator.builtinOptionsType = options, schema.BuiltinOptions.TransposeConvOptions
        operator.customOptions = None
        operator.opcodeIndex = _opcode(model, schema)
    return changed


def _opcode(model: Any, schema: Any) -> int:
    code = schema.OperatorCodeT()
    code.builtinCode = code.deprecatedBuiltinCode = schema.BuiltinOperator.TRANSPOSE_CONV
    code.version = 3  # with a bias
    model.operatorCodes.append(code)
    return len(model.operatorCodes) - 1
