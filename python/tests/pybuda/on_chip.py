"""Ops on the simulated chip, beside torch."""
import pybuda
import torch

BFLOAT_STEP = 2.0**-8  # half a step of Float16_b's 8 bits


class Op(pybuda.PyBudaModule):
    """`function(*tensors)` of pybuda tensors as a module."""

    def __init__(self, function):
        super().__init__("op_test")
        self.function = function

    def forward(self, *tensors):
        return self.function(*tensors)


def run(function, *tensors, devtype=pybuda.BackendType.Golden):
    """The outputs, with tensors that have a micro-batch of 1."""
    pybuda.pybuda_reset()
    pybuda.TTDevice("tt0", module=Op(function), devtype=devtype)
    return [output.value() for output in pybuda.run_inference(inputs=[tensors]).get()]


def check(function, reference, *tensors, roundings=4, exact=False):
    """Against torch in float32, of inputs as Float16_b holds them. `roundings`: of 8 bits that lie in a row, each of
    which may be off by half a step of the largest number."""
    rounded = [tensor.bfloat16().float() if tensor.dtype == torch.float32 else tensor for tensor in tensors]
    want = reference(*rounded)
    got = run(function, *rounded)[0]
    assert tuple(got.shape) == tuple(want.shape)
    if exact:
        assert torch.equal(got.float(), want.float())
        return
    scale = max(float(want.abs().max()), 1e-6)
    worst = float((got.float() - want.float()).abs().max())
    assert worst <= roundings * BFLOAT_STEP * scale, f"off by {worst}, largest {scale}"
