"""What is used in a wrong way is refused at once, with the name of what is wrong."""
import subprocess
import sys

import pybuda
import pytest
import torch
from modules import Add
from pybuda import op

X = torch.rand(1, 32, 32)


def test_modules_are_wrapped_and_named_once():
    with pytest.raises(RuntimeError, match="PyTorchModule"):
        pybuda.TTDevice("tt0", module=torch.nn.Linear(4, 4))
    with pytest.raises(RuntimeError, match="PyTorchModule"):
        pybuda.run_inference(torch.nn.Linear(4, 4), inputs=[X])
    with pytest.raises(RuntimeError, match="needs a torch.nn.Module"):
        pybuda.PyTorchModule("m", Add("a"))
    device = pybuda.TTDevice("tt1")
    device.place_module(Add("same"))
    with pytest.raises(RuntimeError, match="already has a module 'same'"):
        device.place_module(Add("same"))
    with pytest.raises(RuntimeError, match="needs pybuda modules"):
        device.place_module((Add("x"), "y"))


def test_a_device_without_a_module():
    device = pybuda.TTDevice("tt0")
    device.push_to_inputs(X)
    with pytest.raises(RuntimeError, match="has no module"):
        pybuda.run_inference()


def test_batches_shapes_and_numbers_of_inputs_stay():
    device = pybuda.TTDevice("tt0", module=Add("a"))
    device.push_to_inputs(X, X)
    with pytest.raises(RuntimeError, match="Batch size mismatch"):
        device.push_to_inputs(torch.rand(2, 32, 32), torch.rand(2, 32, 32))
    with pytest.raises(RuntimeError, match="Batch size mismatch"):
        device.push_to_inputs(torch.rand(2, 32, 32), torch.rand(3, 32, 32))
    pybuda.run_inference()
    with pytest.raises(RuntimeError, match="compiled for 2 inputs; 1 were pushed"):
        device.push_to_inputs(X)
    with pytest.raises(RuntimeError, match=r"input 1 .* has shape \[32, 64\]"):
        device.push_to_inputs(X, torch.rand(1, 32, 64))
    with pytest.raises(RuntimeError, match="integers"):
        device.push_to_inputs(X, X.int())
    with pytest.raises(RuntimeError, match="is not a tensor"):
        device.push_to_inputs(X, "text")


def test_a_wrong_count_of_inputs_is_found_when_it_compiles():
    with pytest.raises(RuntimeError, match="module 'a' was given 1 inputs"):
        pybuda.run_inference(Add("a"), inputs=[X])


def test_names_of_ops_are_unique():
    class Twice(pybuda.PyBudaModule):
        def forward(self, x):
            return op.Exp("same", op.Exp("same", x))

    with pytest.raises(RuntimeError, match="two ops .* are named 'same'"):
        pybuda.run_inference(Twice("t"), inputs=[X])


def test_parameters_belong_to_modules_and_have_values():
    class Stray(pybuda.PyBudaModule):
        def forward(self, x):
            return op.Matmul("mm", x, pybuda.Parameter(torch.rand(32, 32)))

    with pytest.raises(RuntimeError, match="op 'mm' uses a parameter that belongs to no module"):
        pybuda.run_inference(Stray("s"), inputs=[X])
    pybuda.pybuda_reset()

    class Blank(pybuda.PyBudaModule):
        def __init__(self, name):
            super().__init__(name)
            self.w = pybuda.Parameter(32, 32)

        def forward(self, x):
            return op.Matmul("mm", x, self.w)

    with pytest.raises(RuntimeError, match="'b.w' has no value"):
        pybuda.run_inference(Blank("b"), inputs=[X])


def test_outputs_are_tensors():
    class Nothing(pybuda.PyBudaModule):
        def forward(self, x):
            return None

    with pytest.raises(RuntimeError, match="has no outputs"):
        pybuda.run_inference(Nothing("n"), inputs=[X])


