"""What programs set to tune a model, from whole-model options to single ops, and what of it reaches the netlist."""
import re

import pybuda
import pytest
import torch
import ttsim
from modules import TwoProducts, close, netlist_ops
from pybuda import DataFormat, query
from pybuda._C.placer import DRAMPlacementAlgorithm

WORMHOLE = pybuda.BackendDevice.Wormhole_B0


class Chain(pybuda.PyBudaModule):
    """A product with a long and a short way to a sum."""

    def __init__(self, name):
        super().__init__(name)
        self.weights = pybuda.Parameter(torch.rand(64, 64) / 8)

    def forward(self, x):
        product = pybuda.op.Matmul("mm", x, self.weights)
        long_way = pybuda.op.Sqrt("root", pybuda.op.Exp("exp", product))
        return pybuda.op.Add("sum", long_way, product)

    def reference(self, x):
        product = x @ self.weights.value()
        return product.exp().sqrt() + product


def config():
    return pybuda.config._get_global_compiler_config()


def run(module, *inputs, arch=WORMHOLE, share=0.05, **given):
    """Checks the outputs; gives the netlist."""
    device = pybuda.TTDevice("tt0", module=module, arch=arch, devtype=pybuda.BackendType.Golden, **given)
    outputs = pybuda.run_inference(inputs=[inputs]).get()
    wanted = module.reference(*inputs)
    wanted = wanted if isinstance(wanted, tuple) else (wanted,)
    assert all(close(got, want, share) for got, want in zip(outputs, wanted, strict=True))
    return device.get_compiled_results().netlist


def op_line(text, name):
    return re.search(rf"^ {{4}}{re.escape(name)}: \{{.*$", text, re.MULTILINE).group(0)


def queue_line(text, name):
    return re.search(rf"^ {{2}}{re.escape(name)}: \{{.*$", text, re.MULTILINE).group(0)


X = torch.rand(1, 64, 64, generator=torch.Generator().manual_seed(1))


@pytest.mark.parametrize("given", [
    {"enable_t_streaming": True}, {"enable_t_streaming": True, "manual_t_streaming": True},
    {"enable_auto_fusing": False}, {"enable_conv_prestride": False}, {"enable_device_tilize": False}, {"amp_level": 1},
    {"default_df_override": DataFormat.Bfp8_b, "accumulate_df": DataFormat.Float32},
    {"default_df_override": DataFormat.Bfp8_b, "default_accumulate_df": DataFormat.Float32},
    {"default_math_fidelity": pybuda.MathFidelity.LoFi},
    {"math_fidelity": pybuda.MathFidelity.LoFi}, {"performance_trace": pybuda.PerfTraceLevel.LIGHT},
    {"performance_trace": pybuda.PerfTraceLevel.VERBOSE}, {"enable_stable_softmax": False},
    {"input_queues_on_host": False}, {"output_queues_on_host": False}, {"backend_opt_level": 2},
    {"dram_placement_algorithm": DRAMPlacementAlgorithm.GREATEST_CAPACITY}, {"enable_auto_transposing_placement": True},
    {"balancer_policy": "Ribbon"}, {"balancer_policy": "NLP"}, {"use_interactive_placer": True},
    {"enable_enumerate_u_kt": False}, {"enable_forked_dram_inputs": True}, {"chip_placement_policy": "SNAKE"},
], ids=lambda given: "-".join(given))
def test_options_of_whole_models(given):
    pybuda.config.set_configuration_options(**given)
    run(Chain("net"), X)


