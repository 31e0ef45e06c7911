"""What configuration does to what is compiled."""
import json
import re
import warnings

import pybuda
import pytest
import torch
from modules import Add, TwoProducts, close, netlist_ops
from pybuda import compile_options, query
from pybuda._C.balancer import OpOverride

WORMHOLE = pybuda.BackendDevice.Wormhole_B0


def netlist(module=None, arch=WORMHOLE):
    """Of two products; compiled, not run."""
    module = module or TwoProducts("net")
    device = pybuda.TTDevice("tt0", module=module, arch=arch, devtype=pybuda.BackendType.Golden,
                             device_mode=pybuda.DeviceMode.CompileOnly)
    return pybuda.pybuda_compile(device, "net", torch.rand(1, 64, 64), torch.rand(1, 64, 64)).netlist


def op_line(text, name):
    return re.search(rf"^ {{4}}{re.escape(name)}: \{{.*$", text, re.MULTILINE).group(0)


def options():
    device = pybuda.TTDevice("opt", arch=WORMHOLE)
    config = pybuda.config._get_global_compiler_config()
    config.apply_env_config_overrides()
    return compile_options.options(config, device, pybuda.DataFormat.Float16_b, 1)


def test_ops_of_the_netlist_have_their_names():
    ops = netlist_ops(netlist())
    assert ops == {"matmul1": "matmul", "matmul2": "matmul", "sum": "add", "gelu": "gelu"} or set(ops) >= {
        "matmul1", "matmul2", "sum"}


@pytest.mark.parametrize("data_format", ["Float16_b", "Bfp8_b", "Float16", "Float32"])
def test_formats_reach_the_netlist_and_the_results(data_format):
    wanted = pybuda.DataFormat[data_format]
    pybuda.set_configuration_options(default_df_override=wanted)
    module = TwoProducts("formats")
    a, b = torch.rand(1, 32, 64), torch.rand(1, 32, 64)
    pybuda.TTDevice("tt0", module=module, arch=WORMHOLE, devtype=pybuda.BackendType.Golden)
    outputs = pybuda.run_inference(inputs=[(a, b)]).get()
    assert f"in_df: [{data_format}" in op_line(pybuda.get_tenstorrent_device()._compile_output.netlist, "matmul1")
    kind = {"Float16": torch.float16, "Float32": torch.float32}.get(data_format, torch.bfloat16)
    assert outputs[0].value().dtype == kind
    assert all(close(got, want, 0.05) for got, want in zip(outputs, module.reference(a, b)))


def test_inputs_decide_the_family_unless_the_user_does():
    class Double(pybuda.PyBudaModule):
        def forward(self, x):
            return pybuda.op.Multiply("double", x, 2.0)

    assert pybuda.run_inference(Double("d"), inputs=[torch.rand(1, 32, 32).half()]).get()[0].value().dtype == \
        torch.float16
    pybuda.pybuda_reset()
    pybuda.TTDevice("tt0", module=Double("d"), fp32_fallback=pybuda.DataFormat.Float16)
    assert pybuda.run_inference(inputs=[torch.rand(1, 32, 32)]).get()[0].value().dtype == torch.float16


def test_fidelity_and_accumulation():
    pybuda.set_configuration_options(math_fidelity=pybuda.MathFidelity.LoFi, accumulate_df=pybuda.DataFormat.Float32)
    line = op_line(netlist(), "matmul1")
    assert "math_fidelity: LoFi" in line and "acc_df: Float32" in line


def test_the_default_fidelity_of_a_program_is_hifi3():
    assert "math_fidelity: HiFi3" in op_line(netlist(), "matmul1")


def test_single_ops_get_sizes_breaks_and_formats():
    pybuda.config.override_op_size("matmul1", (2, 1))
    pybuda.config.override_op_size("nobody_has_this_name", (2, 1))
    pybuda.set_epoch_break("matmul2")
    pybuda.config.configure_mixed_precision(name_regex="matmul1", math_fidelity=pybuda.MathFidelity.HiFi2)
    text = netlist()
    assert "grid_size: [2, 1]" in op_line(text, "matmul1") and "HiFi2" in op_line(text, "matmul1")
    assert text.count("input_count:") == 2


