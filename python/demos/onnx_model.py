"""Runs an ONNX model on the chip."""
import tempfile

import onnx
import pybuda
import torch

path = tempfile.mkdtemp() + "/model.onnx"
numbers, make = onnx.TensorProto.FLOAT, onnx.helper
weights = torch.randn(64, 32)
graph = make.make_graph(
    [make.make_node("MatMul", ["x", "w"], ["m"]), make.make_node("Sigmoid", ["m"], ["y"])], "gate",
    [make.make_tensor_value_info("x", numbers, [1, 16, 64])], [make.make_tensor_value_info("y", numbers, [1, 16, 32])],
    [make.make_tensor("w", numbers, [64, 32], weights.flatten().tolist())])
onnx.save(make.make_model(graph, opset_imports=[make.make_opsetid("", 13)], ir_version=8), path)
x = torch.randn(1, 16, 64)
module = pybuda.OnnxModule("gate", onnx.load(path), path)
output = pybuda.run_inference(module, inputs=[(x,)]).get()[0].value()
print("largest difference:", float((output - torch.sigmoid(x @ weights)).abs().max()))
