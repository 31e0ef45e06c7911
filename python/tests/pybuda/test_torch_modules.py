"""Modules of torch and ONNX on the simulated chip, and pipelines with the host."""
import copy
import queue

import pybuda
import pytest
import torch
from modules import close


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = torch.nn.Linear(64, 96), torch.nn.Linear(96, 32)

    def forward(self, x, scale=None):
        y = torch.relu(self.first(x))
        return self.second(y if scale is None else y * scale)


class Tokens(torch.nn.Module):
    """Token ids, looked up on the host, through a dense layer."""

    def __init__(self):
        super().__init__()
        self.table, self.dense = torch.nn.Embedding(100, 64), torch.nn.Linear(64, 32)

    def forward(self, ids, mask=None):
        x = self.dense(self.table(ids))
        return x if mask is None else x * mask.unsqueeze(-1)


def test_a_torch_module(subtests=None):
    net = Net()
    x = torch.randn(1, 32, 64)
    module = pybuda.PyTorchModule("net", net)
    got = pybuda.run_inference(module, inputs=[(x,)]).get()
    assert got[0].value().dtype == torch.bfloat16 and close(got[0], module.cpu_eval_forward(x)[0])
    assert close(module.run(x)[0], net.original_forward(x))


@pytest.mark.parametrize("batch", [1, 4])
def test_mappings_go_to_arguments_by_name(batch):
    net = Net()
    x, scale = torch.randn(batch, 32, 64), torch.rand(batch, 1, 96)
    got = pybuda.run_inference(pybuda.PyTorchModule("net", net), inputs=[{"scale": scale, "x": x}]).get()
    assert got[0].shape == (batch, 32, 32) and close(got[0], net.original_forward(x, scale))
    assert torch.equal(net(scale, x), net.original_forward(x, scale))  # redirected by the names


def test_token_ids_are_looked_up_on_the_host():
    net = Tokens()
    ids, mask = torch.randint(0, 100, (2, 16)), torch.ones(2, 16)
    got = pybuda.run_inference(pybuda.PyTorchModule("tokens", net), inputs=[(ids, mask)]).get()
    assert close(got[0], net.original_forward(ids, mask))


def test_outputs_are_flat_and_without_none():
    class Nested(torch.nn.Module):
        def forward(self, x):
            return {"a": x + 1, "b": (x * 2, None, [x - 1])}

    x = torch.rand(1, 32, 32)
    got = pybuda.run_inference(pybuda.PyTorchModule("nested", Nested()), inputs=[(x,)]).get()
    assert len(got) == 3 and close(got[1], 2 * x)


def test_other_weights_without_another_program():
    net = Net()
    module = pybuda.PyTorchModule("net", net)
    x = torch.randn(1, 32, 64)
    results = pybuda.run_inference(module, inputs=[(x,)])
    results.get()
    assert [parameter.get_name() for parameter in module.get_parameters()] == [
        "first.weight", "first.bias", "second.weight", "second.bias"]
    checkpoint = pybuda.get_parameter_checkpoint()[0]
    assert set(checkpoint) == {"first.weight", "first.bias", "second.weight", "second.bias"}
    changed = {name: value.value() * -1 for name, value in checkpoint.items()}
    pybuda.update_device_parameters(parameters=[changed])
    pybuda.run_inference(module, inputs=[(x,)])
    assert close(results.get()[0], net.original_forward(x))
    with pytest.raises(RuntimeError, match="has no parameter 'third'"):
        module.set_parameters(third=torch.zeros(1))
    with pytest.raises(RuntimeError, match="already has a parameter"):
        module.add_parameter("first.weight", pybuda.Parameter(2, 2))


def test_what_the_host_does_before_and_behind_the_chip():
    class Head(torch.nn.Module):
        def forward(self, x):
            return x.softmax(-1)

    table, net, head = torch.nn.Embedding(100, 64), Net(), Head()
    between = [queue.Queue(), queue.Queue()]
    pybuda.CPUDevice("cpu0", module=pybuda.PyTorchModule("table", table))
    pybuda.TTDevice("tt0", module=pybuda.PyTorchModule("net", net))
    last = pybuda.CPUDevice("cpu1", module=pybuda.PyTorchModule("head", head))
    ids = torch.randint(0, 100, (2, 16))
    results = pybuda.initialize_pipeline(training=False, sample_inputs=(ids,), d2d_fwd_queues=between)
    for one in (ids, ids.flip(0)):
        pybuda.pybudaglobal.get_devices()[0].push_to_inputs(one)
    pybuda.run_forward(input_count=2)
    for one in (ids, ids.flip(0)):
        hidden = net.original_forward(table.weight[one])
        (got,) = results.get()
        assert got.value().dtype == torch.float32  # the host's own type
        assert close(got, hidden.softmax(-1), 0.1)
        assert close(between[0].get()[0], table.weight[one]) and close(between[1].get()[0], hidden)
    assert last.modules[0].get_device() is last


