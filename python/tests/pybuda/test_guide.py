"""Programs in the manner of the user guide, with modules of pybuda's ops."""
import pybuda
import torch
from modules import close


class PyBudaTestModule(pybuda.PyBudaModule):
    def __init__(self, name):
        super().__init__(name)
        self.weights1 = pybuda.Parameter(torch.rand(32, 32), requires_grad=True)
        self.weights2 = pybuda.Parameter(torch.rand(32, 32), requires_grad=True)

    def forward(self, act1, act2):
        m1 = pybuda.op.Matmul("matmul1", act1, self.weights1)
        m2 = pybuda.op.Matmul("matmul2", act2, self.weights2)
        return m1 + m2, m2


def test_a_module_is_run_directly():
    module = PyBudaTestModule("run_direct")
    a, b = torch.rand(4, 32, 32), torch.rand(4, 32, 32)
    output = module.run(a, b)
    assert close(output[1], b @ module.weights2.value())
    eager = module(pybuda.Tensor.create_from_torch(a), pybuda.Tensor.create_from_torch(b))
    assert torch.equal(eager[1].value(), b @ module.weights2.value())


def test_placed_and_pushed():
    device = pybuda.TTDevice("tt0")
    device.place_module(PyBudaTestModule("placed"))
    device.push_to_inputs((torch.rand(4, 32, 32), torch.rand(4, 32, 32)))
    output_q = pybuda.run_inference()
    assert output_q.get()[0].shape == (4, 32, 32)


def test_two_modules_on_two_devices():
    first, second = PyBudaTestModule("stage0"), PyBudaTestModule("stage1")
    tt0 = pybuda.TTDevice("tt0", module=first)
    pybuda.TTDevice("tt1", module=second)
    a, b = torch.rand(1, 32, 32), torch.rand(1, 32, 32)
    tt0.push_to_inputs(a, b)
    output = pybuda.run_inference().get()
    m2 = b @ first.weights2.value()
    assert close(output[1], m2 @ second.weights2.value(), 0.05)


def test_results_in_other_frameworks_and_parameters_by_name():
    module = PyBudaTestModule("params")
    assert [parameter.get_name() for parameter in module.get_parameters()] == ["params.weights1", "params.weights2"]
    module.set_parameter("weights1", torch.eye(32))
    module.load_parameter_dict({"params.weights2": torch.eye(32).numpy()})
    x = torch.rand(1, 32, 32)
    output = module.run(x, x)
    assert torch.equal(output[1].to_framework("pytorch"), x.bfloat16())


def test_constants_submodules_lists_and_dictionaries():
    class Layer(pybuda.PyBudaModule):
        def __init__(self, name):
            super().__init__(name)
            self.scale = pybuda.Parameter(torch.full((1, 32), 2.0))

        def forward(self, x):
            return pybuda.op.Multiply("", x, self.scale)

    class Net(pybuda.PyBudaModule):
        def __init__(self, name):
            super().__init__(name)
            self.layers = [Layer("a"), Layer("b")]
            self.shifts = {"one": pybuda.Parameter(torch.ones(1, 32))}
            self.add_constant("offset")
            self.set_constant("offset", torch.full((1, 1, 32), 0.5))

        def forward(self, x):
            for layer in self.layers:
                x = layer(x)
            return pybuda.op.Add("", x + self.shifts["one"], self.get_constant("offset"))

    net = Net("net")
    assert [parameter.get_name() for parameter in net.get_parameters()] == [
        "net.shifts.one", "net.layers.0.scale", "net.layers.1.scale"]
    assert [module.get_name() for module in net.get_submodules()] == ["net.layers.0", "net.layers.1"]
    assert torch.equal(net.run(torch.ones(1, 32, 32))[0].value().float(), torch.full((1, 32, 32), 5.5))
    del net.shifts
    assert len(net.get_parameters()) == 2


def test_a_product_is_named():
    pybuda.set_configuration_options(device_config="wh_n150")
    tt0 = pybuda.TTDevice("tt0", module=PyBudaTestModule("named"), arch=pybuda.BackendDevice.Wormhole_B0)
    x = torch.rand(1, 32, 32)
    tt0.push_to_inputs(x, x)
    pybuda.run_inference().get()
    assert pybuda.get_report().devices[0].product == "wh_n150"


def test_a_module_that_is_called_twice():
    class Twice(pybuda.PyBudaModule):
        def __init__(self, name):
            super().__init__(name)
            self.layer = pybuda.op.nn.Linear("shared", 32, 32)

        def forward(self, x):
            return self.layer(self.layer(x))

    module, x = Twice("twice"), torch.rand(1, 32, 32)
    weights, bias = module.layer.weights.value(), module.layer.bias.value()
    assert close(module.run(x)[0], (x @ weights + bias) @ weights + bias)
    ops = pybuda.get_tenstorrent_device()._compile_output.initial_graph.ops
    assert [op.name for op in ops] == ["twice.layer", "twice.layer.bias", "twice.layer_1", "twice.layer.bias_1"]
