"""The passes, one by one."""
import math
import os

import pytest
import torch
import ttnn
from harness import close, targets
from torch import nn
from torch_ttnn import target_wrappers as wrappers
from torch_ttnn.mem_utils import MemoryManager
from torch_ttnn.passes.graphviz_pass import GraphvizPass
from torch_ttnn.passes.lowering.to_tt_pass import ReplaceMoreTtManually


def test_constants_are_folded(compiled):
    function, option = compiled(lambda x: x + torch.arange(64).unsqueeze(0) * 2)
    x = torch.randn(4, 64)
    close(x + torch.arange(64) * 2, function(x))
    assert ttnn.arange not in targets(option) and "get_attr" in [node.op for node in option._out_fx_graphs[0].nodes]
    function(x)
    assert option.report()["total"]["h2d"]["count"] == 2  # the constant is not moved in each call


def test_linear_and_activation_are_one_call(compiled):
    module = nn.Sequential(nn.Linear(64, 32), nn.SiLU()).eval()
    function, option = compiled(module)
    with torch.no_grad():
        close(module(torch.ones(2, 64)), function(torch.ones(2, 64)))
    linear, = [node for node in option._out_fx_graphs[0].nodes if node.target is ttnn.linear]
    assert linear.kwargs["activation"] == "silu" and linear.kwargs["transpose_b"] is True


@pytest.mark.parametrize("size", (16, 64, 65))
def test_attention_softmax(compiled, size):
    def function(scores, mask):
        return torch.softmax(scores * (1 / math.sqrt(size)) + mask, -1)
    made, option = compiled(function)
    operands = torch.randn(1, 2, 8, 8), torch.randn(8, 8)
    close(function(*operands), made(*operands))
    call, = [node for node in option._out_fx_graphs[0].nodes if node.target is ttnn.transformer.attention_softmax]
    assert call.kwargs["head_size"] == size


def test_moves_are_made_once(compiled):
    function, option = compiled(lambda x, y: (x + y, x * y, (x + y) * 2))
    function(torch.randn(4, 64), torch.randn(4, 64))
    found = targets(option)
    assert found.count(ttnn.from_torch) == 2 and found.count(ttnn.to_torch) == 3 and found.count(ttnn.add) == 1


def test_values_are_freed_after_their_last_use(compiled):
    function, option = compiled(lambda x: (x + 1).exp().log(), mode="eager")
    function(torch.randn(4, 64))
    nodes = list(option._out_fx_graphs[0].nodes)
    for node in nodes:
        if node.target is ttnn.deallocate:
            assert max(nodes.index(user) for user in node.args[0].users) == nodes.index(node)
    assert targets(option).count(ttnn.deallocate) == 4


def test_parameters_are_moved_once(compiled):
    module = nn.Linear(64, 32).eval()
    function, option = compiled(module, mode="eager")
    with torch.no_grad():
        for _ in range(3):
            function(torch.randn(2, 64))
    assert [spec.count for _, spec in option.compiled_graphs[0].specs] == [1]
    assert targets(option).count(ttnn.from_torch) == 1
    kept = [node for node in option._out_fx_graphs[0].nodes if node.meta.get("is_cached")]
    assert kept[0].target is wrappers.run_once and len(kept) == 3


def test_permute_takes_a_tuple(compiled):
    function, option = compiled(lambda x: x.permute(1, 0, 2))
    function(torch.randn(2, 3, 4))
    node, = [node for node in option._out_fx_graphs[0].nodes if node.target is ttnn.permute]
    assert isinstance(node.args[1], tuple)


def test_manual_rewriting_alone():
    gm = torch.fx.symbolic_trace(lambda a: torch.ops.aten.unsqueeze.default(a, 0))
    with torch._subclasses.FakeTensorMode():
        for node, shape in zip(gm.graph.nodes, ((4, 8), (1, 4, 8), ())):
            node.meta["val"] = torch.empty(shape)
    gm, modified = ReplaceMoreTtManually(gm, None, True)
    assert modified and ttnn.reshape in [node.target for node in gm.graph.nodes]


def test_memory(compiled):
    function, option = compiled(lambda x, y: (x + y) * x, mode="eager", run_mem_analysis=True)
    function(torch.randn(32, 64), torch.randn(32, 64))
    manager = option.memory_manager
    assert (manager.total_sram_limit, manager.usable_sram_limit) == (125829120, 104857600)
    assert manager.peak_sram_usage == 3 * 32 * 64 * 2 and not manager.has_sram_overflow()
    assert manager.used_sram == 0 and manager.free_sram == manager.usable_sram_limit and manager.tensors_on_device == []
    assert sorted(manager.tensor_size_of) == [1, 2, 3, 4]


def test_eviction(compiled, monkeypatch):
    monkeypatch.setattr("torch_ttnn.passes.memory_pass.manager_of", lambda option, device: MemoryManager(3 * 4096 + 100, 0))

    def function(x, y):
        big = x + y
        z = (x.exp() * 2).log() + y
        return z * big
    made, option = compiled(function, mode="eager", run_mem_analysis=True, run_eviction_opt=True)
    operands = torch.rand(32, 64), torch.rand(32, 64)
    close(function(*operands), made(*operands))
    assert ttnn.from_device in targets(option) and ttnn.to_device in targets(option)
    assert not option.memory_manager.has_sram_overflow()


def test_pictures_never_fail_a_run(compiled, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    function, _ = compiled(lambda x: x + 1, gen_graphviz=True, metrics_path="small")
    close(torch.ones(2, 2) + 1, function(torch.ones(2, 2)))
    written = sorted(os.listdir(tmp_path / "metrics" / "small"))
    assert "04.ToTtPass.dot" in written and "digraph" in (tmp_path / "metrics" / "small" / "04.ToTtPass.dot").read_text()
    (tmp_path / "file").write_text("")
    with pytest.warns(UserWarning, match="no picture"):
        GraphvizPass(str(tmp_path / "file" / "a"))(torch.fx.symbolic_trace(lambda a: a + 1))