@pytest.mark.parametrize("field, value", [
    ("enable_tvm_cpu_fallback", False), ("enable_tm_cpu_fallback", True), ("tm_cpu_fallback_max_depth", 5),
    ("tvm_graph_store_path", "path"), ("tvm_graph_load_path", "path"), ("max_pool_add_sub_surround", True),
    ("max_pool_add_sub_surround_value", 5.0), ("graph_solver_self_cut_type", "ConsumerOperandDataEdgesFirst"),
    ("graph_solver_self_cut_type", "ProducerUserDataEdgesFirst"), ("graph_solver_self_cut_type", "None"),
    ("default_dram_parameters", True), ("tti_dump_format", "backend"), ("tti_dump_format", "default"),
    ("enable_link_past_cache_ios", True), ("device_mode", pybuda.DeviceMode.CompileAndRun),
])
def test_fields_of_the_configuration(field, value):
    setattr(config(), field, value)
    run(Chain("net"), X)


@pytest.mark.parametrize("name, text", [("PYBUDA_ENABLE_TVM_CACHE", "1"), ("PYBUDA_RELOAD_GENERATED_MODULES", "1"),
                                        ("PYBUDA_OP_PERF", "1"), ("TT_BACKEND_PERF_ANALYZER", "1"),
                                        ("PYBUDA_RIBBON2", "1"), ("PYBUDA_AMP_LIGHT", "2"), ("PYBUDA_AMP_LEVEL", "1")])
def test_variables(monkeypatch, name, text):
    monkeypatch.setenv(name, text)
    run(Chain("net"), X, share=0.15 if text == "2" else 0.05)  # weights of 4 bits


def test_sizes_places_and_inner_blocks_of_ops():
    pybuda.config.override_op_size("mm", (2, 1))
    pybuda.config.override_op_placement("mm", (2, 4))
    pybuda.config.override_u_kt("mm", 1)
    pybuda.config.override_op_placement("sum", transpose_op=True)
    text = run(Chain("net"), X)
    assert "grid_loc: [2, 4], grid_size: [2, 1]" in op_line(text, "mm") and "u_kt: 1" in op_line(text, "mm")


def test_results_in_slices():
    pybuda.config.set_configuration_options(enable_t_streaming=True, manual_t_streaming=True)
    pybuda.config.override_t_stream_shape("mm", (2, 1))
    assert " t: 2," in op_line(run(Chain("net"), X), "mm")


@pytest.mark.parametrize("direction, shape", [("C", (1, 2)), ("R", (2, 1)), ("n", (1, 1)), ("RZ", (1, 1))])
def test_directions_of_slices(direction, shape):
    pybuda.config.override_t_stream_dir("mm", direction)
    pybuda.config.override_t_stream_shape("mm", shape)
    assert f" t: {max(shape)}," in op_line(run(Chain("net"), X), "mm")


def test_buffers_of_operands():
    pybuda.config.override_input_buffer_multiplier("mm", 0, 40)
    assert "input_buf_min_size_tiles: [" in op_line(run(Chain("net"), X), "mm")
    pybuda.pybuda_reset()
    pybuda.config.override_input_buffer_multiplier("mm", operand_index=1, multiplier=2)
    run(Chain("net"), X)


def test_weights_stay_in_dram_for_all_ops_or_one():
    config().default_dram_parameters = True
    pybuda.config.override_dram_parameters("matmul2", False)
    text = run(TwoProducts("net"), X, X)
    assert re.search(r"[{ ]net\.weights1: \{prologue: false", text)
    assert re.search(r"[{ ]net\.weights2: \{prologue: true", text)


def test_queues_of_inputs_and_outputs_lie_with_the_host_or_the_chip():
    text = run(Chain("net"), X)
    assert "loc: host" in queue_line(text, "x") and "loc: host" in queue_line(text, "net.output_sum")
    pybuda.pybuda_reset()
    pybuda.set_configuration_options(input_queues_on_host=False, output_queues_on_host=False)
    text = run(Chain("net"), X)
    assert "loc: dram" in queue_line(text, "x") and "loc: dram" in queue_line(text, "net.output_sum")


def fused(text):
    return "fused_op" in text


