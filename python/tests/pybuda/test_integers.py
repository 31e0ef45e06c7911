"""Int8 and Int32 as formats of the device, beside integers in torch."""
import re

import pybuda
import pytest
import torch
from pybuda import DataFormat, MathFidelity, op
from pybuda.verify import VerifyConfig, verify_module

WORMHOLE, GRAYSKULL = pybuda.BackendDevice.Wormhole_B0, pybuda.BackendDevice.Grayskull
INT8, INT32 = DataFormat.Int8, DataFormat.Int32


class Of(pybuda.PyBudaModule):
    """A function of inputs, and of the parameters w0, w1, ..."""

    def __init__(self, function, *weights):
        super().__init__("net")
        self.function, self.count = function, len(weights)
        for k, value in enumerate(weights):
            setattr(self, f"w{k}", pybuda.Parameter(value, requires_grad=False))

    def forward(self, *tensors):
        return self.function(*tensors, *(getattr(self, f"w{k}") for k in range(self.count)))


def integers(*shape, low=-127, high=128, dtype=torch.int8):
    return torch.randint(low, high, shape).to(dtype)


def run(module, *inputs, arch=WORMHOLE, devtype=pybuda.BackendType.Golden):
    device = pybuda.TTDevice("tt0", module=module, arch=arch, devtype=devtype)
    results = [tensor.value() for tensor in pybuda.run_inference(inputs=[inputs]).get()]
    return results, device.get_compiled_results().netlist


def formats(netlist, name):
    """Of an op: operands, accumulation, result, partial results, fidelity."""
    found = re.search(rf"\n    {re.escape(name)}: \{{type: .*?in_df: \[(.*?)\], acc_df: (\w+), out_df: (\w+), "
                      r"intermed_df: (\w+), math_fidelity: (\w+)", netlist)
    assert found, f"no op '{name}' in\n{netlist}"
    return found.groups()


def limited(values, data_format):
    return values.clamp(-127, 127) if data_format == INT8 else values


@pytest.mark.parametrize("fidelity", [None, *(one for one in MathFidelity if one != MathFidelity.Invalid)])
@pytest.mark.parametrize("output", [INT8, INT32])
@pytest.mark.parametrize("shape", [(32, 32, 32), (64, 96, 128), (33, 47, 65)])
def test_products(shape, output, fidelity):
    m, k, n = shape
    pybuda.config.configure_mixed_precision(op_type="matmul", output_df=output, accumulate_df=INT32,
                                            intermediate_df=INT32, math_fidelity=fidelity)
    a, w = integers(1, m, k), integers(1, k, n)
    (product,), netlist = run(Of(lambda x, y: op.Matmul("mm", x, y), w), a)
    assert product.dtype == torch.int32 and torch.equal(product, limited(a.int() @ w.int(), output))
    if m % 32 == k % 32 == 0:
        assert formats(netlist, "mm") == ("Int8, Int8", "Int32", output.name, "Int32", "HiFi4")
        assert "\n  net.w0: {input: HOST" in netlist


@pytest.mark.parametrize("devtype", [pybuda.BackendType.Golden, pybuda.BackendType.Silicon])
@pytest.mark.parametrize("kind, reference", [("Add", torch.add), ("Subtract", torch.sub), ("Multiply", torch.mul),
                                             ("Max", torch.maximum)])
@pytest.mark.parametrize("output", [INT8, INT32])
def test_elementwise(kind, reference, output, devtype):
    pybuda.config.configure_mixed_precision(name_regex="result", output_df=output, accumulate_df=INT32)
    a, b = integers(1, 2, 64, 32), integers(1, 2, 64, 32)
    (result,), netlist = run(Of(lambda x, y: getattr(op, kind)("result", x, y)), a, b, devtype=devtype)
    assert torch.equal(result, limited(reference(a.int(), b.int()), output))
    assert formats(netlist, "result") == ("Int8, Int8", "Int32", output.name, "Int32", "HiFi4")


@pytest.mark.parametrize("output", [INT8, INT32, None])
def test_chains(output):
    """Products, sums and maxima behind each other, where nothing is cut."""
    if output is not None:
        pybuda.config.configure_mixed_precision(name_regex=".*", output_df=output, accumulate_df=INT32)
    a, b, w = integers(1, 64, 64, low=-1, high=2), integers(1, 64, 32, low=-3, high=4), integers(1, 64, 32, low=0, high=2)

    def chain(x, y, weight):
        product = op.Matmul("mm", x, weight)
        return op.Max("most", op.Add("sum", product, y), op.Identity("same", y))

    (result,), netlist = run(Of(chain, w), a, b)
    product = limited(a.int() @ w.int(), output)
    assert torch.equal(result, torch.maximum(limited(product + b.int(), output), b.int()))
    for name in ("mm", "sum", "most"):
        assert formats(netlist, name)[1] == "Int32" and formats(netlist, name)[4] == "HiFi4"


