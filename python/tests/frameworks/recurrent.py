"""A .tflite file with one recurrent op, as older converters of TensorFlow wrote them."""
import numpy
from tensorflow.lite.python import schema_py_generated as schema
from tensorflow.lite.tools import flatbuffer_utils

FEATURES, HIDDEN = 8, 16


def write(path, kind, time_major=False, samples=2, steps=5, peepholes=False, seed=0):
    """`kind`: LSTM, RNN or SVDF. Input and output are [sample, time, feature], or [time, sample, feature]; of SVDF
    [sample, feature]."""
    rng = numpy.random.default_rng(seed)
    model, graph = schema.ModelT(), schema.SubGraphT()
    model.version, model.description, model.metadata, model.signatureDefs = 3, b"", [], []
    model.buffers, model.subgraphs = [schema.BufferT()], [graph]
    graph.tensors, graph.name = [], b"main"

    def tensor(name, shape, values=None, variable=False):
        made = schema.TensorT()
        made.name, made.shape, made.type, made.isVariable = name.encode(), list(shape), 0, variable
        made.buffer = 0
        if values is not None:
            buffer = schema.BufferT()
            buffer.data = numpy.frombuffer(values.astype("float32").tobytes(), numpy.uint8)
            model.buffers.append(buffer)
            made.buffer = len(model.buffers) - 1
        graph.tensors.append(made)
        return len(graph.tensors) - 1

    def weights(name, *shape):
        return tensor(name, shape, rng.normal(0, 0.5, shape))
    lead = (samples,) if kind == "SVDF" else (steps, samples) if time_major else (samples, steps)
    x, y = tensor("x", (*lead, FEATURES)), tensor("y", (*lead, HIDDEN))
    operator, options = schema.OperatorT(), None
    state = [tensor(name, (samples, HIDDEN), variable=True) for name in ("h", "c")]
    if kind == "LSTM":
        given = [x, *(weights(f"w{at}", HIDDEN, FEATURES) for at in range(4)), *(weights(f"r{at}", HIDDEN, HIDDEN) for at in range(4)),
                 *([weights(f"p{at}", HIDDEN) for at in range(3)] if peepholes else [-1] * 3),
                 *(weights(f"b{at}", HIDDEN) for at in range(4)), -1, -1, *state, -1, -1, -1, -1]
        options = schema.UnidirectionalSequenceLSTMOptionsT()
        operator.builtinOptionsType = schema.BuiltinOptions.UnidirectionalSequenceLSTMOptions
        code = schema.BuiltinOperator.UNIDIRECTIONAL_SEQUENCE_LSTM
    elif kind == "SVDF":
        rank, memory = 2, 7
        filters = rank * HIDDEN
        given = [x, weights("w", filters, FEATURES), weights("t", filters, memory), weights("b", HIDDEN),
                 tensor("s", (samples, memory * filters), variable=True)]
        options = schema.SVDFOptionsT()
        options.rank = rank
        operator.builtinOptionsType = schema.BuiltinOptions.SVDFOptions
        code = schema.BuiltinOperator.SVDF
    else:
        given = [x, weights("w", HIDDEN, FEATURES), weights("r", HIDDEN, HIDDEN), weights("b", HIDDEN), state[0]]
        options = schema.SequenceRNNOptionsT()
        operator.builtinOptionsType = schema.BuiltinOptions.SequenceRNNOptions
        code = schema.BuiltinOperator.UNIDIRECTIONAL_SEQUENCE_RNN
    options.fusedActivationFunction = 1 if kind == "SVDF" else 4
    if kind != "SVDF":
        options.timeMajor = time_major
    operator.inputs, operator.outputs, operator.builtinOptions, operator.opcodeIndex = given, [y], options, 0
    graph.operators, graph.inputs, graph.outputs = [operator], [x], [y]
    entry = schema.OperatorCodeT()
    entry.builtinCode = entry.deprecatedBuiltinCode = code
    entry.version = 1
    model.operatorCodes = [entry]
    path.write_bytes(bytes(flatbuffer_utils.convert_object_to_bytearray(model)))
    return rng.normal(0, 1, (*lead, FEATURES)).astype("float32")
