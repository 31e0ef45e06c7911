"""Backward graphs: gradients against torch."""
import copy

import pytest
import torch
from harness import remaining
from torch import nn
from torch_ttnn.metrics import pcc
from torch_ttnn.tools.networks import BasicBlock, Mnist


def encoder():
    return nn.TransformerEncoder(nn.TransformerEncoderLayer(64, 4, 128, dropout=0.0, batch_first=True, activation="gelu"), 2)


@pytest.mark.parametrize("mode", ("auto", "graph"))
@pytest.mark.parametrize("make, shape", [(encoder, (2, 16, 64)), (lambda: BasicBlock(8, 8), (2, 8, 8, 8))], ids=["encoder", "block"])
def test_gradients(compiled, make, shape, mode):
    module = make().train()
    twin = copy.deepcopy(module)
    function, option = compiled(twin, mode=mode)
    ours, theirs = (torch.randn(shape, generator=torch.Generator().manual_seed(2)).requires_grad_() for _ in range(2))
    weights = torch.randn(module(theirs).shape)
    (module(theirs) * weights).sum().backward()
    module.zero_grad()
    theirs.grad = None
    (module(theirs) * weights).sum().backward()
    (function(ours) * weights).sum().backward()
    assert pcc(theirs.grad, ours.grad) >= 0.99
    for (_, one), other in zip(module.named_parameters(), twin.parameters()):
        assert pcc(one.grad, other.grad) >= 0.99
    assert remaining(option) == [] and [graph.kind for graph in option.compiled_graphs] == ["train_forward", "train_backward"]


def test_statistics_are_updated(compiled):
    module = nn.BatchNorm2d(4)
    twin = copy.deepcopy(module)
    x = torch.randn(2, 4, 8, 8) * 3 + 1
    compiled(twin)[0](x)
    module(x)
    assert torch.allclose(module.running_mean, twin.running_mean, atol=0.02)
    assert torch.allclose(module.running_var, twin.running_var, rtol=0.02)


@pytest.mark.parametrize("pool", [nn.MaxPool2d(3, 2, 1), nn.MaxPool2d(2, 3, dilation=2, ceil_mode=True)], ids=["overlap", "rest"])
def test_pools_with_any_windows(compiled, pool):
    ours, theirs = (torch.randn(2, 3, 9, 8, generator=torch.Generator().manual_seed(2)).bfloat16().float().requires_grad_()
                    for _ in range(2))
    function, option = compiled(pool)
    weights = torch.randn(pool(theirs).shape)
    (pool(theirs) * weights).sum().backward()
    (function(ours) * weights).sum().backward()
    assert pcc(theirs.grad, ours.grad) >= 0.9999 and remaining(option) == []


def test_pools_and_dropout(compiled):
    module = Mnist((0.0, 0.0)).train()
    twin = copy.deepcopy(module)
    function, option = compiled(twin)
    x = torch.randn(2, 1, 28, 28)
    module(x).mean().backward()
    function(x).mean().backward()
    assert pcc(module.conv1.weight.grad, twin.conv1.weight.grad) >= 0.99 and remaining(option) == []
    dropping, _ = compiled(nn.Dropout(0.5).train())
    made = dropping(torch.ones(64, 64))
    assert set(made.unique().tolist()) == {0.0, 2.0} and 0.4 < float((made == 0).float().mean()) < 0.6