def test_pipelines():
    with pytest.raises(RuntimeError, match="needs a tuple of devices"):
        pybuda.set_device_pipeline((pybuda.TTDevice("tt0"), "tt1"))
    with pytest.raises(RuntimeError, match="runs only torch and ONNX modules"):
        pybuda.CPUDevice("cpu0", module=Add("a"))
    pybuda.pybuda_reset()
    first, last = pybuda.TTDevice("tt0", module=Add("a")), pybuda.CPUDevice("cpu1")
    last.place_module(pybuda.PyTorchModule("p", torch.nn.Linear(32, 4)))
    first.place_loss_module(op.loss.L1Loss("loss"))
    first.push_to_inputs(X, X)
    with pytest.raises(RuntimeError, match="loss module is on a device that is not the last"):
        pybuda.run_inference()
    first.remove_loss_module()
    with pytest.raises(AssertionError, match="has no loss module"):
        first.remove_loss_module()
    pybuda.set_device_pipeline((last, first))
    with pytest.raises(RuntimeError):
        pybuda.run_inference()


def test_chips_are_said_in_one_way(monkeypatch):
    for beyond in ({"num_chips": 3}, {"chip_ids": [0, 7]}):
        with pytest.raises(RuntimeError, match=r"chip [17], but there is only 1.*OVERRIDE_NUM_CHIPS=[38] to simulate"):
            pybuda.TTDevice("many", **beyond)
    monkeypatch.setenv("TTSIM_DEVICES", "wh_n300")
    with pytest.raises(RuntimeError, match="chip 2, but there are only 2"):
        pybuda.TTDevice("three", num_chips=3)
    assert pybuda.TTDevice("a").chip_ids == [0]
    assert pybuda.TTDevice("b", num_chips=2).chip_ids == [0, 1]
    assert pybuda.TTDevice("c", num_chips=0).chip_ids == [0, 1]
    assert pybuda.TTDevice("d", chip_ids=[0, 1]).chip_ids == [0, 1]
    with pytest.raises(AssertionError, match="only one of them"):
        pybuda.TTDevice("e", num_chips=3, chip_ids=[0])


def test_architectures_that_are_not_simulated():
    pybuda.TTDevice("tt0", module=Add("a"), arch=pybuda.BackendDevice.Invalid)
    with pytest.raises(RuntimeError, match="Invalid is not simulated; known chips are blackhole, grayskull"):
        pybuda.run_inference(inputs=[(X, X)])


@pytest.mark.parametrize("kind, why", [
    ("TFModule", "needs a model of TensorFlow, not a NoneType"), ("TFGraphDefModule", "neither a GraphDef nor the path"),
    ("TFLiteModule", "needs the path of a .tflite file"), ("JaxModule", "needs a function of JAX or a module of Flax"),
    ("MXNetModule", r"archived by its developers in 2023.*pybuda.OnnxModule\(name, None, path\)")])
def test_modules_of_other_frameworks_check_their_model(kind, why):
    with pytest.raises(RuntimeError, match=why):
        getattr(pybuda, kind)("m", None)


def test_without_a_framework_the_error_names_the_extra(tmp_path, monkeypatch):
    for name in ("tensorflow", "jax", "keras"):
        monkeypatch.setitem(sys.modules, name, None)  # as if it were not installed
    lite = tmp_path / "m.tflite"
    lite.write_bytes(bytes([8, 0, 0, 0]) + b"TFL3" + bytes(64))
    for make, extra in ((lambda: pybuda.TFLiteModule("m", str(lite)), "tflite"),
                        (lambda: pybuda.TFGraphDefModule("m", None, str(lite)), "tensorflow"),
                        (lambda: pybuda.JaxModule("m", lambda x: x), "jax")):
        pybuda.pybuda_reset()
        with pytest.raises(RuntimeError, match=rf"pip install 'ttsim\[{extra}\]'"):
            pybuda.TTDevice("tt0", module=make(), devtype=pybuda.BackendType.Golden)
            pybuda.run_inference(inputs=[(X,)])


def test_importing_imports_no_framework():
    code = "import sys, pybuda, ttsim.convert; sys.exit(any(name in sys.modules for name in ('tensorflow', 'jax', 'keras', 'onnx', 'tf2onnx')))"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_element_types_without_a_format():
    with pytest.raises(RuntimeError, match="float64"):
        pybuda.Tensor.create_from_torch(torch.zeros(2, dtype=torch.float64))


