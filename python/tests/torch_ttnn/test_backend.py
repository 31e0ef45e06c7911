"""What users see of torch.compile(backend=torch_ttnn.backend)."""
import copy

import pytest
import torch
import torch_ttnn
import ttnn
from harness import close, remaining, targets
from torch import nn
from torch_ttnn.metrics import pcc

MODES = ("graph", "eager")


def mlp():
    return nn.Sequential(nn.Linear(64, 32), nn.GELU(), nn.Linear(32, 16)).eval()


@pytest.mark.parametrize("mode", MODES)
def test_mlp(compiled, mode):
    module, x = mlp(), torch.randn(3, 64)
    function, option = compiled(module, mode=mode)
    with torch.no_grad():
        close(module(x), function(x))
        function(x)
    assert remaining(option) == [] and targets(option).count(ttnn.linear) == 2
    graph, = option.report()["graphs"]
    assert graph["calls"] == 2 and graph["h2d"]["count"] == 2 and graph["d2h"]["count"] == 2
    assert graph["h2d_params"]["count"] == 4 and 0 < graph["last_cycles"] <= graph["first_cycles"]
    assert "one program" in str(option.report()) if mode == "graph" else graph["dispatches"] == 4


def test_modes_agree(compiled):
    module, x = mlp(), torch.randn(3, 64)
    with torch.no_grad():
        made = [compiled(copy.deepcopy(module), mode=mode)[0](x) for mode in MODES]
    assert pcc(*made) > 0.9999


@pytest.mark.parametrize("mode", MODES)
def test_two_models_and_changed_parameters(compiled, mode):
    first, second, x = mlp(), mlp(), torch.randn(3, 64)
    a, option = compiled(first, mode=mode)
    b, _ = compiled(second, mode=mode)
    with torch.no_grad():
        for _ in range(2):
            close(first(x), a(x))
            close(second(x), b(x))
        first[0].weight.mul_(-1.5)
        first[2].bias.add_(3)
        close(first(x), a(x))
        first[0].weight.data = torch.randn(32, 64)
        close(first(x), a(x))
        first[0].weight = nn.Parameter(torch.randn(32, 64))
        close(first(x), a(x))
    if mode == "graph":
        assert [part.compilations for part in option.compiled_graphs[0].regions] == [1]


@pytest.mark.parametrize("mode", MODES)
def test_shapes_are_compiled_when_they_occur(compiled, mode):
    module = mlp()
    function, option = compiled(module, mode=mode)
    with torch.no_grad():
        for size in (3, 5, 7, 5, 3):
            x = torch.randn(size, 64)
            close(module(x), function(x))
    assert len(option._out_fx_graphs) == 3 or len(option._out_fx_graphs) == 4


@pytest.mark.parametrize("mode", MODES)
def test_calls_are_equal_and_leave_nothing(compiled, device, mode):
    function, _ = compiled(mlp(), mode=mode)
    x = torch.randn(3, 64)

    def used():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * 4096
    with torch.no_grad():
        expected = function(x)
        for _ in range(50):
            function(x)
        bytes_before, buffers = used(), len(device.open_session().buffers)
        for _ in range(1000):
            assert torch.equal(function(x), expected)
    assert used() - bytes_before < 16 << 20
    assert len(device.open_session().buffers) == buffers


def test_closed_device():
    device = ttnn.open_device(device_id=3)
    option = torch_ttnn.TorchTtnnOption(device=device)
    function = torch.compile(mlp(), backend=torch_ttnn.backend, options=option)
    with torch.no_grad():
        function(torch.randn(2, 64))
        ttnn.close_device(device)
        with pytest.raises(RuntimeError, match="device 3 was closed"):
            function(torch.randn(2, 64))


def test_default_device_and_wrong_options():
    device = ttnn.open_device(device_id=4)
    ttnn.SetDefaultDevice(device)
    x = torch.randn(2, 64)
    with torch.no_grad():
        close(x * 2, torch.compile(lambda t: t * 2, backend=torch_ttnn.backend)(x))
    ttnn.close_device(device)
    for wrong in ({"mode": "fast"}, {"export_code": "all"}, {"run_eviction_opt": True}, {"metrics_path": "/tmp"}):
        with pytest.raises(ValueError, match="TorchTtnnOption"):
            torch_ttnn.TorchTtnnOption(device=device, **wrong)


def _setitem(x):
    x[:, 3:5] = 1.0
    return x * 2


def _branch(x):
    y = x + 1
    return y * 2 if y.sum() > 0 else y * 3


CASES = {
    "view": lambda x: x.view(2, 128), "transpose": lambda x: x.t(), "input_too": lambda x: (x, x + 1),
    "in_place": lambda x: x.add_(1).mul(2), "setitem": _setitem, "scalar": lambda x: x.sum(),
    "host_op": lambda x: torch.linalg.inv(x[:, :4] + 10 * torch.eye(4)) @ x[:, 4:8], "branch": _branch,
    "twice": lambda x: (x + 1, x + 1), "parts": lambda x: torch.split(x, 16, 1)[1:3], "constant": lambda x: torch.ones(3, 4),
    "dtypes": lambda x: (x.bfloat16(), x.double() + 1, x.half(), x > 0, x.bool(), (x > 0).long()),
    "masked": lambda x: x.masked_fill(x > 0, float("-inf")).softmax(-1), "batch_norm": nn.BatchNorm1d(64),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", CASES)
def test_forms_of_graphs(compiled, name, mode):
    function, option = compiled(copy.deepcopy(CASES[name]), mode=mode)
    given = torch.randn(4, 64)
    ours, theirs = given.clone(), given.clone()
    with torch.no_grad():
        close(copy.deepcopy(CASES[name])(theirs), function(ours), 0.99)
    assert pcc(theirs, ours) > 0.999
    assert remaining(option) == (["aten.linalg_inv_ex.default"] if name == "host_op" else [])
    if name == "host_op":
        assert option.report()["total"]["fallback"] == {"aten.linalg_inv_ex.default": 1}
    if name == "branch":
        assert len(option._out_fx_graphs) == 2


def test_results_do_not_share_memory_with_inputs(compiled):
    function, _ = compiled(lambda x: x.view(2, 128))
    x = torch.randn(4, 64)
    made = function(x)
    x.zero_()
    assert made.abs().sum() > 0


def test_generated_code_runs(compiled, device):
    function, option = compiled(lambda x: x + 1, mode="eager")
    x = torch.randn(4, 64)
    function(x)
    torch_ttnn.register_ttnn_objects(option)
    gm = torch.fx.GraphModule(torch.nn.Module(), option._out_fx_graphs[0])
    assert "ttnn_Specified_Device" in gm.code
    close(x + 1, gm(x)[0])
