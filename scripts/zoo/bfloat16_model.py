"""ONNX models in which each result is rounded to bfloat16: what that number format itself costs a model."""


def rounded(values):
    """Float32 numbers with the 8 significant bits of bfloat16, to nearest, ties to even."""
    import numpy
    bits = numpy.ascontiguousarray(values, "float32").view("uint32")
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).astype("uint32").view("float32").reshape(numpy.shape(values))


def rounds(name, types):
    """Nodes that round the value `name`_exact to `name`, if it has floats."""
    from onnx import TensorProto, helper
    if types.get(name) != TensorProto.FLOAT:
        return []
    return [helper.make_node("Cast", [name + "_exact"], [name + "_short"], to=TensorProto.BFLOAT16),
            helper.make_node("Cast", [name + "_short"], [name], to=TensorProto.FLOAT)]


def in_bfloat16(model):
    """A copy of a ModelProto with rounded constants, inputs and results. Products and sums within an op are not rounded,
    and neither are the graphs of loops and branches."""
    import onnx
    from onnx import TensorProto, numpy_helper
    made = onnx.shape_inference.infer_shapes(model)
    graph = made.graph
    types = {value.name: value.type.tensor_type.elem_type for value in (*graph.value_info, *graph.output)}
    for tensor in graph.initializer:
        if tensor.data_type == TensorProto.FLOAT:
            tensor.CopyFrom(numpy_helper.from_array(rounded(numpy_helper.to_array(tensor)), tensor.name))
    nodes = []
    for node in graph.node:
        after = [one for name in node.output for one in rounds(name, types)]
        for place, name in enumerate(node.output):
            if types.get(name) == TensorProto.FLOAT:
                node.output[place] = name + "_exact"
        nodes += [node, *after]
    kept = [onnx.NodeProto.FromString(node.SerializeToString()) for node in nodes]
    del graph.node[:], graph.value_info[:]
    graph.node.extend(kept)
    return made


def results(model, values, names):
    """Results of a ModelProto in bfloat16, computed by onnxruntime; None if it does not compute an op. `values`: arrays in the
    order of the inputs."""
    import numpy
    import onnxruntime
    from onnxruntime.capi import onnxruntime_pybind11_state as errors
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL  # it would remove the rounding
    options.log_severity_level = 3
    try:
        session = onnxruntime.InferenceSession(in_bfloat16(model).SerializeToString(), options)
        given = {one.name: rounded(value) if value.dtype == numpy.float32 else value
                 for one, value in zip(session.get_inputs(), values)}
        return session.run(list(names), given)
    except (errors.InvalidArgument, errors.NotImplemented, errors.Fail):
        return None