@pytest.mark.parametrize("wanted", [pybuda.DataFormat.Int8, pybuda.DataFormat.RawUInt32, pybuda.DataFormat.Lf8])
def test_formats_that_ops_do_not_compute_in(wanted):
    pybuda.set_configuration_options(default_df_override=wanted)
    with pytest.raises(RuntimeError, match=f"default_df_override is {wanted.name}, but ops compute only in Float16"):
        pybuda.run_inference(Add("a"), inputs=[(X, X)])
    pybuda.pybuda_reset()
    pybuda.TTDevice("tt0", module=Add("a"), fp32_fallback=wanted)
    with pytest.raises(RuntimeError, match=f"fp32_fallback of the device is {wanted.name}"):
        pybuda.run_inference(inputs=[(X, X)])


@pytest.mark.parametrize("call, why", [
    (lambda x: op.Conv2d("named", x, None), r"\(Conv2d\) .* weights=None"),
    (lambda x: op.Conv2d("named", x, x, stride=1.5), "stride=1.5"),
    (lambda x: op.MaxPool2d("named", x, (1, 1, 1, 1)), r"kernel_size=\(1, 1, 1, 1\)"),
    (lambda x: op.AvgPool2d("named", x, 2, stride=0), "stride=0"),
    (lambda x: op.ReduceSum("named", x, "rows"), "dim='rows'"), (lambda x: op.ReduceMax("named", x, 9), "dim=9"),
    (lambda x: op.GroupedReduceAvg("named", x, 1, None), "groups=None"),
    (lambda x: op.HSlice("named", x, "x"), "slices='x'"), (lambda x: op.HSlice("named", None, 2), "operandA=None"),
    (lambda x: op.Select("named", x, -1, torch.float32), "index=torch.float32"),
    (lambda x: op.Reshape("named", x, 1.5), "shape=1.5"), (lambda x: op.Pad("named", x, None), "pad=None"),
    (lambda x: op.Requantize("named", x, 1, 1, 0, 0, "int8"), "not int8"),
    (lambda x: op.nn.Layernorm("named", 3, x, x), "operandA=3"), (lambda x: op.AdvIndex("named", x, None), "is a NoneType"),
    (lambda x: op.Matmul("named", x, torch.rand(4, 4)), "create_from_torch"),
])
def test_arguments_that_an_op_does_not_take(call, why):
    x = pybuda.Tensor(None, (1, 4, 8, 8), pybuda.DataFormat.Float32)
    with pytest.raises((RuntimeError, AssertionError), match=f"(?s)op 'named'.*{why}|{why}.*op 'named'"):
        call(x)


def test_missing_arguments_raise_pythons_error():
    with pytest.raises(TypeError, match="missing 1 required keyword-only argument: 'axis'"):
        op.Concatenate("cat", X)
    with pytest.raises(TypeError, match="unexpected keyword argument 'speed'"):
        op.Add("add", X, X, speed=3)


@pytest.mark.parametrize("field, value, why", [
    ("compile_depth", "full", "is 'full'; it must be a CompileDepth: INIT_COMPILE,"),
    ("default_df_override", "Float16_b", "it must be a DataFormat: .*, or None"),
    ("amp_level", "1", "an integer, or None"),
    ("enable_t_streaming", None, "it must be True or False"), ("balancer_op_overrides", [], "it must be a dict"),
    ("balancer_op_overrides", {"add1": 1}, "has an invalid value"),
    ("placer_op_overrides", ["add1"], "has an invalid value"),
    ("insert_queues", [("add1",)], "has an invalid value"), ("op_names_to_epoch_break", [[None]], "not by None"),
    ("manual_dram_queue_placement", {"a": {"channel": "x"}}, "has an invalid value"),
    ("harvesting_mask", [1], "an integer"),
    ("conv_multi_op_fracture_factor_override", {"add1": torch.float32}, "has an invalid value"),
    ("amp_properties", [3], "has an invalid value"), ("fracture_groups", [3], "has an invalid value"),
    ("backend_device_descriptor_path", 3, "it must be a name"),
    ("loopback_outputs", {"a": "x"}, "has an invalid value"),
])
def test_fields_of_the_configuration_are_named(field, value, why):
    setattr(pybuda.config._get_global_compiler_config(), field, value)
    with pytest.raises(RuntimeError, match=why) as refused:
        pybuda.run_inference(Add("a"), inputs=[(X, X)])
    assert field in str(refused.value) or "select ops by" in str(refused.value)


