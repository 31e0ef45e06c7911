"""Names, arguments and small errors that programs of the original rely on."""
import io
import logging
import os
import pathlib
import subprocess
import sys
import warnings

import pybuda
import pytest
import torch
import ttsim
from modules import Add, close
from pybuda import op
from pybuda.verify import VerifyConfig, verify_module

X = torch.rand(1, 32, 32)


def test_names_that_are_imported():
    from pybuda import pybuda as itself
    from pybuda.op_repo import pytorch_operator_repository as known
    from pybuda.tvm_to_python import compile_tvm_to_python
    assert itself is pybuda and pybuda.__version__.count(".") == 2
    for operator in known.operators:
        found = torch
        for name in operator.full_name.split(".")[1:]:
            found = getattr(found, name)
        assert callable(found) and operator.is_layer == isinstance(found, type), operator.full_name
    assert known.get_by_name("linear").is_layer and 7 in known.get_by_name("cat").input_num_range
    with pytest.raises(NotImplementedError, match="PyTorchModule"):
        compile_tvm_to_python()


@pytest.mark.parametrize("arch, name", [("Grayskull", "gs_e150"), ("Wormhole_B0", "wh_n150"),
                                        ("Blackhole", "p150a")])
def test_grids_of_devices(arch, name):
    grid = next((info.rows, info.columns) for info in ttsim.devices() if info.name == name)
    assert pybuda.ttdevice.get_device_config(getattr(pybuda.BackendDevice, arch)).grid_size == grid
    pybuda.set_configuration_options(harvested_rows=[1])
    assert pybuda.ttdevice.get_device_config(getattr(pybuda.BackendDevice, arch)).grid_size == (grid[0] - 1, grid[1])


def test_blackhole_runs_and_is_not_validated():
    pybuda.set_configuration_options(device_config="p150")
    pybuda.TTDevice("tt0", module=Add("net"), arch=pybuda.BackendDevice.Blackhole).push_to_inputs(X, X)
    assert close(pybuda.run_inference().get()[0], 2 * X)
    assert not next(info for info in ttsim.devices() if info.name == "p150a").validated
    assert next(info for info in ttsim.devices() if info.name == "wh_n150").validated


def test_a_product_of_another_architecture_is_refused():
    pybuda.set_configuration_options(device_config="p100")
    pybuda.TTDevice("tt0", module=Add("net"), arch=pybuda.BackendDevice.Wormhole_B0)
    with pytest.raises(RuntimeError, match="'p100' is a Blackhole, the device was made with arch Wormhole_B0"):
        pybuda.run_inference(inputs=[(X, X)])


def test_unknown_chips_are_refused_with_the_known_ones():
    assert pybuda.BackendDevice.of_chip("wormhole_b0") is pybuda.BackendDevice.Wormhole_B0
    with pytest.raises(RuntimeError, match="no architecture 'tinny'; known are grayskull, wormhole_b0, blackhole"):
        pybuda.BackendDevice.of_chip("tinny")
    with pytest.raises(ValueError, match="'tinny' is not one of grayskull"):
        pybuda.BackendDevice.from_string("tinny")


def test_chips_of_configuration_folders_are_architectures():
    root = pathlib.Path(__file__).resolve().parents[3]
    program = ("import pybuda, torch; from pybuda._C.backend_api import BackendDevice as B; "
               "print(B.Tiny.to_string(), B.of_chip('tiny') is B.Tiny, pybuda.detect_available_devices() == [B.Tiny], "
               "pybuda.ttdevice.get_device_config(B.Tiny).grid_size)")
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=300,
                           env={**os.environ, "TTSIM_CONFIG_DIR": str(root / "examples/own_chip"),
                                "TTSIM_DEVICES": "tiny"})
    assert found.stdout.split("\n")[0] == "tiny True True (4, 5)"


def test_modules_of_images(tmp_path):
    device = pybuda.TTDevice("tt0", module=Add("net"), arch=pybuda.BackendDevice.Wormhole_B0,
                             devtype=pybuda.BackendType.Golden)
    image = device.compile_to_image(img_path=str(tmp_path / "net.tti"), sample_inputs=(X, X))
    pybuda.pybuda_reset()
    assert [type(module) for module in pybuda.TTDevice.load_image(image).modules] == [Add]
    pybuda.pybuda_reset()
    loaded = pybuda.TTDevice.load_image(img_path=str(tmp_path / "net.tti"))
    assert [module.get_name() for module in loaded.modules] == ["net"]
    loaded.push_to_inputs(X, X)
    assert close(pybuda.run_inference().get()[0], 2 * X)


def test_verification_of_inputs_without_shapes_and_of_generated_ones():
    verify_module(Add("a"), None, VerifyConfig(), inputs=((X, X) for _ in range(2)))
    pybuda.pybuda_reset()
    verify_module(Add("a"), (shape for shape in [(1, 32, 32)] * 2), VerifyConfig())
    with pytest.raises(RuntimeError, match="neither input_shapes nor inputs"):
        verify_module(Add("a"), None, VerifyConfig())