@pytest.mark.parametrize("devtype", [pybuda.BackendType.Golden, pybuda.BackendType.Silicon])
@pytest.mark.parametrize("source", ["queue", "op"])
def test_products_of_two_inputs_stream_where_an_override_says_so(source, devtype):
    class Product(pybuda.PyBudaModule):
        def forward(self, x, y):
            return pybuda.op.Matmul("product", x, y if source == "queue" else pybuda.op.Exp("exp", y))
    pybuda.config.override_t_stream_shape("product", (4, 1))
    device = pybuda.TTDevice("tt0", module=Product("net"), arch=WORMHOLE, devtype=devtype)
    x, y = torch.randn(1, 256, 128), torch.randn(1, 128, 96) / 8
    device.push_to_inputs(x, y)
    got = pybuda.run_inference().get()[0].value().float()
    assert "t: 4" in op_line(device._compile_output.netlist, "product")
    assert pybuda.verify.calculate_pcc(got, x @ (y if source == "queue" else y.exp())) > 0.9999


def test_overrides_as_objects():
    wanted = OpOverride()
    wanted.grid_shape, wanted.u_kt, wanted.force_dram_parameters = (1, 2), 1, True
    pybuda.config._get_global_compiler_config().balancer_op_overrides["matmul1"] = wanted
    pybuda.config.override_input_buffer_multiplier("matmul1", 1, multiplier=2)
    line = op_line(netlist(), "matmul1")
    assert "grid_size: [1, 2]" in line and "u_kt: 1" in line
    assert wanted.input_buffer_multiplier == {1: 2}


def test_a_list_is_one_break_at_its_first_op_and_predicates_choose():
    pybuda.set_epoch_break([query.name_regex("matmul.*") & query.op_type("matmul"), "sum"])
    pybuda.config.override_op_placement("gelu", start=(3, 3))
    text = netlist()
    assert "grid_loc: [3, 3]" in op_line(text, "gelu")
    assert text.count("input_count:") == 1  # matmul1 is first anyway


class ProductAndGelu(pybuda.PyBudaModule):
    def forward(self, x, y):
        return pybuda.op.Gelu("gelu", pybuda.op.Matmul("product", x, y))


def test_a_product_with_its_gelu_keeps_its_name_and_overrides():
    pybuda.config.override_op_size("product", (2, 2))
    line = op_line(netlist(ProductAndGelu("fused")), "product")
    assert "grid_size: [2, 2]" in line and "sfpu_op: gelu" in line
    pybuda.pybuda_reset()
    pybuda.config.override_op_size("gelu", (2, 1))
    text = netlist(ProductAndGelu("apart"))
    assert "grid_size: [2, 1]" in op_line(text, "gelu") and "sfpu_op" not in op_line(text, "product")


def test_transposed_placement_is_what_the_solution_says():
    pybuda.config._get_global_compiler_config().enable_auto_fusing = False
    pybuda.config.override_op_placement("gelu", transpose_op=True)
    pybuda.override_op_size("gelu", (1, 2))
    device = pybuda.TTDevice("tt0", module=ProductAndGelu("turned"), arch=WORMHOLE)
    made = pybuda.pybuda_compile(device, "net", torch.rand(1, 64, 64), torch.rand(1, 64, 64))
    placed = made.pass_specific_output_kwargs["placer_solution"].name_to_op_placement["gelu"]
    assert placed.grid_transpose and (placed.placed_cores.size_r(), placed.placed_cores.size_c()) == (2, 1)


def test_predicates():
    ops = {"layer.0.mm": "matmul", "layer.0.add": "add", "layer.1.mm": "matmul"}
    assert query.matching(query.op_type("matmul"), ops) == ["layer.0.mm", "layer.1.mm"]
    assert query.matching(query.layer_regex(r"layer\.0") & query.op_type("add").negate(), ops) == ["layer.0.mm"]
    assert query.matching(query.name_regex(".*add") | query.name_regex(r".*1\.mm"), ops) == ["layer.0.add",
                                                                                            "layer.1.mm"]


