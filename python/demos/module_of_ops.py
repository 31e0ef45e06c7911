"""A module written with PyBuda ops: multi-head attention."""
import pybuda
import torch
from pybuda import op


class Attention(pybuda.PyBudaModule):
    def __init__(self, name, size=64, heads=2):
        super().__init__(name)
        self.heads, self.scale = heads, (size // heads)**-0.5
        self.query, self.key, self.value = (pybuda.Parameter(torch.randn(size, size) / 8) for _ in range(3))

    def forward(self, x, mask):
        def split(name, weights):
            return op.HSlice(f"{name}_heads", op.Matmul(name, x, weights), self.heads)

        query, key, value = split("query", self.query), split("key", self.key), split("value", self.value)
        scores = op.Matmul("scores", query, op.Transpose("", key, -2, -1)) * self.scale
        shares = op.nn.Softmax("shares", op.Add("masked", scores, mask), dim=-1)
        return op.HStack("joined", op.Matmul("mixed", shares, value))


x, mask = torch.randn(1, 1, 32, 64), torch.zeros(1, 1, 1, 32)
attention = Attention("attention")
output = attention.run(x, mask)[0]
eager = attention(pybuda.Tensor.create_from_torch(x), pybuda.Tensor.create_from_torch(mask))
print("correlation with torch:", pybuda.op.eval.calculate_pcc(eager.value(), output.value()))