class Of(pybuda.PyBudaModule):
    def __init__(self, function, name="net"):
        super().__init__(name)
        self.function = function

    def forward(self, *tensors):
        return self.function(*tensors)


@pytest.mark.parametrize("limits", [{"min": -0.5}, {"max": 0.5}, {"min": 0.0, "max": None}, {"min": -0.5, "max": 0.5}])
def test_clips_with_one_limit(limits):
    x = torch.randn(1, 32, 32)
    got = Of(lambda t: op.Clip("clip", t, **limits)).run(x)[0]
    assert close(got, torch.clamp(x, limits.get("min"), limits.get("max")))


def test_parameters_of_dictionaries_have_the_names_of_their_keys():
    class Layer(pybuda.PyBudaModule):
        def __init__(self, name):
            super().__init__(name)
            self.parameters = {"dense.weight": pybuda.Parameter(torch.eye(32)), "shift": pybuda.Parameter(torch.ones(1, 32)),
                               "own": pybuda.Parameter(torch.ones(1, 32), name="given")}

        def forward(self, x):
            x = op.Matmul("mm", x, self.parameters["dense.weight"])
            return op.Add("own_sum", op.Add("sum", x, self.parameters["shift"]), self.parameters["own"])

    layer = Layer("layer")
    assert [one.get_name() for one in layer.get_parameters()] == ["dense.weight", "shift", "given"]
    layer.set_parameter("dense.weight", torch.eye(32) * 2)
    assert close(layer.run(X)[0], 2 * X + 2)
    netlist = pybuda.get_tenstorrent_device().get_compiled_results().netlist
    assert all(f"\n  {name}: {{input: HOST" in netlist for name in ("dense.weight", "shift", "given"))


def test_keys_that_two_modules_share_have_the_modules_in_front():
    class Part(pybuda.PyBudaModule):
        def __init__(self, name):
            super().__init__(name)
            self.weights = {"w": pybuda.Parameter(torch.eye(32))}

        def forward(self, x):
            return op.Matmul(self.name + ".mm", x, self.weights["w"])

    class Whole(pybuda.PyBudaModule):
        def __init__(self, name):
            super().__init__(name)
            self.first, self.second = Part("a"), Part("b")

        def forward(self, x):
            return self.second(self.first(x))

    module = Whole("net")
    assert sorted(module.named_parameters()) == ["net.first.weights.w", "net.second.weights.w"]
    assert close(module.run(X)[0], X)


def test_arguments_that_are_lists():
    class Summed(pybuda.PyBudaModule):
        def forward(self, several, last):
            return op.Add("out", op.Add("sum", several[0], several[1]), last)

    assert close(pybuda.run_inference(Summed("net"), inputs=[([X, 2 * X], 3 * X)]).get()[0], 6 * X)
    pybuda.pybuda_reset()

    class Torch(torch.nn.Module):
        def forward(self, several, last):
            return several[0] * several[1] + last

    module = pybuda.PyTorchModule("net", Torch())
    for _ in range(2):
        assert close(pybuda.run_inference(module, inputs=[([X, X], X)]).get()[0], X * X + X)


@pytest.mark.parametrize("module", [lambda: Of(lambda x: x), lambda: Of(lambda x: op.Identity("same", x)),
                                    lambda: pybuda.PyTorchModule("net", torch.nn.Identity())])
def test_modules_that_compute_nothing(module):
    assert close(pybuda.run_inference(module(), inputs=[(X,)]).get()[0], X)


@pytest.mark.parametrize("field, set_it", [
    ("balancer_op_overrides", lambda: pybuda.override_op_size("ad1", (1, 1))),
    ("op_intermediates_to_save", lambda: pybuda.set_configuration_options(op_intermediates_to_save=["ad1"])),
    ("op_names_to_epoch_break", lambda: pybuda.set_epoch_break("ad1")),
    ("op_names_dont_fuse", lambda: pybuda.config._get_global_compiler_config().dont_fuse("ad1")),
    ("placer_op_overrides", lambda: pybuda.config.override_op_placement("ad1", start=(0, 0))),
    ("scheduler_constraints", lambda: pybuda.config.add_schedule_constraint(["ad1", "add1"])),
    ("buffering_nops_to_insert", lambda: pybuda.insert_nop("ad1", "add1")),
])
def test_names_of_ops_that_are_nearly_right(field, set_it):
    set_it()
    with pytest.warns(UserWarning, match=f"{field} names 'ad1', but there is no such op.*did you mean 'add1'"):
        pybuda.run_inference(Add("net"), inputs=[(X, X)])