@pytest.mark.parametrize("given, key, value", [
    ({"balancer_policy": "Ribbon"}, "policy", "ribbon"), ({"balancer_policy": "CNN"}, "policy", "ribbon"),
    ({"balancer_policy": "NLP"}, "policy", "nlp"), ({"amp_level": 1}, "amp", 1),
    ({"balancer_policy": pybuda._C.balancer.PolicyType.MaximizeTMinimizeGrid}, "policy", "minimize_grid"),
    ({"enable_auto_fusing": False}, "auto_fusing", False), ({"enable_t_streaming": False}, "t_streaming", False),
    ({"enable_stable_softmax": False}, "stable_softmax", False),
    ({"harvested_rows": [1, 11]}, "harvested_rows", [1, 11]), ({"device_config": "wh_n300"}, "device", "wh_n300"),
    ({"backend_device_descriptor_path": "/there/x.yaml"}, "device", "/there/x.yaml"),
])
def test_options_of_the_compiler(given, key, value):
    assert key == "device" or key not in options()
    pybuda.set_configuration_options(**given)
    assert options()[key] == value


def test_cuts_and_light_precision():
    config = pybuda.config._get_global_compiler_config()
    config.graph_solver_self_cut_type = "ConsumerOperandDataEdgesFirst"
    config.enable_amp_light(2)
    assert options()["self_cut"] == "consumer_operand_edges_first" and options()["amp_light"] == 2
    config.graph_solver_self_cut_type = "Sideways"
    with pytest.raises(RuntimeError, match="'Sideways' is not one of"):
        options()


@pytest.mark.parametrize("variable, text, key, value", [
    ("PYBUDA_DEFAULT_DF", "Bfp8_b", None, None), ("PYBUDA_DISABLE_OP_FUSING", "1", "auto_fusing", False),
    ("PYBUDA_AMP_LIGHT", "1", "amp_light", 1), ("PYBUDA_AMP_LEVEL", "2", "amp", 2),
    ("PYBUDA_DISABLE_STABLE_SOFTMAX", "1", "stable_softmax", False),
    ("PYBUDA_OVERRIDE_DEVICE_YAML", "/there/y.yaml", "device", "/there/y.yaml"),
    ("PYBUDA_OVERRIDE_DEVICE_YAML", "wormhole_b0_1x1.yaml", "device", "wh_n150"),
    ("PYBUDA_GRAPHSOLVER_SELF_CUT_TYPE", "ProducerUserDataEdgesFirst", "self_cut", "producer_user_edges_first"),
])
def test_the_environment_wins_and_is_read_late(monkeypatch, variable, text, key, value):
    config = pybuda.config._get_global_compiler_config()
    config.enable_auto_fusing = True
    monkeypatch.setenv(variable, text)
    found = options()
    if key is not None:
        assert found[key] == value
    else:
        assert config.default_df_override == pybuda.DataFormat.Bfp8_b


def test_a_variable_with_a_wrong_value_is_named(monkeypatch):
    monkeypatch.setenv("PYBUDA_DEFAULT_DF", "Float17")
    with pytest.raises(ValueError, match="PYBUDA_DEFAULT_DF=Float17"):
        pybuda.config._get_global_compiler_config()


def test_unknown_fields_warn_once_with_the_nearest_name():
    config = pybuda.config._get_global_compiler_config()
    with pytest.warns(UserWarning, match="did you mean 'balancer_policy'"):
        config.balancer_polcy = "Ribbon"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        config.balancer_polcy = "CNN"
    with pytest.raises(TypeError):
        pybuda.set_configuration_options(compute_precision=1)
    with pytest.raises(RuntimeError, match="did you mean 'u_kt'"):
        config.balancer_op_override("op", "ukt", 2)


def test_checks_of_options():
    with pytest.raises(RuntimeError, match="device_config 'card' is not one of"):
        pybuda.set_configuration_options(device_config="card")
    with pytest.raises(AssertionError, match="backend_opt_level 7"):
        pybuda.set_configuration_options(backend_opt_level=7)
    with pytest.raises(AssertionError, match="must be a DataFormat"):
        pybuda.set_configuration_options(default_df_override="Float16_b")
    with pytest.raises(AssertionError, match="op_type, epoch_type, name_regex or is_gradient_op"):
        pybuda.config.configure_mixed_precision(output_df=pybuda.DataFormat.Bfp8_b)
    pybuda.set_configuration_options(device_config="wh_n150")
    pybuda.TTDevice("tt0", module=Add("a"), arch=pybuda.BackendDevice.Grayskull)
    with pytest.raises(RuntimeError, match="is a Wormhole_B0"):
        pybuda.run_inference(inputs=[(torch.rand(1, 32, 32), torch.rand(1, 32, 32))])


