"""Graphs of pybuda's ops drawn at random, verified on both chips: forks, joins, products, moves and reductions."""
import random

import pybuda
import pytest
import torch
from pybuda import op
from pybuda.verify import verify_module

UNARY = [op.Exp, op.Abs, op.Sigmoid, op.Tanh, op.Relu, op.Gelu, op.Buffer, op.Sine, op.Identity]
BINARY = [op.Add, op.Multiply, op.Subtract, op.Max, op.Min, op.Heaviside]
KINDS = ["unary", "unary", "binary", "binary", "matmul", "transpose", "softmax", "reduce", "concatenate", "reshape"]


class Drawn(pybuda.PyBudaModule):
    """Each op takes what some op, input or parameter before it gives; all results have one shape."""

    def __init__(self, name, seed):
        super().__init__(name)
        draw = self.draw = random.Random(seed)
        self.dims = (1, draw.choice([1, 2, 3]), draw.choice([17, 32, 64]), draw.choice([20, 32, 96]))
        self.square = pybuda.Parameter(torch.rand(self.dims[-1], self.dims[-1]) / self.dims[-1])
        self.other = pybuda.Parameter(torch.rand(self.dims))
        self.plan = [(draw.choice(KINDS), draw.random(), draw.random()) for _ in range(draw.randint(4, 10))]

    def forward(self, x, y):
        draw, pool = random.Random(len(self.plan)), [x, y, self.other]
        for number, (kind, first, second) in enumerate(self.plan):
            a, b = (pool[int(share * len(pool))] for share in (first, second))
            pool.append(getattr(self, kind)(str(number), a, b, draw))
        return pool[-1], pool[-2]

    def unary(self, name, a, b, draw):
        return op.Tanh(f"small_{name}", draw.choice(UNARY)(f"unary_{name}", a))

    def binary(self, name, a, b, draw):
        return draw.choice(BINARY)(f"binary_{name}", a, b)

    def matmul(self, name, a, b, draw):
        return op.Tanh(f"small_{name}", op.Matmul(f"matmul_{name}", a, self.square))

    def transpose(self, name, a, b, draw):
        turned = op.Exp(f"turned_{name}", op.Tanh(f"small_{name}", op.Transpose(f"there_{name}", a, -1, -2)))
        return op.Transpose(f"back_{name}", turned, -1, -2)

    def softmax(self, name, a, b, draw):
        return op.nn.Softmax(f"softmax_{name}", a, dim=-1)

    def reduce(self, name, a, b, draw):
        return op.Multiply(f"times_{name}", a, op.ReduceAvg(f"mean_{name}", b, dim=draw.choice([-1, -2])))

    def concatenate(self, name, a, b, draw):
        return op.Index(f"part_{name}", op.Concatenate(f"both_{name}", a, b, axis=-1), 3, 0, self.dims[-1])

    def reshape(self, name, a, b, draw):
        one, z, r, c = self.dims
        return op.Reshape(f"apart_{name}", op.Relu(f"relu_{name}", op.Reshape(f"flat_{name}", a, (1, 1, z * r, c))),
                          self.dims)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("arch", [pybuda.BackendDevice.Grayskull, pybuda.BackendDevice.Wormhole_B0])
def test_drawn_graphs(seed, arch):
    pybuda.set_configuration_options(balancer_policy="Random" if seed % 2 else "default")
    devtype = pybuda.BackendType.Silicon if seed < 4 else pybuda.BackendType.Golden
    module = Drawn("drawn", seed)
    verify_module(module, [module.dims] * 2, pybuda.VerifyConfig(arch=arch, devtype=devtype))


class Product(pybuda.PyBudaModule):
    def forward(self, a, b):
        return op.Matmul("product", a, b), op.Add("sum", a, b)


def test_integers_of_8_bits():
    a, b = (torch.randint(-9, 9, (2, 33, 33), dtype=torch.int8) for _ in range(2))
    verify_module(Product("whole"), [a.shape] * 2, pybuda.VerifyConfig(arch=pybuda.BackendDevice.Wormhole_B0),
                  inputs=[(a, b)])
    assert "product: {type: matmul" in pybuda.pybudaglobal.get_devices()[0].get_compiled_results().netlist
    pybuda.pybuda_reset()
    product, total = (tensor.value() for tensor in pybuda.run_inference(Product("whole"), inputs=[(a, b)]).get())
    assert product.dtype == total.dtype == torch.int32 and torch.equal(total, a.int() + b.int())
    assert (product - a.int() @ b.int()).abs().max() <= 4
