"""Attention whose heads are not whole tiles of columns is trained as in torch."""
import pybuda
import pytest
import torch

from training import GRAYSKULL, WORMHOLE, train_both


class Attention(torch.nn.Module):
    """4 heads of 20 columns."""

    def __init__(self, heads=4, columns=20):
        super().__init__()
        self.heads, self.columns = heads, columns
        self.qkv = torch.nn.ModuleList(torch.nn.Linear(heads * columns, heads * columns) for _ in range(3))
        self.out = torch.nn.Linear(heads * columns, 8)

    def forward(self, x):
        samples, rows, _ = x.shape
        q, k, v = (part(x).view(samples, rows, self.heads, self.columns).transpose(1, 2) for part in self.qkv)
        shares = torch.softmax(q @ k.transpose(-1, -2) * self.columns ** -0.5, -1)
        return self.out((shares @ v).transpose(1, 2).reshape(samples, rows, -1)).mean(1)


@pytest.mark.parametrize("arch", [WORMHOLE, GRAYSKULL])
@pytest.mark.parametrize("samples", [1, 2])
def test_odd_heads_are_trained(arch, samples):
    torch.manual_seed(3)
    data = [(torch.randn(samples, 48, 80), torch.randn(samples, 8)) for _ in range(3)]
    made = train_both(Attention(), pybuda.SGD(0.5, device_params=True), data, 3, arch=arch,
                      data_format=pybuda.DataFormat.Float32)
    assert made.losses == pytest.approx(made.wanted_losses, rel=0.01)
    assert made.worst() < 0.005
