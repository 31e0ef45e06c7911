"""Values by the names of ops, the matrices that pick for convolutions, and names that only say what to do instead."""
import importlib

import pybuda
import pytest
import torch
import torch.nn.functional as F
from pybuda.op.eval.buda import tm
from pybuda.op.eval.buda.splice import Splice
from pybuda.op.eval.pybuda import get_f_pybuda_eval, get_f_pybuda_shape
from pybuda.op.eval.sparse_utils import (calculate_conv2d_output_dimensions, create_conv2d_sparse_picker_matrix,
                                         interleave_tiles, vslice)


@pytest.mark.parametrize("stride, padding, dilation", [(1, [1, 1, 1, 1], 1), ((2, 3), [0, 2, 1, 0], 1),
                                                       (2, [2, 1, 2, 2], 2)])
@pytest.mark.parametrize("kernel", [(3, 3), (1, 3), (4, 2)])
def test_pickers_make_a_convolution(kernel, stride, padding, dilation):
    y, x = 9, 11
    image, weights = torch.randn(1, 5, y, x), torch.randn(7, 5, *kernel)
    wanted = F.conv2d(F.pad(image, padding), weights, stride=stride, dilation=dilation)
    flat, made = image.reshape(5, y * x).t(), torch.zeros(wanted[0, 0].numel(), 7)
    for row in range(kernel[0]):
        for column in range(kernel[1]):
            shifts = (kernel[0] - 1) // 2 - row, (kernel[1] - 1) // 2 - column
            picker = create_conv2d_sparse_picker_matrix(y, x, *shifts, *kernel, stride, padding, dilation)
            made += torch.sparse.mm(picker, flat) @ weights[:, :, row, column].t()
    torch.testing.assert_close(made.t().reshape(wanted.shape), wanted, atol=1e-4, rtol=1e-4)
    assert tuple(wanted.shape[2:]) == calculate_conv2d_output_dimensions(y, x, kernel, stride, padding, dilation)


def test_pickers_in_tiles():
    pickers = [create_conv2d_sparse_picker_matrix(8, 8, 0, shift, 1, 3, 1, [1, 1, 0, 0], tile_align=True,
                                                  sparse_c_pad=1) for shift in (1, 0, -1)]
    assert all(picker.shape == (64, 96) for picker in pickers)
    merged = interleave_tiles(pickers).to_dense()
    assert merged.shape == (192, 96)
    for k, part in enumerate(merged.reshape(2, 3, 32, 96).unbind(1)):
        assert torch.equal(part.reshape(64, 96), pickers[k].to_dense())
    halves = vslice(pickers[0], 2)
    assert torch.equal(torch.cat([half.to_dense() for half in halves]), pickers[0].to_dense())
    with pytest.raises(AssertionError, match="outside of a kernel"):
        create_conv2d_sparse_picker_matrix(8, 8, 2, 0, 3, 3, 1, 1)


def test_sparse_products_with_pickers_run_on_the_chip():
    class Picked(pybuda.PyBudaModule):
        def __init__(self, name, picker):
            super().__init__(name)
            self.add_constant("picker")
            self.set_constant("picker", pybuda.Tensor.create_from_torch(picker, constant=True))

        def forward(self, x):
            return pybuda.op.SparseMatmul("pick", self.get_constant("picker"), x)
    picker = create_conv2d_sparse_picker_matrix(8, 8, 1, 0, 3, 3, 1, [1, 1, 1, 1], tile_align=True)
    x = torch.randn(1, 1, 64, 32)
    pybuda.config.set_configuration_options(default_df_override=pybuda.DataFormat.Float16_b)
    got = pybuda.run_inference(Picked("picked", picker), inputs=[(x,)]).get()[0].value()
    assert pybuda.op.eval.calculate_pcc(got.float(), torch.matmul(picker.to_dense(), x)) > 0.999


X = torch.arange(2 * 4 * 64 * 96.0).reshape(2, 4, 64, 96)


@pytest.mark.parametrize("name, attributes, wanted", [
    ("hslice", [3], torch.cat([part for z in X.unbind(1) for part in z[:, None].chunk(3, -1)], 1)),
    ("vslice", [2], torch.cat([part for z in X.unbind(1) for part in z[:, None].chunk(2, -2)], 1)),
    ("hstack", [4], torch.cat(X.unbind(1), -1)[:, None]), ("vstack", [4], torch.cat(X.unbind(1), -2)[:, None]),
    ("transpose", [-2, -1, -1], X.transpose(-2, -1)), ("select", [-3, 1, 2, 4], X[:, 1:3]),
    ("reshape", [8, 1, 64, 96], X.reshape(8, 1, 64, 96))])
def test_tms_by_name(name, attributes, wanted):
    assert torch.equal(tm.eval(name, attributes, [X]), wanted)
    assert tm.shape(name, attributes, [X.shape]) == (tuple(wanted.shape), [])


def test_what_is_no_tm_and_what_repeats():
    assert torch.equal(tm.eval("broadcast", [1, 3], [X[:, :1]]), X[:, :1].expand(2, 3, 64, 96))
    with pytest.raises(RuntimeError, match="no TM 'flip'"):
        tm.eval("flip", [], [X])


def test_ops_of_a_trace_by_value_and_shape():
    made = pybuda.op.Matmul("m", pybuda.Tensor.create_from_torch(torch.randn(1, 2, 3)),
                            pybuda.Tensor.create_from_torch(torch.randn(1, 3, 5))).src_op
    a, b = torch.randn(4, 2, 3), torch.randn(4, 3, 5)
    assert torch.equal(get_f_pybuda_eval(made)(a, b), a @ b)
    assert get_f_pybuda_shape(made)((4, 2, 3), (4, 3, 5)) == (4, 2, 5)


def test_splices():
    a, b = torch.randn(1, 2, 64, 128), torch.randn(1, 2, 64, 64)
    joined = Splice.create_concatenate(-1, [a.shape, b.shape])
    assert torch.equal(joined.eval([a, b]), torch.cat([a, b], -1))
    assert joined.shape([a.shape, b.shape]) == (1, 2, 64, 192)
    part = Splice.create_select(-1, 32, 32, 64, [a.shape])
    assert torch.equal(part.eval([a]), torch.cat([a[..., 32:64], a[..., 96:]], -1))
    turns = Splice.create_interleave(-3, 1, [b.shape, b.shape])
    assert torch.equal(turns.eval([b, -b]), torch.stack([b, -b], 2).reshape(1, 4, 64, 64))
    with pytest.raises(AssertionError, match="is not a multiple of the tile size"):
        Splice.create_concatenate(-1, [(1, 1, 32, 40)])


@pytest.mark.parametrize("path", ["_C.run_pre_placer_buda_passes", "_C.backend_api.get_output", "_C.balancer.OpShape",
                                  "_C.balancer.BalancerConfig", "tensor.consteval_input",
                                  "op.eval.does_prestriding_improve_perf", "tools.tti_data_parallel.MultiCardRunner",
                                  "op.eval.sparse_utils.can_conv2d_prestride"])
def test_names_without_a_counterpart_say_what_to_do(path):
    module, name = path.rsplit(".", 1)
    found = getattr(importlib.import_module(f"pybuda.{module}"), name)
    with pytest.raises(NotImplementedError, match=f"{name}: .*(pybuda|enable_conv_prestride)"):
        found(1, 2)