def test_a_configuration_goes_to_json_and_back():
    pybuda.set_configuration_options(default_df_override=pybuda.DataFormat.Bfp8_b, balancer_policy="Ribbon")
    pybuda.config.override_op_size("a", (2, 3))
    pybuda.config.configure_mixed_precision(op_type="matmul", input_df={1: (pybuda.DataFormat.Bfp8_b, True)})
    pybuda.config.insert_fracture_group([("a", pybuda.k_dim, 2)])
    pybuda.config.override_op_placement("a", start=(1, 1))
    config = pybuda.config._get_global_compiler_config()
    text = config.to_json()
    back = pybuda.CompilerConfig.from_dict(json.loads(text))
    assert back.to_json() == text and back.default_df_override == pybuda.DataFormat.Bfp8_b
    assert back.balancer_op_overrides == {"a": OpOverride(grid_shape=(2, 3))} and back.cpu_fallback_ops == {"embedding"}


def test_all_other_functions_are_taken():
    config = pybuda.config
    config.add_schedule_constraint(["a", "b"])
    config.insert_nop("a", "b", hoist_tms=False)
    config.insert_buffering_nop("a", ["b", "c"], nop_count=2)
    config.override_dram_queue_placement("q", chip_id=0, channel=1)
    config.override_u_kt("a", 2)
    config.override_t_stream_dir("a", "rz")
    config.override_t_stream_shape("a", (2, 1))
    config.override_input_buffer_multiplier("a", 0, multiplier=2)
    config.internal_override_output_buffer_multiplier("a", multiplier=2)
    config.override_dram_parameters("a", True)
    config.add_cpu_fallback_ops(["take", "adv_index"])
    config.remove_cpu_fallback_ops("take")
    config.set_num_repeated_patterns("m", 3)
    config.set_auto_transposing_placement(True)
    assert config._get_global_compiler_config().cpu_fallback_ops == {"embedding", "adv_index"}
    netlist()


@pytest.mark.docs
def test_the_table_of_the_documentation_is_that_of_the_code():
    import pathlib

    from pybuda.tools import config_table
    page = pathlib.Path(pybuda.__file__).resolve().parents[2] / "docs/python.md"
    assert config_table.replaced(page.read_text()) == page.read_text()


def test_options_that_fields_name_are_the_compilers():
    import ttsim
    from pybuda.config_fields import FIELDS
    known = set(dir(ttsim._ttsim.CompileOptions())) | {"trace_file"}
    for field in FIELDS:
        head = field.effect.split(":")[0]
        assert " " in head or head == "none" or head in known, f"{field.name}: {head}"


def test_places_of_ops_are_read_back():
    pybuda.config.override_op_placement("matmul2", start=(2, 3), temporal_epoch_break=True)
    pybuda.config.override_op_size("matmul2", (1, 2))
    netlist()
    solution = pybuda.get_tenstorrent_device()._compile_output.pass_specific_output_kwargs["placer_solution"]
    placed = solution.name_to_op_placement["matmul2"].placed_cores
    assert (placed.start.row, placed.start.col, placed.size_r(), placed.size_c()) == (2, 3, 1, 2)
    assert solution.epoch_id("matmul1") == 0 and solution.epoch_id("matmul2") == 1 and solution.chip_id("sum") == 0


def test_compiled_only(caplog):
    pybuda.config._get_global_compiler_config().compile_depth = pybuda.CompileDepth.GENERATE_NETLIST
    x = torch.rand(1, 32, 32)
    assert pybuda.run_inference(Add("a"), inputs=[(x, x)]).empty() and "nothing runs" in caplog.text
    pybuda.set_device_pipeline(())
    pybuda.verify.verify_module(TwoProducts("depth"), [(1, 32, 64)] * 2, pybuda.VerifyConfig())