def test_ops_that_are_not_fused_and_ops_that_are():
    assert fused(run(Chain("net"), X))
    lowered = pybuda.get_tenstorrent_device()._compile_output.lowered_graph
    assert lowered.get_fused_ops() == [(2, [["sqrt", "add"]])]
    pybuda.pybuda_reset()
    config().dont_fuse("root")
    text = run(Chain("net"), X)
    assert "type: sqrt" in op_line(text, "root")
    pybuda.pybuda_reset()
    config().dont_fuse([query.op_type("sqrt") | query.op_type("exp"), "nobody"])
    text = run(Chain("net"), X)
    assert "type: sqrt" in op_line(text, "root") and "type: exp" in op_line(text, "exp")
    pybuda.pybuda_reset()
    pybuda.set_configuration_options(enable_auto_fusing=False)
    assert not fused(run(Chain("net"), X))
    pybuda.pybuda_reset()
    pybuda.set_configuration_options(enable_auto_fusing=False)
    config().manual_fuse(["exp|root"])
    text = run(Chain("net"), X)
    assert "type: fused_op" in op_line(text, "root") and "type: add" in op_line(text, "sum")


def test_nops_on_the_short_way_stay_where_ops_are_fused():
    pybuda.config.insert_buffering_nop("mm", ["sum"], nop_count=2)
    ops = netlist_ops(run(Chain("net"), X))
    assert ops["buffer_1_mm_sum"].operands == ["buffer_0_mm_sum"] and "buffer_1_mm_sum" in ops["sum"].operands


def test_breaks_order_and_queues():
    config().place_on_new_epoch(["root", "sum"])
    pybuda.config.add_schedule_constraint(["mm", "exp"])
    config().insert_queues.append(("mm", "sum", 1))
    text = run(Chain("net"), X)
    assert text.count("input_count:") == 2 and "queue" in queue_line(text, "e2e_mm_0")
    assert "loc: dram" in queue_line(text, "e2e_mm_0")


def test_a_list_breaks_at_its_first_op_also_of_ops_that_would_be_fused():
    config().place_on_new_epoch(["sum", query.name_regex("ro.*")])
    run(Chain("net"), X)
    solution = pybuda.get_tenstorrent_device()._compile_output.pass_specific_output_kwargs["placer_solution"]
    assert (solution.epoch_id("exp"), solution.epoch_id("root"), solution.epoch_id("sum")) == (0, 1, 1)
    pybuda.pybuda_reset()
    config().insert_queues = [("root", "sum", 0)]
    pybuda.config.override_op_size(query.op_type("sqrt"), (1, 2))
    text = run(Chain("net"), X)
    assert netlist_ops(text)["sum"].operands[0] == "e2e_root_0"
    assert "grid_size: [1, 2]" in op_line(text, "root")


def test_order_of_ops_that_would_be_fused():
    class Two(pybuda.PyBudaModule):
        def forward(self, a, b):
            left = pybuda.op.Abs("left", pybuda.op.Sqrt("left_root", a))
            right = pybuda.op.Abs("right", pybuda.op.Sqrt("right_root", b))
            return pybuda.op.Add("sum", left, right)

        def reference(self, a, b):
            return a.sqrt() + b.sqrt()

    pybuda.config.add_schedule_constraint(["right_root", "left_root"])
    order = list(netlist_ops(run(Two("net"), X, X)))
    assert order.index("right_root") < order.index("left_root")


def test_queues_lie_in_the_channel_they_are_given():
    config().place_on_new_epoch("root")
    config().place_queue_to_chip_dram("e2e_exp_0", chip_id=0, channel=2)
    pybuda.override_dram_queue_placement("net.weights", channel=3)
    pybuda.override_dram_queue_placement("nobody", channel=1)
    run(Chain("net"), X)
    queues = pybuda.get_tenstorrent_device()._compile_output.pass_specific_output_kwargs[
        "placer_solution"].name_to_queue_placement
    for name, channel in (("e2e_exp_0", 2), ("net.weights", 3)):
        assert {buffer.dram_channel for buffer in queues[name].dram_buffers} == {channel}
    assert queues["x"].on_host and queues["x"].input_name == "HOST" and queues["e2e_exp_0"].input_name == "exp"
    pybuda.override_dram_queue_placement("net.weights", channel=30)
    pybuda.shutdown()
    with pytest.raises(Exception, match="cannot lie in DRAM channel 30"):
        pybuda.run_inference(inputs=[X])