def test_inputs_of_the_host_have_the_given_types():
    class Kind(torch.nn.Module):
        def forward(self, x):
            return torch.zeros(1, 1) + (x.dtype == torch.float32)

    for dtypes, want in ((None, 1.0), ([torch.float16], 0.0)):
        pybuda.pybuda_reset()
        pybuda.CPUDevice("cpu0", module=pybuda.PyTorchModule("kind", Kind()), input_dtypes=dtypes)
        assert float(pybuda.run_inference(inputs=[(torch.zeros(1, 4).half(),)]).get()[0].value()) == want


def test_modules_of_both_kinds_on_one_device():
    class Double(pybuda.PyBudaModule):
        def forward(self, x):
            return pybuda.op.Multiply("double", x, 2.0)

    net = Net()
    pybuda.TTDevice("tt0", module=[Double("before"), pybuda.PyTorchModule("net", net), Double("after")])
    x = torch.randn(1, 32, 64)
    assert close(pybuda.run_inference(inputs=[x]).get()[0], 2 * net.original_forward(2 * x))


def test_subgraphs_are_chosen():
    class Scale(pybuda.PyBudaModule):
        def __init__(self, name, factor):
            super().__init__(name)
            self.factor = factor

        def forward(self, x):
            return pybuda.op.Multiply("scale", x, self.factor)

    pybuda.config._get_global_compiler_config().compile_subgraphs = True
    device = pybuda.TTDevice("tt0", module=[Scale("two", 2.0), Scale("three", 3.0)])
    x = torch.ones(1, 32, 32)
    results = pybuda.initialize_pipeline(training=False, sample_inputs=(x,))
    for index, want in ((1, 3), (0, 2)):
        device.set_active_subgraph(index)
        device.push_to_inputs(x)
        pybuda.run_forward()
        assert results.get()[0].value()[0, 0, 0] == want and device.get_active_subgraph() == index
    with pytest.raises(IndexError, match="subgraphs 0 to 1, not 2"):
        device.set_active_subgraph(2)


def test_subgraphs_have_inputs_of_their_own():
    pybuda.config._get_global_compiler_config().compile_subgraphs = True
    first, second = torch.nn.Linear(32, 64), Net()
    device = pybuda.TTDevice("tt0", module=[pybuda.PyTorchModule("first", first), pybuda.PyTorchModule("second",
                                                                                                       second)])
    x, y = torch.rand(1, 16, 32), torch.rand(1, 8, 64)
    results = pybuda.initialize_pipeline(training=False, sample_inputs=((x,), (y,)))
    for index, value, net in ((1, y, second), (0, x, first)):
        device.set_active_subgraph(index)
        device.push_to_inputs(value)
        pybuda.run_forward()
        assert close(results.get()[0], net.original_forward(value))


@pytest.mark.parametrize("device", [pybuda.TTDevice, pybuda.CPUDevice])
def test_every_part_keeps_its_mode(device):
    net = torch.nn.Sequential(torch.nn.Linear(32, 32), torch.nn.Sequential(torch.nn.Dropout(0.9), torch.nn.ReLU()))
    net[1].eval()
    module, x = pybuda.PyTorchModule("net", net), torch.rand(1, 32, 32)
    device("device0", module=module).push_to_inputs(x)
    got = pybuda.run_inference().get()[0].value()
    assert torch.allclose(module.cpu_eval_forward(x)[0], got.float(), atol=0.02)
    assert [part.training for part in net.modules()] == [True, True, False, False, False]


def test_caches_stay_with_the_device():
    class Sum(torch.nn.Module):
        def forward(self, x, before):
            total = before + x
            return x * 2, total

    pybuda.config._get_global_compiler_config().loopback_outputs = {"input_1": 1}
    device = pybuda.TTDevice("tt0", module=pybuda.PyTorchModule("sum", Sum()))
    one, none = torch.ones(1, 32, 32), torch.zeros(1, 32, 32)
    results = pybuda.initialize_pipeline(training=False, sample_inputs=(one, none))
    for _ in range(3):
        device.push_to_inputs(one)
        pybuda.run_generate(input_count=1, write_index=0)
        assert len(results.get()) == 1
    assert torch.equal(device._loopback.held[1], 3 * one)
    pybuda.pybuda_reset()
    pybuda.config._get_global_compiler_config().loopback_outputs = {"past": 1}
    pybuda.TTDevice("tt0", module=pybuda.PyTorchModule("sum", Sum()))
    with pytest.raises(RuntimeError, match="names input 'past'"):
        pybuda.initialize_pipeline(training=False, sample_inputs=(one, none))