def test_formats_that_tensors_are_given_reach_the_netlist():
    x = torch.rand(1, 32, 64)
    given = [pybuda.Tensor.create_from_torch(x, dev_data_format=pybuda.DataFormat.Bfp8_b) for _ in range(2)]
    module = TwoProducts("given")
    results = pybuda.run_inference(module, inputs=[given])
    assert "in_df: [Bfp8_b" in op_line(pybuda.get_tenstorrent_device()._compile_output.netlist, "matmul1")
    assert close(results.get()[0], module.reference(x, x)[0], 0.05)
    pybuda.pybuda_reset()
    pybuda.verify.verify_module(module, [(1, 32, 64)] * 2, pybuda.VerifyConfig(),
                                [{"dev_data_format": pybuda.DataFormat.Float16}] * 2)
    assert "in_df: [Float16," in op_line(pybuda.pybudaglobal.get_devices()[-1]._compile_output.netlist, "matmul1")


@pytest.mark.usefixtures("eight_chips")
def test_two_chips_share_the_epochs():
    pybuda.set_chip_break("matmul2")
    module = TwoProducts("chips")
    device = pybuda.TTDevice("tt0", module=module, arch=WORMHOLE, num_chips=2)
    x = torch.rand(1, 64, 64)
    assert close(pybuda.run_inference(inputs=[(x, x)]).get()[0], module.reference(x, x)[0])
    solution = device._compile_output.pass_specific_output_kwargs["placer_solution"]
    assert (solution.chip_id("matmul1"), solution.chip_id("matmul2")) == (0, 1)
    pybuda.pybuda_reset()
    pybuda.TTDevice("tt0", module=Add("one_epoch"), arch=WORMHOLE, num_chips=2)
    assert pybuda.run_inference(inputs=[(x, x)]).get()


@pytest.mark.usefixtures("eight_chips")
def test_breaks_beyond_the_last_chip_are_on_the_first():
    for name in ("matmul2", "sum", "gelu"):
        pybuda.set_chip_break(name)
    module, x = TwoProducts("chips"), torch.rand(1, 64, 64)
    device = pybuda.TTDevice("tt0", module=module, arch=WORMHOLE, num_chips=2)
    assert close(pybuda.run_inference(inputs=[(x, x)]).get()[0], module.reference(x, x)[0])
    solution = device._compile_output.pass_specific_output_kwargs["placer_solution"]
    assert sorted(solution.chip_id(op) for op in ("matmul1", "matmul2", "sum", "gelu")) == [0, 0, 1, 1]


@pytest.mark.parametrize("policy", ["SingleOpPerEpoch", pybuda._C.balancer.PolicyType.SingleOpPerEpoch])
def test_a_policy_of_single_ops(policy):
    pybuda.set_configuration_options(balancer_policy=policy)
    pybuda.verify.verify_module(TwoProducts("single"), [(1, 32, 64)] * 2, pybuda.VerifyConfig())
    made = pybuda.pybudaglobal.get_devices()[-1]._compile_output
    solution = made.pass_specific_output_kwargs["placer_solution"]
    ops = ("matmul1", "matmul2", "sum", "gelu")
    assert sorted(solution.epoch_id(op) for op in ops) == [0, 1, 2, 3]


@pytest.mark.usefixtures("eight_chips")
def test_several_chips_of_grayskull_compute_as_one(caplog):
    pybuda.set_chip_break("matmul2")
    module, x = TwoProducts("chips"), torch.rand(1, 64, 64)
    pybuda.TTDevice("tt0", module=module, arch=pybuda.BackendDevice.Grayskull, chip_ids=[0, 1])
    assert close(pybuda.run_inference(inputs=[(x, x)]).get()[0], module.reference(x, x)[0])
    assert "one of them runs all epochs" in caplog.text


