"""Ops of ttnn against torch, and bit by bit against `ttsim run` of their netlists: one random call each (scripts/ttnn-ops makes
20), and drawn calls of a few."""
import op_cases
import pytest
import ttnn
from hypothesis import given, settings
from hypothesis import strategies as st

from ttsim.eager import all_ops


@pytest.mark.parametrize("name", sorted(op_cases.CASES))
@pytest.mark.filterwarnings("ignore")
def test_op(name, shared_device):
    assert op_cases.check(name, 0, shared_device, bits=True) == ""
    on_host = [one.op for one in shared_device.programs.values() if one.kind == "host"]
    assert all_ops()[name].kind == "host" or on_host == []  # what the table calls an op of the chip
    shared_device.clear_programs()


@given(name=st.sampled_from(["add", "multiply", "permute", "concat", "matmul", "sum", "softmax", "reshape"]),
       seed=st.integers(1, 10 ** 6))
@settings(max_examples=25, deadline=None, derandomize=True)
def test_drawn_calls(shared_device, name, seed):
    assert op_cases.check(name, seed, shared_device) == ""


# not functions of the package, but parts of those of test_surface.py: convolutions, pools, tensors, creation
PARTS = {"getitem", "window_max", "window_mean", "window_product", "windows", "kernel_matrix", "grouped_kernel_matrix",
         "grouped_windows", "joined_groups", "depthwise_product", "depthwise_matrix", "spread", "flipped_kernel", "to_layout",
         "typecast", "full", "zeros", "ones", "empty", "arange", "rand", "copy"}


def test_every_op_has_a_case():
    assert set(all_ops()) - set(op_cases.CASES) - PARTS == set()


@pytest.mark.parametrize("dtype", [ttnn.int32, ttnn.uint32])
def test_integers(dtype, shared_device):
    import torch
    a, b = torch.randint(0, 1 << 20, (33, 50)), torch.randint(0, 1 << 20, (33, 50))
    x, y = (ttnn.from_torch(one, dtype=dtype, layout=ttnn.TILE_LAYOUT, device=shared_device) for one in (a, b))
    made = ttnn.add(x, y)
    assert made.dtype == dtype and torch.equal(ttnn.to_torch(made).long(), a + b)
    assert torch.equal(ttnn.to_torch(ttnn.permute(x, (1, 0))).long(), a.T)
