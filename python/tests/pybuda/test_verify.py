"""verify_module(), which programs' own tests are written in."""
import pathlib

import pybuda
import pytest
import torch
from modules import Add, TwoProducts
from pybuda.verify import TestKind, VerifyConfig, calculate_pcc, compare_tensor_to_golden, verify_module
from pybuda.verify import verify_module_pipeline


BFP8 = pybuda.DataFormat.Bfp8_b


@pytest.mark.parametrize("arch", [pybuda.BackendDevice.Grayskull, pybuda.BackendDevice.Wormhole_B0])
@pytest.mark.parametrize("shape", [(1, 32, 64), (3, 32, 64), (1, 2, 40, 64)])
def test_modules_are_verified(arch, shape):
    seen = []
    verify_module(TwoProducts("verified"), [shape, shape],
                  VerifyConfig(arch=arch, microbatch_count=2, golden_compare_callback=lambda *_: seen.append(1)))
    assert len(seen) == 4


@pytest.mark.parametrize("shape", [(1,), (1, 5), (1, 5, 7), (1, 3, 5, 7)])
def test_ranks_1_to_4(shape):
    verify_module(Add("ranks"), [shape, shape], VerifyConfig())


def test_parameters_without_values_and_inputs_of_other_types():
    class Blank(pybuda.PyBudaModule):
        def __init__(self, name):
            super().__init__(name)
            self.w = pybuda.Parameter(64, 64)

        def forward(self, x):
            return pybuda.op.Matmul("mm", x, self.w)

    verify_module(Blank("blank"), [(1, 32, 64)], VerifyConfig(), params_centered_on_zero=True)
    before = pybuda.pybudaglobal.get_devices()[0]
    assert before._compile_output is not None
    verify_module(Blank("half"), [(1, 32, 64)], VerifyConfig(), [{"data_format": torch.float16}])


class WholeAndFloat(pybuda.PyBudaModule):
    def forward(self, a, b):
        return pybuda.op.Multiply("product", a, b), pybuda.op.Exp("exp", a), pybuda.op.Identity("same", a)


@pytest.mark.parametrize("dtype", [torch.int8, torch.int32, torch.int64])
def test_integers_among_floats(dtype):
    given = (torch.randint(0, 5, (1, 32, 32)).to(dtype), torch.rand(1, 32, 32))
    verify_module(WholeAndFloat("whole"), [(1, 32, 32)] * 2, VerifyConfig(relative_atol=0.01, pcc=1.0), inputs=[given])
    device = pybuda.pybudaglobal.get_devices()[0]
    netlist = device._compile_output.netlist
    assert "\n  a: {input: HOST" in netlist and "\n  b: {input: HOST" in netlist  # named for inputs, one for all readers


class OfBytes(pybuda.PyBudaModule):
    def forward(self, a, b):
        return [getattr(pybuda.op, op)(op, a, b) for op in ("Add", "Subtract", "Multiply", "Matmul")]


@pytest.mark.parametrize("dtype", [torch.int8, torch.uint8, torch.bool])
def test_sums_and_products_of_bytes_do_not_wrap_around(dtype):
    given = [(torch.randint(0, 2 if dtype == torch.bool else 120, (1, 32, 32)).to(dtype),) * 2]
    verify_module(OfBytes("bytes"), [(1, 32, 32)] * 2, VerifyConfig(relative_atol=0.01, pcc=1.0), inputs=given)


@pytest.mark.parametrize("params, formats", [
    ([{"dev_data_format": BFP8}], ["Bfp8_b", "Float16_b"]), ([[{"dev_data_format": BFP8}]], ["Bfp8_b"] * 2),
    ({"dev_data_format": BFP8}, ["Bfp8_b"] * 2), ([{}, {"dev_data_format": BFP8}], ["Float16_b", "Bfp8_b"]),
])
def test_what_inputs_are_made_as(params, formats):
    verify_module(Add("made"), [(1, 32, 32)] * 2, VerifyConfig(), input_params=params)
    netlist = pybuda.pybudaglobal.get_devices()[0]._compile_output.netlist
    assert f"in_df: [{', '.join(formats)}]" in netlist
    with pytest.raises(RuntimeError, match=r"input_params\[0\] is 'Bfp8_b'; it must be a dict"):
        verify_module(Add("made"), [(1, 32, 32)] * 2, VerifyConfig(), input_params=["Bfp8_b"])


def test_fields_that_verification_leaves_open():
    verify_module(Add("open"), [(1, 32, 32)] * 2, VerifyConfig(
        optimizer=None, scheduler=None, waive_gradient_errors=["w"], pcc=0.9, relative_atol=1, chip_ids=(0,), rtol=0.5,
        atol=None, epoch_breaks=(), run_golden=1, arch=None, dump_tensors_path=None))