@pytest.mark.usefixtures("eight_chips")
def test_a_chip_break_where_an_op_is_on_another_chip():
    pybuda.config.override_op_placement("root", chip_id=1)
    run(Chain("net"), X, num_chips=2)
    solution = pybuda.get_tenstorrent_device()._compile_output.pass_specific_output_kwargs["placer_solution"]
    assert (solution.chip_id("mm"), solution.chip_id("root")) == (0, 1)


@pytest.mark.usefixtures("eight_chips")
def test_a_chip_break_at_ops_that_a_predicate_names():
    pybuda.set_chip_break(query.name_regex("root"))
    run(Chain("net"), X, num_chips=2)
    assert (chips_of_ops()["mm"], chips_of_ops()["root"]) == (0, 1)


class Activated(pybuda.PyBudaModule):
    """Products whose cores would do the gelu behind them."""

    def __init__(self, name):
        super().__init__(name)
        self.weights = [pybuda.Parameter(torch.rand(64, 64) / 16) for _ in range(2)]

    def forward(self, x):
        for k, weights in enumerate(self.weights):
            x = pybuda.op.Gelu(f"gelu{k}", pybuda.op.Matmul(f"mm{k}", x, weights))
        return x

    def reference(self, x):
        for weights in self.weights:
            x = torch.nn.functional.gelu(x @ weights.value())
        return x


def test_a_predicate_fits_a_gelu_behind_a_product():
    pybuda.set_epoch_break(query.name_regex("gelu1"))
    run(Activated("net"), X)
    solution = pybuda.get_tenstorrent_device()._compile_output.pass_specific_output_kwargs["placer_solution"]
    assert solution.epoch_id("gelu1") == solution.epoch_id("mm1") + 1
    pybuda.pybuda_reset()
    pybuda.set_configuration_options(enable_auto_fusing=False)
    text = run(Activated("net"), X)
    assert "type: gelu" in op_line(text, "gelu0") and "sfpu_op" not in text


class Normed(pybuda.PyBudaModule):
    """Ops that the netlist has under other names: of the product's cores, of chains, and such as become several."""

    def __init__(self, name):
        super().__init__(name)
        self.weights = pybuda.Parameter(torch.rand(64, 64) / 16)

    def forward(self, x):
        first = pybuda.op.Relu("relu", pybuda.op.Matmul("mm", x, self.weights))
        added = pybuda.op.Add("add", pybuda.op.Multiply("mul", first, x), x)
        return pybuda.op.nn.Softmax("odds", added, dim=-1)

    def reference(self, x):
        return torch.softmax((x @ self.weights.value()).relu() * x + x, -1)


def test_epochs_of_ops_fused_into_others():
    pybuda.set_epoch_break("mul")
    text = run(Normed("net"), X)
    solution = pybuda.get_tenstorrent_device()._compile_output.pass_specific_output_kwargs["placer_solution"]
    assert "\n    relu:" not in text and "\n    odds:" not in text
    assert [solution.epoch_id(op) for op in ("mm", "relu", "mul", "add")] == [0, 0, 1, 1]
    assert solution.epoch_id("odds") >= 1  # of several ops, some of which may have an epoch more
    with pytest.raises(KeyError):
        solution.epoch_id("nobody")
    pybuda.pybuda_reset()
    config().manual_fuse(["exp", "root", "sum"])
    text = run(Chain("net"), X)
    solution = pybuda.get_tenstorrent_device()._compile_output.pass_specific_output_kwargs["placer_solution"]
    assert "\n    exp:" not in text and solution.epoch_id("exp") == solution.epoch_id("root") == solution.epoch_id("sum")