@pytest.mark.parametrize("function, value, why", [
    ("override_op_size", (0, 1), "grid_shape of op 'add1' must be a pair of integers of 1 or more: rows, columns, not"),
    ("override_op_size", 3, "not 3"), ("override_op_size", (1, 2, 3), "a pair"), ("override_u_kt", 0, "u_kt of op 'add1'"),
    ("override_t_stream_shape", ("a", 1), "slices of rows, of columns"), ("override_t_stream_shape", None, "add1"),
])
def test_values_that_overrides_of_ops_cannot_be(function, value, why):
    if value is None:
        pybuda.config.override_t_stream_shape("add1", None)  # the balancer's choice
        assert pybuda.run_inference(Add("a"), inputs=[(X, X)]).get()
        return
    with pytest.raises(RuntimeError, match=why):
        getattr(pybuda.config, function)("add1", value)


@pytest.mark.parametrize("call, why", [
    (lambda: pybuda.TTDevice("t", arch="wormhole_b0"),
     "arch of TTDevice is 'wormhole_b0'; it must be a BackendDevice \\(Gray"),
    (lambda: pybuda.TTDevice("t", chip_ids=3), "chip_ids of TTDevice is 3; it must be a list or a tuple"),
    (lambda: pybuda.TTDevice("t", fp32_fallback=torch.float32), "fp32_fallback of TTDevice is torch.float32"),
    (lambda: pybuda.run_inference(Add("a"), inputs=3), "inputs of run_inference is 3"),
    (lambda: pybuda.run_inference(Add("a"), inputs=[(X, X)], input_count="1"), "input_count of run_inference is '1'"),
    (lambda: pybuda.pybuda_compile(Add("a"), "graph", X, X), "dev of pybuda_compile is PyBudaModule 'a'|dev of pybuda_compile"),
    (lambda: pybuda.verify.verify_module(Add("a"), [(1, 4)] * 2, None),
     "verify_cfg of .* is None; it must be a VerifyConfig"),
    (lambda: pybuda.verify.verify_module(Add("a"), [4, 4], pybuda.VerifyConfig()), r"input_shapes\[0\] is 4"),
    (lambda: pybuda.verify.verify_module(Add("a"), [(1, 4)] * 2, pybuda.VerifyConfig(relative_atol="x")),
     "relative_atol of VerifyConfig is 'x'; it must be a float"),
    (lambda: pybuda.Tensor.create_from_torch([1, 2]), r"torch_tensor of create_from_torch is \[1, 2\]"),
    (lambda: pybuda.Parameter("x", 3), "dims of a shape must be integers, not"),
    (lambda: pybuda.Parameter(4, 4, dev_data_format="Bfp8_b"), "dev_data_format of Parameter is 'Bfp8_b'"),
    (lambda: Add("a").add_parameter("w", X), "parameter of PyBudaModule.add_parameter is a torch tensor of shape"),
    (lambda: pybuda.update_device_parameters(parameters={"w": X}), "parameters of update_device_parameters is"),
    (lambda: pybuda.set_device_pipeline(3), "needs a tuple of devices, not a int"),
])
def test_arguments_of_another_kind_are_named(call, why):
    with pytest.raises(RuntimeError, match=why):
        call()


def test_more_chips_than_any_machine_has():
    with pytest.raises(AssertionError, match="num_chips=1000000000; a device has 1 to"):
        pybuda.TTDevice("t", num_chips=10**9)


def test_a_queue_of_a_failed_run_reports_it_before_the_timeout(monkeypatch):
    from pybuda.ttdevice import TTDevice

    def fails(self, values):
        raise RuntimeError("the chip is on fire")
    monkeypatch.setattr(TTDevice, "forward_values", fails)
    results = pybuda.run_inference(Add("a"), inputs=[(X, X)])
    with pytest.raises(RuntimeError, match="the run failed: the chip is on fire"):
        results.get(timeout=0.1)