def test_nops_are_inserted_by_name():
    pybuda.set_configuration_options(enable_auto_fusing=False)
    pybuda.insert_nop("matmul2", ["sum", "gelu"], nop_count=2)
    pybuda.insert_buffering_nop("matmul1", "sum")
    pybuda.insert_nop("nobody", "sum")
    module = TwoProducts("nops")
    a, b = torch.rand(1, 32, 64), torch.rand(1, 32, 64)
    outputs = pybuda.run_inference(module, inputs=[(a, b)]).get()
    ops = netlist_ops(pybuda.get_tenstorrent_device()._compile_output.netlist)
    assert {"buffer_0_matmul2_sum", "buffer_1_matmul2_sum", "buffer_0_matmul1_sum"} <= set(ops)
    assert all(close(got, want) for got, want in zip(outputs, module.reference(a, b)))


def test_nops_in_a_daisy_chain():
    pybuda.insert_nop("matmul2", ["sum", "gelu"], daisy_chain=True)
    module = TwoProducts("chain")
    a, b = torch.rand(1, 32, 64), torch.rand(1, 32, 64)
    outputs = pybuda.run_inference(module, inputs=[(a, b)]).get()
    ops = netlist_ops(pybuda.get_tenstorrent_device()._compile_output.netlist)
    assert ops["buffer_1_matmul2_gelu"].operands == ["buffer_0_matmul2_sum"]
    # in one epoch, or by way of a queue
    assert ops["buffer_0_matmul2_sum"].operands[0] in ("matmul2", "e2e_matmul2_0") and "buffer_0_matmul2_sum" in ops["sum"].operands
    assert all(close(got, want) for got, want in zip(outputs, module.reference(a, b)))


def test_single_ops_from_dram_through_queues_in_order_and_in_larger_buffers():
    config = pybuda.config._get_global_compiler_config()
    config.insert_queues = [("matmul1", "sum", 0)]
    pybuda.config.add_schedule_constraint(["matmul2", "matmul1"])
    pybuda.config.override_dram_parameters("matmul1", True)
    pybuda.config.internal_override_output_buffer_multiplier("matmul2", multiplier=2)
    module = TwoProducts("decided")
    a, b = torch.rand(1, 32, 64), torch.rand(1, 32, 64)
    outputs = pybuda.run_inference(module, inputs=[(a, b)]).get()
    netlist = pybuda.get_tenstorrent_device()._compile_output.netlist
    ops = netlist_ops(netlist)
    assert ops["sum"].operands[0] == "e2e_matmul1_0"
    assert list(ops).index("matmul2") < list(ops).index("matmul1")
    assert "buf_size_mb: 4," in op_line(netlist, "matmul2") and "buf_size_mb: 2," in op_line(netlist, "matmul1")
    weights = ops["matmul1"].operands[1]
    assert re.search(rf"[{{ ]{re.escape(weights)}: {{prologue: false", netlist)
    assert all(close(got, want) for got, want in zip(outputs, module.reference(a, b)))


def test_a_product_keeps_its_name_when_bias_and_relu_are_fused_into_it():
    class Dense(pybuda.PyBudaModule):
        def __init__(self, name):
            super().__init__(name)
            self.linear = pybuda.op.nn.Linear(f"{name}.fc", 64, 32)

        def forward(self, x):
            return pybuda.op.Relu("act", self.linear(x))

    pybuda.run_inference(Dense("dense"), inputs=[torch.rand(1, 32, 64)]).get()
    ops = netlist_ops(pybuda.get_tenstorrent_device()._compile_output.netlist)
    assert [op.type for op in ops.values()] == ["matmul"] and not any("bias" in name or "act" in name for name in ops)


class Turned(pybuda.PyBudaModule):
    """A product with what it turns."""

    def forward(self, a, b):
        made = pybuda.op.Exp("exp", b)
        return pybuda.op.Matmul("product", a, pybuda.op.Transpose("turn", made, -1, -2)), pybuda.op.Sqrt("root", made)


@pytest.mark.parametrize("src, dest, wanted", [
    ("exp", "product", {"buffer_0_exp_turn"}), (query.op_type("exp"), "root", {"buffer_0_exp_root"}),
    (query.name_regex("e.*"), query.name_regex("product|root"), {"buffer_0_exp_turn"}),  # both read it
])
def test_nops_for_predicates_and_behind_transposes(src, dest, wanted):
    pybuda.insert_nop(src, dest)
    pybuda.set_configuration_options(enable_auto_fusing=False)
    assert set(re.findall(r"^    (buffer_\w+): ", netlist(Turned("net")), re.MULTILINE)) == wanted