def test_an_onnx_model(tmp_path):
    onnx = pytest.importorskip("onnx")
    helper, numbers = onnx.helper, onnx.TensorProto
    weights = torch.randn(64, 32)
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["m"]), helper.make_node("Relu", ["m"], ["y"])], "g",
        [helper.make_tensor_value_info("x", numbers.FLOAT, ["n", 16, 64])],
        [helper.make_tensor_value_info("y", numbers.FLOAT, ["n", 16, 32])],
        [helper.make_tensor("w", numbers.FLOAT, [64, 32], weights.flatten().tolist())])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    path = tmp_path / "model.onnx"
    onnx.save(model, path)
    x = torch.randn(3, 16, 64)
    got = pybuda.run_inference(pybuda.OnnxModule("m", model, str(path)), inputs=[(x,)]).get()
    assert got[0].shape == (3, 16, 32) and close(got[0], torch.relu(x @ weights))
    pybuda.pybuda_reset()
    got = pybuda.run_inference(pybuda.OnnxModule("m", None, str(path)), inputs=[(x[:1],)]).get()
    assert close(got[0], torch.relu(x[:1] @ weights))
    with pytest.raises(RuntimeError, match="ModelProto"):
        pybuda.OnnxModule("m", "model.onnx", "")


def test_torch_compile_computes_on_the_chip():
    net = Net().eval()
    x = torch.randn(2, 16, 64)
    compiled = torch.compile(net, backend=pybuda.compile_torch)
    with torch.no_grad():
        want = net.forward(x)
        assert close(compiled(x), want)
        assert not torch.equal(compiled(x), want)  # of 8 bits of mantissa
    pybuda.torch_compile.reset_state()


def test_torch_compile_has_gradients():
    torch.manual_seed(2)
    net = torch.nn.Sequential(torch.nn.Linear(24, 40), torch.nn.Tanh(), torch.nn.Linear(40, 3))
    net[2].bias.requires_grad_(False)
    same = copy.deepcopy(net)
    compiled = torch.compile(net, backend=pybuda.compile_torch)
    optimizers = [torch.optim.SGD(one.parameters(), lr=0.1) for one in (net, same)]
    for _ in range(3):
        x, y = torch.randn(4, 24, requires_grad=True), torch.randn(4, 24, requires_grad=True)
        again = [one.detach().clone().requires_grad_() for one in (x, y)]
        for forward, inputs, optimizer in ((compiled, (x, y), optimizers[0]), (same, again, optimizers[1])):
            optimizer.zero_grad()
            first, second = forward(inputs[0]), forward(inputs[1])  # two calls before their backward passes
            (first.square().sum() + second.sum()).backward()
            optimizer.step()
        for got, want in ((x.grad, again[0].grad), (y.grad, again[1].grad), *zip(net.parameters(), same.parameters())):
            assert close(got.detach(), want.detach(), 0.03)
    pybuda.torch_compile.reset_state()


def test_torch_compile_names_what_has_no_gradient():
    class OnHost(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(8, 8)

        def forward(self, x):
            return torch.lgamma(self.layer(x).abs() + 1)

    compiled = torch.compile(OnHost(), backend=pybuda.compile_torch)
    with pytest.warns(UserWarning, match="run on the host"), pytest.raises(NotImplementedError, match="lgamma"):
        compiled(torch.rand(2, 8)).sum().backward()
    pybuda.torch_compile.reset_state()


@pytest.mark.parametrize("given, weights", [(torch.float16, torch.float32), (torch.bfloat16, torch.float32),
                                            (torch.float32, torch.bfloat16), (torch.bfloat16, torch.bfloat16)])
def test_inputs_of_other_types_than_the_weights(given, weights):
    net = Net().to(weights)
    x = torch.randn(1, 32, 64).to(given)
    got = pybuda.run_inference(pybuda.PyTorchModule("net", net), inputs=[(x,)],
                               _verify_cfg=pybuda.VerifyConfig()).get()
    assert got[0].value().dtype == (torch.float16 if given == torch.float16 else torch.bfloat16)
    assert close(got[0], net.original_forward(x.to(weights)), 0.05) and not pybuda.error_raised()