def chips_of_ops():
    solution = pybuda.get_tenstorrent_device()._compile_output.pass_specific_output_kwargs["placer_solution"]
    return {name: placement.chip_id for name, placement in solution.name_to_op_placement.items()}


@pytest.mark.usefixtures("eight_chips")
def test_an_op_alone_on_another_chip():
    pybuda.set_configuration_options(enable_auto_fusing=False)
    pybuda.config.override_op_placement("exp", chip_id=1)
    run(Chain("net"), X, num_chips=2)
    found = chips_of_ops()
    assert found.pop("exp") == 1 and set(found.values()) == {0}
    pybuda.shutdown()
    pybuda.config.override_op_placement("root", chip_id=7)
    with pytest.raises(RuntimeError, match=r"'root' is placed on chip 7, but the device has chips \[0, 1\]"):
        pybuda.run_inference(inputs=[X])


@pytest.mark.usefixtures("eight_chips")
def test_chips_are_called_as_the_device_calls_them():
    pybuda.set_configuration_options(enable_auto_fusing=False)
    pybuda.config.override_op_placement("exp", chip_id=5)
    run(Chain("net"), X, chip_ids=[2, 5])
    assert chips_of_ops() == {"mm": 2, "exp": 5, "root": 2, "sum": 2}


@pytest.mark.usefixtures("eight_chips")
@pytest.mark.parametrize("chip_ids", [[0, 1], {"mm": [0, 1], "exp": [0, 1]}])
def test_parts_of_a_fracture_group_on_their_chips(chip_ids):
    pybuda.set_configuration_options(enable_auto_fusing=False)
    pybuda.config.insert_fracture_group([("mm", -1, 2), ("exp", -1, 2)], chip_ids)
    run(Chain("net"), X, num_chips=2)
    found = chips_of_ops()
    assert [found[f"{op}_fracture_{k}"] for op in ("mm", "exp") for k in (0, 1)] == [0, 1, 0, 1]


@pytest.mark.parametrize("shape, slices", [((2, 1), 2), ((1, 2), 2), ((1, 1), 1)])
@pytest.mark.parametrize("op", ["mm", "exp"])
def test_slices_of_rows_and_of_columns(op, shape, slices):
    pybuda.set_configuration_options(enable_auto_fusing=False)
    pybuda.config.override_t_stream_shape(op, shape)
    assert f" t: {slices}," in op_line(run(Chain("net"), torch.rand(1, 64, 64)), op)


@pytest.mark.parametrize("direction, kept, weights", [(None, "rows", "broadcast"), ("r", "rows", "broadcast"),
                                                      ("c", "columns", "hslice")])
def test_slices_of_both_are_those_of_the_direction_and_reported(direction, kept, weights):
    pybuda.set_configuration_options(enable_auto_fusing=False)
    pybuda.config.override_t_stream_shape("mm", (2, 2))
    if direction:
        pybuda.config.override_t_stream_dir("mm", direction)
    with pytest.warns(UserWarning, match=rf"op 'mm' has the slice shape \(2, 2\).* it uses 2 slices of {kept}"):
        line = op_line(run(Chain("net"), torch.rand(1, 64, 64)), "mm")
    assert " t: 2," in line and weights in line, line


def test_u_kt_only_where_there_is_an_inner_dimension():
    for op in ("mm", "exp"):
        pybuda.config.override_u_kt(op, 1)
    run(Chain("net"), X)