FORMATS = pybuda.DataFormat


def formats_of_queues(module, given=None):
    """Of the netlist that two products of inputs with these formats become."""
    device = pybuda.TTDevice("tt0", module=module, arch=WORMHOLE, devtype=pybuda.BackendType.Golden)
    device.push_to_inputs([pybuda.Tensor.create_from_torch(torch.rand(1, 64, 64), given) for _ in range(2)])
    pybuda.run_inference(_verify_cfg=pybuda.VerifyConfig(pcc=0.9))
    assert not pybuda.error_raised()
    return dict(re.findall(r"^  ([\w.]+): \{input: HOST,.*? df: (\w+)", device._compile_output.netlist, re.MULTILINE))


@pytest.mark.parametrize("given", [FORMATS.Bfp8_b, FORMATS.Bfp4_b, FORMATS.Bfp8, FORMATS.Bfp4])
def test_formats_of_single_inputs_and_parameters(given):
    found = formats_of_queues(TwoProducts("net"), given)
    assert found["a"] == found["b"] == given.name
    pybuda.pybuda_reset()
    module = TwoProducts("net")
    module.weights1.set_data_format(given)
    module.weights2 = pybuda.Parameter(torch.rand(64, 64) / 8, dev_data_format=FORMATS.Bfp8_b)
    family = {FORMATS.Bfp8: "Bfp8_b", FORMATS.Bfp4: "Bfp4_b"}.get(given, given.name)  # of what the inputs are
    assert formats_of_queues(module) == {"a": "Float16_b", "b": "Float16_b", "net.weights1": family,
                                         "net.weights2": "Bfp8_b"}


class Shifted(pybuda.PyBudaModule):
    def __init__(self, name):
        super().__init__(name)
        self.add_constant("shift")
        self.set_constant("shift", pybuda.Tensor.create_from_torch(torch.rand(1, 64, 64), FORMATS.Bfp8_b))

    def forward(self, a, b):
        return pybuda.op.Add("sum", pybuda.op.Add("first", a, b), self.get_constant("shift"))


def test_a_constants_format_and_a_tie_of_inputs():
    device = pybuda.TTDevice("tt0", module=Shifted("net"), arch=WORMHOLE, devtype=pybuda.BackendType.Golden)
    device.push_to_inputs([torch.rand(1, 64, 64).half(), torch.rand(1, 64, 64).bfloat16()])
    assert pybuda.run_inference().get()[0].value().dtype == torch.bfloat16
    assert re.search(r"input_1_sum: .* df: Bfp8_b", device._compile_output.netlist)


class Odds(pybuda.PyBudaModule):
    """Maxima over slices of an input, beside a product with a weight."""

    def __init__(self, name):
        super().__init__(name)
        self.weights = pybuda.Parameter(torch.rand(32, 32), dev_data_format=FORMATS.Bfp8_b)

    def forward(self, a):
        return pybuda.op.nn.Softmax("odds", a, dim=1), pybuda.op.Matmul("product", a, self.weights)


@pytest.mark.parametrize("level", [None, 1, 2])
@pytest.mark.parametrize("given", [FORMATS.Bfp8_b, FORMATS.Float16_b, FORMATS.Bfp4])
def test_formats_of_inputs_apply_to_all_their_readers(level, given):
    pybuda.set_configuration_options(amp_level=level)
    pybuda.verify.verify_module(Odds("net"), [(1, 4, 32, 32)], pybuda.VerifyConfig(golden_ignore_df_precision=False),
                                [{"dev_data_format": given}])


def test_an_override_of_all_formats_leaves_narrower_ones():
    pybuda.set_configuration_options(default_df_override=FORMATS.Bfp8_b)
    module = TwoProducts("net")
    module.weights1.set_data_format(FORMATS.Bfp4_b)
    module.weights2.set_data_format(FORMATS.Float16_b)
    found = formats_of_queues(module)
    assert (found["net.weights1"], found["net.weights2"]) == ("Bfp4_b", "Bfp8_b")