@pytest.mark.parametrize("field, set_it", [
    ("balancer_op_overrides", lambda chosen: pybuda.override_op_size(chosen, (1, 1))),
    ("op_names_to_epoch_break", lambda chosen: pybuda.set_epoch_break(chosen)),
    ("op_names_dont_fuse", lambda chosen: pybuda.config._get_global_compiler_config().dont_fuse(chosen)),
])
def test_predicates_that_no_op_matches(field, set_it):
    set_it(pybuda.query.name_regex("mul.*"))
    with pytest.warns(UserWarning, match=rf"{field} selects ops by name_regex\('mul.\*'\), but no op matches"):
        pybuda.run_inference(Add("net"), inputs=[(X, X)])
    pybuda.pybuda_reset()
    set_it(pybuda.query.name_regex("mul.*") | pybuda.query.op_type("add"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pybuda.run_inference(Add("net"), inputs=[(X, X)])


def test_names_of_ops_that_are_right_or_another_importers():
    pybuda.override_op_size("add1", (1, 1))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pybuda.run_inference(Add("net"), inputs=[(X, X)])
        pybuda.pybuda_reset()
        pybuda.set_epoch_break("softmax_57.dc.exp.2")
        pybuda.run_inference(pybuda.PyTorchModule("net", torch.nn.Linear(32, 32)), inputs=[(X,)])


def test_gradients_are_given_where_they_are_asked_for():
    module = torch.nn.Linear(32, 32)
    compiled = torch.compile(module, backend=pybuda.compile_torch)
    y = compiled(X)
    assert close(y.detach(), module(X).detach()) and y.requires_grad
    y.sum().backward()
    assert close(module.bias.grad, torch.full((32,), float(X.numel() // 32)))
    with torch.no_grad():
        assert not compiled(X).requires_grad


def test_a_second_device_after_shutdown():
    pybuda.run_inference(Add("first"), inputs=[(X, X)])
    pybuda.shutdown()
    second = pybuda.TTDevice("tt1", module=Add("second"))
    second.push_to_inputs(X, X)
    with pytest.raises(RuntimeError, match=r"pushed to device 'tt1'.*begins with device 'auto_tt0'.*pybuda_reset\(\)"):
        pybuda.run_inference()


def test_inputs_without_samples():
    device = pybuda.TTDevice("tt0", module=Add("net"))
    with pytest.raises(RuntimeError, match="has no elements.*push at least one sample"):
        device.push_to_inputs(torch.rand(0, 32, 32), torch.rand(0, 32, 32))


def test_values_of_one_sample_in_the_dim_of_samples():
    module = pybuda.PyTorchModule("net", torch.nn.Linear(32, 32))
    with pytest.raises(ttsim.UnsupportedError) as refused:
        pybuda.run_inference(module, inputs=[(torch.rand(32),)])
    note, = refused.value.__notes__
    assert "input 0 has one dim, of size 32" in note and "push tensor.unsqueeze(0)" in note


def test_labels_of_samples_may_have_one_dim():
    pybuda.TTDevice("tt0", module=Add("net")).push_to_inputs(torch.rand(4, 32), torch.rand(4))


def test_branches_on_values():
    def branch(x):
        return op.Exp("exp", x) if op.ReduceSum("sum", op.ReduceSum("rows", x, -1), -2) else x
    with pytest.raises(RuntimeError, match=r"A branch on values cannot be compiled.*pybuda.op.Where\(\)"):
        pybuda.run_inference(Of(branch), inputs=[(X,)])


def test_branches_of_torch_modules_on_values():
    class Branch(torch.nn.Module):
        def forward(self, x):
            return x * 2 if x.sum() > 0 else x
    with pytest.raises(ttsim.UnsupportedError, match=r"Branch branches on values.*test_names.py:\d+\).*torch.where"):
        pybuda.run_inference(pybuda.PyTorchModule("net", Branch()), inputs=[(X,)])


@pytest.mark.parametrize("package", ["pybuda", "ttnn"])
def test_importing_without_torch_says_what_to_install(package):
    code = f"import sys; sys.modules['torch'] = None; import {package}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1 and f"{package} needs torch, which is not installed. PyTorch's page" in done.stderr


def test_no_message_about_objects_when_python_ends():
    code = ("import ttsim; kept = ttsim.Graph(); x = kept.input('x', [32, 32]); kept.output('y', kept.add('exp', [x]));"
            "model = ttsim.Model(ttsim.compile(kept), engine='functional'); ttsim.kept = (kept, x, model)")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr == ""


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("wanted", [True, False])
def test_a_terminal_shows_progress(monkeypatch, wanted):
    monkeypatch.setattr(sys, "stderr", Terminal())
    if not wanted:
        monkeypatch.setenv("PYBUDA_PROGRESS", "0")
    pybuda.run_inference(Add("net"), inputs=[(X, X)])
    shown = sys.stderr.getvalue()
    assert ("pybuda: compiling device 'auto_tt0' ..." in shown) == wanted
    assert shown == "" if not wanted else shown.endswith("\r\x1b[K")


def test_piping_to_a_file_prints_no_progress(monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    pybuda.run_inference(Add("net"), inputs=[(X, X)])
    assert sys.stderr.getvalue() == ""


def test_log_lines_of_compiling_and_running(caplog):
    caplog.set_level(logging.INFO, "pybuda")
    pybuda.TTDevice("tt0", module=Add("net"))
    pybuda.run_inference(inputs=[(X, X)] * 2)
    text = caplog.text
    assert "compiling device 'tt0'" in text and "done in" in text
    assert text.count("cycles/s simulated") == 2 and "input 2: " in text