def test_golden_rounds_intermediates_only_on_request():
    pybuda.set_configuration_options(math_fidelity=pybuda.MathFidelity.LoFi, default_df_override=pybuda.DataFormat.Bfp4_b)
    limits = {"relative_atol": 0.01, "pcc": 1.0}
    shapes = [(1, 32, 64)] * 2
    verify_module(TwoProducts("float"), shapes, VerifyConfig(**limits))
    with pytest.raises(RuntimeError, match="differs"):
        verify_module(TwoProducts("formats"), shapes, VerifyConfig(**limits, golden_ignore_df_precision=False))
    with pytest.raises(RuntimeError, match="differs"):
        verify_module(TwoProducts("chip"), shapes, VerifyConfig(**limits, devtype=pybuda.BackendType.Silicon))


def test_torch_modules_and_pipelines():
    net = torch.nn.Linear(64, 32)
    verify_module(pybuda.PyTorchModule("net", net), [(1, 32, 64)], VerifyConfig(), inputs=[(torch.rand(1, 32, 64),)])
    pybuda.pybuda_reset()
    verify_module_pipeline([pybuda.PyTorchModule("cpu", torch.nn.Linear(32, 64)), TwoInOne("tt")], [(1, 16, 32)],
                           VerifyConfig(), device_types=["CPUDevice", "TTDevice"])


class TwoInOne(pybuda.PyBudaModule):
    def forward(self, x):
        return pybuda.op.Relu("relu", x)


def test_a_wrong_chip_is_found(monkeypatch):
    from pybuda.ttdevice import TTDevice
    right = TTDevice.forward_values
    monkeypatch.setattr(TTDevice, "forward_values", lambda self, values: [-value for value in right(self, values)])
    with pytest.raises(RuntimeError, match="output 0 .* differs"):
        verify_module(Add("wrong"), [(1, 32, 32)] * 2, VerifyConfig())
    pybuda.pybuda_reset()
    verify_module(Add("wrong"), [(1, 32, 32)] * 2, VerifyConfig.disabled())


@pytest.mark.parametrize("kind", [TestKind.TRAINING, TestKind.TRAINING_RECOMPUTE])
def test_training_kinds_run_a_step(kind):
    verify_module(Add("t"), [(1, 32, 32)] * 2, VerifyConfig(test_kind=kind))


def test_comparisons():
    a = torch.randn(4, 32)
    assert compare_tensor_to_golden("same", a, a)
    assert compare_tensor_to_golden("near", a, a + 0.01)
    assert not compare_tensor_to_golden("other", a, torch.randn(4, 32))
    assert compare_tensor_to_golden("other", a, torch.randn(4, 32), warning_only=True)
    assert not compare_tensor_to_golden("shape", a, a[:2])
    assert compare_tensor_to_golden("correlated", a, a * 1.5)
    assert not compare_tensor_to_golden("one number", torch.tensor([1.0]), torch.tensor([1.5]))
    assert not compare_tensor_to_golden("bools", torch.tensor([True, False]), torch.tensor([True, True]))
    assert calculate_pcc(a, a) == pytest.approx(1) and calculate_pcc(a, -a) == pytest.approx(-1)
    assert calculate_pcc(torch.ones(3), torch.ones(3)) == 1 and calculate_pcc(torch.ones(3), torch.zeros(3)) == 0
    assert calculate_pcc(torch.tensor([1.0, float("nan")]), torch.tensor([1.0, 2.0])) == 0


def test_pybuda_compile_gives_a_netlist(tmp_path):
    pybuda.set_configuration_options(backend_output_dir=str(tmp_path))
    device = pybuda.TTDevice("tt0", module=TwoProducts("m"))
    x = torch.rand(1, 32, 64)
    result = pybuda.pybuda_compile(device, "my_graph", x, x, verify_cfg=VerifyConfig())
    assert [output.shape.get_pytorch_shape() for output in result.outputs] == [(1, 32, 64)] * 2
    assert torch.equal(result.outputs[0].value(), device.modules[0].reference(x, x)[0].detach())
    assert {"placer_solution", "output_host_tms", "consteval_trace"} == set(result.pass_specific_output_kwargs)
    assert result.netlist_filename == str(tmp_path / "my_graph_netlist.yaml")
    assert pathlib.Path(result.netlist_filename).read_text() == result.netlist
    assert pybuda.CompiledGraphState(result).ordered_input_shapes == [[1, 32, 64]] * 2