def test_chains_of_bytes():
    pybuda.config.configure_mixed_precision(name_regex=".*", output_df=INT8, accumulate_df=INT32, intermediate_df=INT32)
    a, b, c = (integers(1, 32, 32, low=-5, high=6) for _ in range(3))

    def chain(x, y, z):
        total = op.Subtract("less", op.Multiply("times", x, y), z)
        return op.Matmul("mm", total, op.Relu("positive", z))

    (result,), netlist = run(Of(chain), a, b, c)
    total = (a.int() * b.int() - c.int()).clamp(-127, 127)
    assert torch.equal(result, (total @ c.int().clamp(min=0)).clamp(-127, 127))
    assert formats(netlist, "mm") == ("Int8, Int8", "Int32", "Int8", "Int32", "HiFi4")


def test_a_bias_of_a_product():
    a, w, bias = integers(1, 32, 64), integers(1, 64, 32), integers(1, 32, low=-9999, high=9999, dtype=torch.int32)
    (result,), netlist = run(Of(lambda x, y, z: op.Matmul("mm", x, y, z), w, bias), a)
    assert torch.equal(result, a.int() @ w.int() + bias)
    assert "Float" not in netlist.split("graphs:")[1].split("programs:")[0]


@pytest.mark.parametrize("kind, reference", [("Add", torch.add), ("Subtract", torch.sub), ("Multiply", torch.mul),
                                             ("Max", torch.maximum)])
def test_integers_of_32_bits(kind, reference):
    """Sums and maxima are the chip's, the others the host's, with a warning: products of them would lose digits."""
    a, b = (integers(1, 32, 32, low=-4000, high=4000, dtype=torch.int32) for _ in range(2))
    module = Of(lambda x, y: getattr(op, kind)("result", x, y))
    if kind in ("Add", "Max"):
        (result,), netlist = run(module, a, b)
        assert formats(netlist, "result")[:3] == ("Int32, Int32", "Int32", "Int32")
    else:
        with pytest.warns(UserWarning, match=r"1 op runs on the host.*result"):
            (result,), netlist = run(module, a, b)
    assert torch.equal(result, reference(a, b))


def test_floats_that_become_bytes_and_bytes_that_become_floats():
    pybuda.config.configure_mixed_precision(name_regex="whole", output_df=INT8)
    x = torch.randint(-100, 100, (1, 32, 32)).float()
    (result,), netlist = run(Of(lambda t: op.Abs("back", op.Identity("whole", op.Abs("first", t)))), x)
    assert torch.equal(result.float(), x.abs()) and "type: quantization" in netlist and "type: dequantization" in netlist


def test_input_formats_of_rules():
    pybuda.config.configure_mixed_precision(op_type="matmul", input_df={0: (INT8, True), 1: (INT8, True)},
                                            output_df=INT32, accumulate_df=INT32)
    a, w = torch.randint(-50, 50, (1, 32, 64)).float(), torch.randint(-50, 50, (1, 64, 32)).float()
    (result,), netlist = run(Of(lambda x, y: op.Matmul("mm", x, y), w), a)
    assert torch.equal(result.int(), (a @ w).int()) and result.dtype == torch.int32
    assert formats(netlist, "mm")[:3] == ("Int8, Int8", "Int32", "Int32")


def test_accumulation_of_all_ops_leaves_floats_alone():
    pybuda.set_configuration_options(accumulate_df=INT32)
    x = torch.rand(1, 32, 32)
    (result,), netlist = run(Of(lambda t: op.Exp("exp", t)), x)
    assert "Int32" not in netlist and torch.allclose(result.float(), x.exp(), rtol=0.02)


@pytest.mark.parametrize("output", [INT8, INT32])
def test_verification(output):
    pybuda.config.configure_mixed_precision(op_type="matmul", output_df=output, accumulate_df=INT32)

    class Weighted(pybuda.PyBudaModule):
        def __init__(self, name):
            super().__init__(name)
            self.w = pybuda.Parameter(64, 64, requires_grad=False, dev_data_format=INT8)

        def forward(self, x):
            return op.Add("sum", op.Matmul("mm", x, self.w), op.Matmul("mm2", x, self.w))

    module = Weighted("net")
    verify_module(module, [(1, 64, 64)], VerifyConfig(arch=WORMHOLE, pcc=1.0, relative_atol=0.0),
                  input_params=[{"data_format": torch.int8}])
    assert bool(module.w.value().any())


def test_grayskull_computes_with_floats():
    pybuda.config.configure_mixed_precision(op_type="matmul", output_df=INT8)
    with pytest.raises(pybuda.stage.ttsim.InputError, match="grayskull computes with floats alone"):
        run(Of(lambda x, y: op.Matmul("mm", x, y)), integers(1, 32, 32), integers(1, 32, 32), arch=GRAYSKULL)


def test_ops_that_have_no_integers():
    pybuda.config.configure_mixed_precision(op_type="exp", output_df=INT8)
    with pytest.raises(pybuda.stage.ttsim.InputError, match="exp does not compute with integers here; use a float"):
        run(Of(lambda x: op.Exp("exp", x)), torch.rand(1, 32, 32))
