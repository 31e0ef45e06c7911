"""Reads results of ops inside a module."""
import pybuda
import torch


class Gate(pybuda.PyBudaModule):
    def __init__(self, name):
        super().__init__(name)
        self.weights = pybuda.Parameter(torch.rand(32, 32))

    def forward(self, x):
        product = pybuda.op.Matmul("matmul1", x, self.weights)
        return pybuda.op.Multiply("gated", product, pybuda.op.Sigmoid("gate", product))


pybuda.set_configuration_options(op_intermediates_to_save=["matmul1", "gate"])
output_q = pybuda.run_inference(Gate("gates"), inputs=[torch.randn(1, 32, 32)])
matmul1, gate = pybuda.get_intermediates_queue().get()
print("gated as it should be:", torch.allclose(output_q.get()[0].value(), matmul1.value() * gate.value(), atol=0.1))
