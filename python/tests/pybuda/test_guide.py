"""Programs in the manner of the user guide, with modules of pybuda's ops."""
import pathlib
import re
import tarfile

import pybuda
import pytest
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

    class Whole(pybuda.PyBudaModule):
        def __init__(self, name):
            super().__init__(name)
            self.part = Part("part")

        def forward(self, x):
            return self.part(x)

    class Part(pybuda.PyBudaModule):
        """Constants under its name, which becomes another."""

        def __init__(self, name):
            super().__init__(name)
            self.add_constant("one", prepend_name=True)
            self.add_constant("two_" + name)
            self.set_constant("one", torch.ones(1, 1, 32))
            self.set_constant("two_" + self.name, torch.full((1, 1, 32), 2.0))

        def forward(self, x):
            return x + self.get_constant("one") + self.get_constant("two_" + self.name)

    assert torch.equal(Whole("net").run(torch.ones(1, 32, 32))[0].value().float(), torch.full((1, 32, 32), 4.0))
    net = Net("net")
    assert [parameter.get_name() for parameter in net.get_parameters()] == [
        "one", "net.layers.0.scale", "net.layers.1.scale"]
    assert net.get_parameter("one") is net.get_parameter("net.shifts.one") is net.get_parameter("shifts.one")
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


@pytest.mark.docs
def test_the_program_of_the_documentation(capsys):
    page = pathlib.Path(pybuda.__file__).resolve().parents[2] / "docs/python.md"
    program = page.read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]
    exec(compile(program, "python.md", "exec"), {})
    assert "tensor(" in capsys.readouterr().out


def test_unsupported_ops_run_on_the_host_input_after_input():
    compiler_cfg = pybuda.config._get_global_compiler_config()
    compiler_cfg.enable_tvm_cpu_fallback = True
    net = torch.nn.Sequential(torch.nn.Embedding(50, 64), torch.nn.Linear(64, 64)).eval()
    tt0 = pybuda.TTDevice("tt0")
    tt0.place_module(pybuda.PyTorchModule("workload", net))
    for _ in range(5):
        tokens = torch.randint(0, 50, (1, 32))
        tt0.push_to_inputs(tokens)
        assert close(pybuda.run_inference().get()[0], net(tokens))


@pytest.mark.parametrize("given", [{"num_chips": 3}, {"chip_ids": [0, 2, 3]}])
@pytest.mark.usefixtures("eight_chips")
def test_several_chips_as_one_device(given):
    pybuda.set_epoch_break("matmul2")
    tt0 = pybuda.TTDevice("tt0", module=PyBudaTestModule("wide"), arch=pybuda.BackendDevice.Wormhole_B0, **given)
    a, b = torch.rand(1, 32, 32), torch.rand(1, 32, 32)
    tt0.push_to_inputs(a, b)
    assert close(pybuda.run_inference().get()[1], b @ tt0.modules[0].weights2.value())


ARCHS = {"gs": pybuda.BackendDevice.Grayskull, "wh": pybuda.BackendDevice.Wormhole_B0,
         "p1": pybuda.BackendDevice.Blackhole}


def image_info(tmp_path, capsys, arch, **options):
    """What is printed of an image for a device with these options, which is loaded and run."""
    pybuda.set_configuration_options(**options)
    tt0 = pybuda.TTDevice(name="tt0", arch=arch, devtype=pybuda.BackendType.Silicon)
    tt0.place_module(PyBudaTestModule("image"))
    samples = (torch.rand(1, 32, 32), torch.rand(1, 32, 32))
    tt0.compile_to_image(img_path=str(tmp_path / "tt0.tti"), training=False, sample_inputs=samples)
    pybuda.pybuda_reset()
    img = pybuda.TTDeviceImage.load_from_disk(str(tmp_path / "tt0.tti"))
    img.info()
    device = pybuda.TTDevice.load_image(img=img)
    device.push_to_inputs([torch.rand(shape) for shape in img.get_input_shapes()])
    assert pybuda.run_inference().get()[0].shape == (1, 32, 32)
    return capsys.readouterr().out


@pytest.mark.parametrize("product", ["gs_e150", "gs_e300", "wh_n150", "wh_n300", "p150", "p100a"])
def test_images_for_products(tmp_path, capsys, product):
    text = image_info(tmp_path, capsys, ARCHS[product[:2]], device_config=product)
    assert f"BackendDevice.{ARCHS[product[:2]].name}" in text and "- training: False" in text


def test_an_image_for_a_chip_that_lacks_rows(tmp_path, capsys):
    text = image_info(tmp_path, capsys, ARCHS["gs"], harvested_rows=[1, 11])
    assert "- grid size: [8, 12]" in text and "2050" in text and "[[1, 32, 32], [1, 32, 32]]" in text


def test_an_image_for_a_descriptor_of_ones_own(tmp_path, capsys):
    image_info(tmp_path, capsys, ARCHS["wh"])
    with tarfile.open(tmp_path / "tt0.tti") as archive:
        whole = archive.extractfile("unzipped_tti/backend_build_binaries/device_desc.yaml").read().decode()
    descriptor = tmp_path / "wormhole_b0_small.yaml"
    head, _, rest = whole.partition("functional_workers:")
    workers = re.findall(r"\d+-\d+", rest.partition("]")[0])
    rows = sorted({name.split("-")[1] for name in workers}, key=int)[:4]
    kept = [name for name in workers if name.split("-")[1] in rows]
    descriptor.write_text(f"{head}functional_workers:\n  [{', '.join(kept)}]{rest.partition(']')[2]}")
    pybuda.pybuda_reset()
    text = image_info(tmp_path, capsys, ARCHS["wh"], backend_device_descriptor_path=str(descriptor))
    assert "- grid size: [4, 8]" in text