def test_formats_of_weights_and_inputs_by_their_names():
    pybuda.config.configure_mixed_precision(op_type="matmul", math_fidelity=pybuda.MathFidelity.HiFi2,
                                            accumulate_df=DataFormat.Float16_b, output_df=DataFormat.Bfp8_b)
    pybuda.config.configure_mixed_precision(name_regex="net.(weights1|other)", output_df=DataFormat.Bfp8_b)
    pybuda.config.configure_mixed_precision(name_regex="b", output_df=DataFormat.Bfp4_b)
    text = run(TwoProducts("net"), X, X)
    assert "df: Bfp8_b" in queue_line(text, "net.weights1") and "df: Float16_b" in queue_line(text, "net.weights2")
    assert "df: Bfp4_b" in queue_line(text, "b") and "in_df: [Bfp4_b" in op_line(text, "matmul2")
    assert "out_df: Bfp8_b" in op_line(text, "matmul1") and "acc_df: Float16_b" in op_line(text, "matmul1")


@pytest.mark.parametrize("nodes, parts", [
    ([("mm", -2, 2)], {"mm_fracture_0", "mm_fracture_1"}),
    ([("mm", -1, 2), ("exp", -1, 2), "sum"], {"mm_fracture_1", "exp_fracture_0", "exp_fracture_1"}),
    (["mm", -2, 2, "exp", -2, 2], {"mm_fracture_1", "exp_fracture_1"}),
    ([("mm", pybuda.k_dim, 2)], {"mm_fracture_0", "mm_fracture_1", "mm_gather_0_0_0"}),
    ([("mm", [-2, -1], [2, 2])], {f"mm_fracture_{k}" for k in range(4)}),
    ([("nobody", -1, 2)], {"mm"}),
])
def test_fracture_groups(nodes, parts):
    pybuda.set_configuration_options(enable_auto_fusing=False)
    pybuda.config.insert_fracture_group(nodes)
    ops = netlist_ops(run(Chain("net"), X))
    assert parts <= set(ops)
    if len(parts) == 3 and "exp_fracture_0" in parts:  # parts go from op to op as they are
        assert ops["exp_fracture_1"].operands == ["mm_fracture_1"]


def test_what_cannot_be_fractured_says_so():
    for node, problem in ((("mm", -1, 3), "size 64"), (("exp", pybuda.k_dim, 2), "products")):
        pybuda.pybuda_reset()
        pybuda.config.insert_fracture_group([node])
        pybuda.TTDevice("tt0", module=Chain("net"), arch=WORMHOLE)
        with pytest.raises(RuntimeError, match=problem):
            pybuda.run_inference(inputs=[X])
    with pytest.raises(RuntimeError, match="op, dim, factor"):
        pybuda.config.insert_fracture_group([("mm", 2)])


def test_kernel_rows_of_a_convolution_as_ops():
    class Conv(pybuda.PyBudaModule):
        def __init__(self, name):
            super().__init__(name)
            self.conv = pybuda.op.nn.Conv2dModule("my_conv_3x3", 32, 32, (3, 3))

        def forward(self, x):
            return self.conv(x)

        def reference(self, x):
            weights, bias = self.conv.weights.value(), self.conv.bias.value()
            return torch.nn.functional.conv2d(x, weights, bias, padding=1)

    x = torch.rand(1, 32, 16, 16)
    pybuda.config.override_multi_op_fracture_factor("net.conv", 1)  # else as is estimated the quicker
    whole = run(Conv("net"), x)
    pybuda.pybuda_reset()
    pybuda.config.override_multi_op_fracture_factor("net.conv", 3)
    parts = run(Conv("net"), x)
    assert parts.count("identity: true") > whole.count("identity: true")


def test_windows_of_a_first_convolution_are_the_hosts_or_the_chips():
    net = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3, 2, 1)).eval()
    x = torch.rand(1, 3, 32, 32)
    found = []
    for wanted in (True, False):
        pybuda.pybuda_reset()
        pybuda.set_configuration_options(enable_conv_prestride=wanted)
        pybuda.TTDevice("tt0", module=pybuda.PyTorchModule("net", net), arch=WORMHOLE)
        assert close(pybuda.run_inference(inputs=[x]).get()[0], net(x))
        found.append(pybuda.get_tenstorrent_device()._compile_output.netlist.count("identity: true"))
    assert found[0] == 0 and found[1] > 0


