"""Ops as programs' own tests try them: each kind of op, with operands of the host, of another op and of DRAM, shapes of
rank 1 to 4, and what the netlist says of it."""
import pybuda
import pytest
import torch
import yaml
from pybuda import DataFormat, MathFidelity, op
from pybuda.verify import TestKind, VerifyConfig, verify_module

PLAIN = ("Abs", "Exp", "Log", "Reciprocal", "Sqrt", "Relu", "Gelu", "Sigmoid", "Tanh", "Sine", "Cosine", "Identity",
         "Buffer", "LogicalNot", "Tilize")
UNARY = {**{name: {} for name in PLAIN}, "Argmax": {"dim": -1}, "LeakyRelu": {"alpha": 0.1},
         "Clip": {"min": 0.2, "max": 0.6}, "CumSum": {"axis": 0}, "Pow": {"exponent": 2},
         "Dropout": {"training": False}}
BINARY = ("Add", "Subtract", "Multiply", "Max", "Min", "Divide", "Heaviside", "Greater", "GreaterEqual", "Less",
          "LessEqual", "Equal", "NotEqual", "LogicalAnd")
SHAPES = [(1, 4), (1, 3, 17), (2, 5, 33), (2, 3, 7, 41)]


class Sourced(pybuda.PyBudaModule):
    """`function` of operands that come from `source`."""

    def __init__(self, name, function, source, shape):
        super().__init__(name)
        self.function, self.source = function, source
        if source == "dram":
            self.add_constant("held")
            self.set_constant("held", pybuda.Tensor.create_from_torch(torch.rand(1, *shape[1:]), constant=True))

    def forward(self, x, *others):
        if self.source == "dram":
            return self.function("tested", x, self.get_constant("held"))
        y, = others
        if self.source == "another":
            x, y = op.Add("sum", x, y), op.Multiply("product", x, y)
        return self.function("tested", x, y)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("source", ["host", "another", "dram"])
@pytest.mark.parametrize("name", BINARY)
def test_operands_of_host_op_and_dram(name, source, shape):
    module = Sourced("sourced", getattr(op, name), source, shape)
    verify_module(module, [shape] * (1 if source == "dram" else 2), VerifyConfig(test_kind=TestKind.INFERENCE),
                  input_params=[{"dev_data_format": DataFormat.Float16_b}])


@pytest.mark.parametrize("shape", [(3,), (2, 11, 13), (1, 2, 45, 17)])
@pytest.mark.parametrize("name", UNARY)
def test_one_operand(name, shape):
    class One(pybuda.PyBudaModule):
        def forward(self, x):
            return getattr(op, name)("tested", x, **UNARY[name])
    verify_module(One("one"), [shape], VerifyConfig(test_kind=TestKind.INFERENCE))


@pytest.mark.parametrize("fidelity", [MathFidelity.LoFi, MathFidelity.HiFi4])
@pytest.mark.parametrize("data_format", [DataFormat.Float16_b, DataFormat.Bfp8_b, DataFormat.Float16,
                                         DataFormat.Float32])
def test_formats_and_fidelity_of_a_product_in_the_netlist(data_format, fidelity):
    pybuda.set_configuration_options(default_df_override=data_format, math_fidelity=fidelity)
    module = Sourced("sourced", op.Matmul, "host", ())
    verify_module(module, [(1, 64, 96), (1, 96, 32)], VerifyConfig(arch=pybuda.BackendDevice.Wormhole_B0))
    with open(pybuda.pybudaglobal.get_devices()[0]._compile_output.netlist_filename) as text:
        said = yaml.safe_load(text)["graphs"]["fwd_0_0_temporal_epoch_0"]["tested"]
    # block floats leave the phases of HiFi4 beyond HiFi2 nothing to add
    spared = data_format == DataFormat.Bfp8_b and fidelity == MathFidelity.HiFi4
    wanted = MathFidelity.HiFi2 if spared else fidelity
    assert (said["type"], said["math_fidelity"], said["in_df"]) == ("matmul", wanted.name, [data_format.name] * 2)


def test_attention_as_programs_write_it():
    """Inputs of rank 3 [micro-batch, rows, columns]: slices have rank 4, so that dim 0 stays the micro-batch."""
    class Attention(pybuda.PyBudaModule):
        def __init__(self, name):
            super().__init__(name)
            for which in "qkvo":
                setattr(self, f"w_{which}", pybuda.Parameter(torch.rand(128, 128) - 0.5))
                setattr(self, f"b_{which}", pybuda.Parameter(torch.rand(128) - 0.5))

        def forward(self, x, mask):
            q, k, v = (op.HSlice(f"heads_{which}", op.Matmul(which, x, getattr(self, f"w_{which}"),
                                                             getattr(self, f"b_{which}")), 4) for which in "qkv")
            scores = op.Matmul("scores", q, op.Transpose("turned", k, 2, 3)) * 32**-0.5
            weights = op.nn.Softmax("weights", op.Add("masked", scores, mask), dim=-1, stable=True)
            context = op.HStack("joined", op.Matmul("context", weights, v), 4)
            return op.Matmul("o", context, self.w_o, self.b_o)

    seen = []
    verify_module(Attention("attention"), [(2, 128, 128), (2, 1, 128)],
                  VerifyConfig(golden_compare_callback=lambda golden, got: seen.append(tuple(got.shape))))
    assert seen == [(2, 1, 128, 128)]