class RowSum(pybuda.PyBudaModule):
    def forward(self, x):
        return pybuda.op.ReduceSum("sum", x, dim=0 if len(x.shape) == 2 else -2)


@pytest.mark.parametrize("shape, samples, wanted", [((48, 64), 1, (1, 64)), ((2, 48, 64), 2, (1, 1, 64))])
def test_pybuda_compile_takes_inputs_as_they_are_unless_a_microbatch_is_said(shape, samples, wanted):
    device = pybuda.TTDevice("tt0", module=RowSum("sum"), devtype=pybuda.BackendType.Golden)
    result = pybuda.pybuda_compile(device, "sum", torch.rand(shape), verify_cfg=VerifyConfig(), microbatch_size=samples)
    assert device._stages[0].shapes() == [wanted] and result.outputs[0].shape.dims == (samples, *wanted[1:])


class Gated(pybuda.PyBudaModule):
    """What is repeated lies beside reciprocals of the zeros that fill tiles."""

    def forward(self, x):
        whole = pybuda.op.Divide("whole", x, pybuda.op.ReduceSum("sum", x, dim=-1))
        rows = pybuda.op.Divide("rows", x, pybuda.op.ReduceSum("row", x, dim=-2))
        return whole, rows, pybuda.op.nn.Softmax("odds", x, dim=-1)


@pytest.mark.parametrize("level", [1, 2])
@pytest.mark.parametrize("data_format", [None, pybuda.DataFormat.Bfp8_b, pybuda.DataFormat.Float16])
def test_mixed_precision_loses_no_quotients(level, data_format):
    pybuda.set_configuration_options(amp_level=level, default_df_override=data_format)
    verify_module(Gated("gated"), [(1, 70, 47)], VerifyConfig(golden_ignore_df_precision=False, pcc=0.99))


@pytest.mark.parametrize("level", [1, 2])
def test_mixed_precision_of_an_encoder(level):
    pybuda.set_configuration_options(amp_level=level)
    layer = torch.nn.TransformerEncoderLayer(64, 4, 128, batch_first=True).eval()
    verify_module(pybuda.PyTorchModule("layer", layer), [(1, 32, 64)], VerifyConfig(golden_ignore_df_precision=False))


def test_optimizers_and_schedulers_hold_their_settings():
    parameter = pybuda.Parameter(torch.rand(4, 4), name="p")
    adam = pybuda.Adam(0.1, parameters=[parameter])
    assert set(adam.get_optimizer_params("p", False)) == {"lr", "mean", "variance", "beta1_pow", "beta2_pow"}
    assert adam.get_optimizer_params("p", True)["lr"].shape == (1, 1, 32, 32)
    adam.set_optimizer_parameters(learning_rate=0.5)
    assert adam.get_optimizer_params("p", False)["lr"].value() == 0.5
    for optimizer in (pybuda.SGD(0.1), adam, pybuda.AdamW(), pybuda.LAMB(), pybuda.LARS(),
                      pybuda.Adam(0.1, bias_correction=False)):
        value = torch.rand(4, 4)
        assert not torch.equal(optimizer.torch_parameter_update(parameter_name="p", parameter=value,
                                                                gradient=torch.rand(4, 4)), value)
    with pytest.raises(AssertionError, match="beta1"):
        pybuda.Adam(0.1, beta1=2.0)

    class Halved(pybuda.schedulers.LearningRateScheduler):
        def get_lr(self):
            return self.optimizer.learning_rate / 2

    scheduler = Halved(adam)
    scheduler.step()
    assert adam.learning_rate == 0.25 and float(scheduler.get_scheduler_params("p", False)["lr"].value()) == 0.25
    with pytest.raises(AssertionError, match="optimizer of pybuda"):
        Halved(torch.optim.SGD([torch.zeros(1)], 0.1))


@pytest.mark.parametrize("make, reference", [
    (lambda: pybuda.AdamW(0.1, weight_decay=0.1), lambda p: torch.optim.AdamW(p, 0.1, weight_decay=0.1)),
    (lambda: pybuda.Adam(0.1, weight_decay=0.1), lambda p: torch.optim.Adam(p, 0.1, weight_decay=0.1)),
    (lambda: pybuda.SGD(0.1), lambda p: torch.optim.SGD(p, 0.1)),
])
def test_updates_in_torch(make, reference):
    value, gradient = torch.rand(3, 4), torch.rand(3, 4)
    wanted = torch.nn.Parameter(value.clone())
    wanted.grad = gradient
    reference([wanted]).step()
    got = make().torch_parameter_update(parameter_name="p", parameter=value, gradient=gradient)
    assert torch.allclose(got, wanted, atol=1e-6)
