"""What the chip's ops express is theirs, and what the host does is said."""
import re
import warnings

import pybuda
import pytest
import torch
from pybuda import op


class Of(pybuda.PyBudaModule):
    def __init__(self, function):
        super().__init__("net")
        self.function = function

    def forward(self, a, b):
        return self.function(a, b)


def draw(seed=0):
    generator = torch.Generator().manual_seed(seed)
    return [torch.randint(-3, 4, (1, 4, 32, 64), generator=generator).float() / 2 for _ in range(2)]


ON_DEVICE = {
    "greater": (lambda a, b: op.Greater("op", a, b), lambda a, b: a > b),
    "less": (lambda a, b: op.Less("op", a, b), lambda a, b: a < b),
    "greater_equal": (lambda a, b: op.GreaterEqual("op", a, b), lambda a, b: a >= b),
    "less_equal": (lambda a, b: op.LessEqual("op", a, b), lambda a, b: a <= b),
    "equal": (lambda a, b: op.Equal("op", a, b), lambda a, b: a == b),
    "not_equal": (lambda a, b: op.NotEqual("op", a, b), lambda a, b: a != b),
    "heaviside": (lambda a, b: op.Heaviside("op", a, b), torch.heaviside),
    "logical_and": (lambda a, b: op.LogicalAnd("op", a, b), torch.logical_and),
    "stack": (lambda a, b: op.Stack("op", a, b, axis=1), lambda a, b: torch.stack((a, b), 1)),
    "stack_last": (lambda a, b: op.Stack("op", a, b, axis=-1), lambda a, b: torch.stack((a, b), -1)),
    "concatenate": (lambda a, b: op.Concatenate("op", a, b, axis=-1), lambda a, b: torch.cat((a, b), -1)),
    "concatenate_rows": (lambda a, b: op.Concatenate("op", a, b, axis=-2), lambda a, b: torch.cat((a, b), -2)),
    "concatenate_slices": (lambda a, b: op.Concatenate("op", a, b, axis=1), lambda a, b: torch.cat((a, b), 1)),
    "where": (lambda a, b: op.Where("op", op.Greater("more", a, 0.0), a, b), lambda a, b: torch.where(a > 0, a, b)),
    "interleave": (lambda a, b: op.Interleave("op", a, b), lambda a, b: torch.stack((a, b), 2).flatten(1, 2)),
    "binary_stack": (lambda a, b: op.BinaryStack("op", a, b, -1), lambda a, b: torch.stack((a, b), -1).flatten(-2)),
}


@pytest.mark.parametrize("arch", [pybuda.BackendDevice.Grayskull, pybuda.BackendDevice.Wormhole_B0])
@pytest.mark.parametrize("kind", ON_DEVICE)
def test_ops_of_the_device(kind, arch):
    function, reference = ON_DEVICE[kind]
    device = pybuda.TTDevice("tt0", module=Of(function), arch=arch, devtype=pybuda.BackendType.Golden)
    a, b = draw()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        got = pybuda.run_inference(inputs=[(a, b)]).get()[0].value()
    assert torch.equal(got.float(), reference(a, b).float())
    netlist = device.get_compiled_results().netlist
    assert {"a", "b"} <= set(re.findall(r"\n  (\w+): \{input: HOST", netlist))
    assert re.search(r"\n    op[\w.]*: \{type: ", netlist) and not pybuda.get_report().devices[0].host_ops


OF_BYTES = {**{kind: ON_DEVICE[kind] for kind in ("greater", "less", "greater_equal", "less_equal", "equal", "not_equal")},
            # the packer of integers clamps to 0 alone
            "clamped_sum": (lambda a, b: op.Relu("op", op.Add("sum", a, b), threshold=6.0, mode="max"),
                            lambda a, b: (a.int() + b.int()).clamp(0, 6)),
            "clamped_product": (lambda a, b: op.Relu("op", op.Matmul("product", a, b), threshold=6.0, mode="max"),
                                lambda a, b: (a.int() @ b.int()).clamp(0, 6))}


@pytest.mark.parametrize("kind", OF_BYTES)
def test_bytes_are_compared_and_clamped_on_the_device(kind):
    function, reference = OF_BYTES[kind]
    a, b = (torch.randint(-127, 128, (1, 32, 32), dtype=torch.int8) for _ in range(2))
    b[:, :8] = a[:, :8]
    pybuda.TTDevice("tt0", module=Of(function), devtype=pybuda.BackendType.Golden)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        got = pybuda.run_inference(inputs=[(a, b)]).get()[0].value()
    assert torch.equal(got.float(), reference(a, b).float())


def test_what_the_host_does_is_said_once_and_reported():
    a, b = torch.randn(2, 1, 32, 64)
    device = pybuda.TTDevice("tt0", module=Of(lambda x, y: op.Argmax("most", op.Add("sum", x, y), dim=-1)))
    with pytest.warns(UserWarning, match=r"device 'tt0': 1 op runs on the host.*most \(arg_max\)") as said:
        results = pybuda.run_inference(inputs=[(a, b)] * 2)
    assert len([one for one in said if "on the host" in str(one.message)]) == 1
    want = torch.argmax(a.bfloat16().float() + b.bfloat16().float(), -1, keepdim=True)
    assert (results.get()[0].value() == want).float().mean() > 0.9
    report = pybuda.get_report()
    assert report.devices[0].host_ops == ("most (arg_max)",) and report.devices[0].host_seconds > 0
    assert re.search(r"on the host, in \d+\.\d+ ms of wall time: most \(arg_max\)", str(report))
    netlist = device.get_compiled_results().netlist
    assert {"x", "y"} & set(re.findall(r"\n  (\w+): \{input: HOST", netlist)) or "\n  a: {input: HOST" in netlist


def test_queues_keep_the_names_of_inputs_that_the_host_transforms():
    device = pybuda.TTDevice("tt0", module=Of(lambda x, y: op.Exp("exp", op.Reshape("wide", x, (1, 4, 16, 128)))),
                             devtype=pybuda.BackendType.Golden)
    a, b = draw()
    assert torch.allclose(pybuda.run_inference(inputs=[(a, b)]).get()[0].value().float(),
                          a.reshape(1, 4, 16, 128).exp(), rtol=0.02)
    assert "\n  a: {input: HOST" in device.get_compiled_results().netlist


def test_an_argmax_of_an_input_alone_leaves_its_queue():
    device = pybuda.TTDevice("tt0", module=Of(lambda x, y: op.Argmax("most", x, dim=-1)))
    a, b = torch.randn(2, 1, 32, 64).bfloat16().float()
    with pytest.warns(UserWarning, match="on the host"):
        got = pybuda.run_inference(inputs=[(a, b)]).get()[0].value()
    assert torch.equal(got, torch.argmax(a, -1, keepdim=True).int())
    assert "\n  a: {input: HOST" in device.get_compiled_results().netlist