def test_caches_are_linked_by_their_shapes():
    class Step(torch.nn.Module):
        def forward(self, x, past_key, past_value):
            return x + past_key.sum(1, keepdim=True)[:, :, 0], past_key + 1, past_value + 2

    config().enable_link_past_cache_ios = True
    x, cache = torch.zeros(1, 1, 32), torch.zeros(1, 2, 32, 32)
    device = pybuda.TTDevice("tt0", module=pybuda.PyTorchModule("step", Step()), arch=WORMHOLE)
    device.push_to_inputs(x, cache, cache + 1)
    assert len(pybuda.run_inference().get()) == 1
    device.push_to_inputs(x)
    assert torch.equal(pybuda.run_inference().get()[0].value().float(), torch.full((1, 1, 32), 2.0))
    assert torch.equal(device._loopback.held[2].float(), cache + 5)


def test_constants_are_named_for_the_ops_that_take_them():
    class Scaled(pybuda.PyBudaModule):
        def __init__(self, name):
            super().__init__(name)
            self.add_constant("scale")
            self.set_constant("scale", torch.full((1, 64, 64), 0.5))

        def forward(self, x):
            scale = self.get_constant("scale")
            return pybuda.op.Multiply("mul", x, scale), pybuda.op.Add("Add0", scale, x)

        def reference(self, x):
            return x * 0.5, x + 0.5

    text = run(Scaled("net"), X)
    assert "type: ram" in queue_line(text, "input_1_mul") and "input_0_Add0" not in text
    assert re.search(r"[{ ]input_1_mul: \{prologue: true", text)
    with open(pybuda.get_tenstorrent_device()._compile_output.netlist_filename) as netlist:
        assert netlist.read() == text


@pytest.mark.parametrize("direction, shape", [("c", (1, 2)), ("cz", (1, 4)), ("r", (4, 1))])
def test_slices_that_an_op_does_not_go_in(direction, shape):
    pybuda.config.override_t_stream_dir("product", direction)
    pybuda.config.override_t_stream_shape("product", shape)

    class Batched(pybuda.PyBudaModule):
        def forward(self, a, b):
            return pybuda.op.Exp("exp", pybuda.op.Matmul("product", a, b))

    with pytest.warns(UserWarning, match="op 'product' cannot be streamed in the slices of its override"):
        pybuda.verify.verify_module(Batched("net"), [(1, 2, 128, 128)] * 2, pybuda.VerifyConfig(arch=WORMHOLE),
                                    inputs_centered_on_zero=True)


def test_overrides_by_predicates_compile_once(monkeypatch):
    """Names and types of ops are known in the compilation: predicates, breaks and chips need no other one."""
    compiled = []
    compile_once = ttsim.compile
    monkeypatch.setattr(ttsim, "compile", lambda *args, **kwargs: compiled.append(compile_once(*args, **kwargs)) or
                        compiled[-1])
    monkeypatch.setenv("TTSIM_DEVICES", "wh_n300")
    config = pybuda.config._get_global_compiler_config()
    config.default_dram_parameters = True
    config.op_names_dont_fuse.append(query.op_type("sqrt"))
    pybuda.set_epoch_break(query.op_type("add"))
    pybuda.config.override_op_placement(query.name_regex("su."), chip_id=1)
    device = pybuda.TTDevice("tt0", module=Chain("net"), num_chips=2, arch=WORMHOLE)
    pybuda.pybuda_compile(device, "net", X)
    layout = compiled[0].layout
    assert len(compiled) == 1 and layout.op("sum").chip == 1 and layout.op("sum").epoch > layout.op("mm").epoch
    assert "prologue: true" not in compiled[0].netlist
