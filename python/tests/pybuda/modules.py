"""Modules that several tests run."""
import pybuda
import torch
import ttsim


class Add(pybuda.PyBudaModule):
    def forward(self, a, b):
        return pybuda.op.Add("add1", a, b)


class TwoProducts(pybuda.PyBudaModule):
    """Two products of two inputs, and the second's gelu."""

    def __init__(self, name):
        super().__init__(name)
        self.weights1 = pybuda.Parameter(torch.rand(64, 64) / 8, requires_grad=True)
        self.weights2 = pybuda.Parameter(torch.rand(64, 64) / 8, requires_grad=True)

    def forward(self, a, b):
        m1 = pybuda.op.Matmul("matmul1", a, self.weights1)
        m2 = pybuda.op.Matmul("matmul2", b, self.weights2)
        return pybuda.op.Add("sum", m1, m2), pybuda.op.Gelu("gelu", m2)

    def reference(self, a, b):
        m1, m2 = a @ self.weights1.value(), b @ self.weights2.value()
        return m1 + m2, torch.nn.functional.gelu(m2)


def netlist_ops(text):
    """Ops of a netlist by name, in order."""
    return {op.name: op for op in ttsim.Netlist.from_text(text).ops}


def close(got, want, share=0.03):
    """Whether values differ by no more than a share of the largest."""
    value = got.value() if hasattr(got, "value") else got
    value, want = value.detach().float(), want.detach().float()
    return float((value - want).abs().max()) <= share * float(want.abs().max())
