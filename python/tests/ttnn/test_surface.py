"""Names, tensors, errors, reports, capture of ttnn."""
import ast
import csv
import gc
import inspect
import pathlib
import re
import sqlite3

import pytest
import torch
import ttnn


def on(device, values, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, **keywords):
    return ttnn.from_torch(values, dtype=dtype, layout=layout, device=device, **keywords)


# the names of groups of ops that programs use, by torch_ttnn and by hand
NAMES = ["open_device", "close_device", "open", "close", "SetDefaultDevice", "GetDefaultDevice", "synchronize_device", "enable_program_cache", "open_mesh_device", "MeshShape", "close_mesh_device", "DumpDeviceProfiler", "Device", "MeshDevice", "Tensor", "Shape", "from_torch", "as_tensor", "to_torch", "to_device", "from_device", "to_layout", "to_memory_config", "typecast", "clone", "deallocate", "sharded_to_interleaved", "ROW_MAJOR_LAYOUT", "TILE_LAYOUT", "TILE_SIZE", "uint8", "uint16", "uint32", "int32", "float32", "bfloat16", "bfloat8_b", "bfloat4_b", "DataType", "MemoryConfig", "DRAM_MEMORY_CONFIG", "L1_MEMORY_CONFIG", "StorageType", "MathFidelity", "WormholeComputeKernelConfig", "SDPAProgramConfig", "multiply", "subtract", "divide", "logical_or", "logical_xor", "ne", "lt", "ge", "squared_difference", "isclose", "mac", "group_norm", "layer_norm", "unsqueeze", "global_avg_pool2d", "moreh_cumsum", "abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "ceil", "cos", "cosh", "elu", "erf", "exp", "expm1", "floor", "gelu", "hardsigmoid", "hardswish", "isinf", "isnan", "log", "log10", "log1p", "log2", "logical_not", "neg", "reciprocal", "relu", "round", "rsqrt", "sigmoid", "sign", "sin", "sinh", "silu", "sqrt", "tan", "tanh", "tril", "trunc", "softplus", "remainder", "clip", "clamp", "hardtanh", "leaky_relu", "eq", "le", "gt", "maximum", "minimum", "atan2", "xlogy", "floor_div", "where", "addcmul", "addcdiv", "bitwise_not", "bitwise_and", "logical_and", "softmax", "mean", "min", "sum", "argmax", "embedding", "conv1d", "conv2d", "conv_transpose2d", "max_pool2d", "avg_pool2d", "reshape", "transpose", "permute", "squeeze", "expand", "repeat", "slice", "concat", "split", "roll", "pad", "full", "fill", "zeros", "ones", "arange", "empty", "zeros_like", "add", "sub", "mul", "div", "rsub", "pow", "matmul", "linear", "experimental.view", "transformer.scaled_dot_product_attention", "transformer.attention_softmax", "transformer.split_query_key_value_and_split_heads", "transformer.concatenate_heads", "operations.moreh.layer_norm", "graph.begin_graph_capture", "graph.end_graph_capture", "graph.extract_calltrace", "device.is_grayskull", "device.DispatchCoreType.WORKER", "device.DispatchCoreConfig", "device.DispatchCoreAxis.ROW", "manage_device", "CreateDevice", "get_golden_function"]


def test_names():
    for name in NAMES:
        found = ttnn
        for part in name.split("."):
            found = getattr(found, part)
        assert callable(found) is False or found.__doc__, name
    assert ttnn.mul is ttnn.multiply and ttnn.sub is ttnn.subtract
    assert (ttnn.add.__module__, ttnn.add.__name__) == ("ttnn", "add")
    with pytest.raises(AttributeError, match="did you mean softmax"):
        ttnn.softmaxx  # noqa: B018


def test_type_checkers_see_the_names():
    """The stub takes names of other modules with 'import *': their lists must be literals."""
    folder = pathlib.Path(ttnn.__file__).parent
    stub = (folder / "__init__.pyi").read_text()
    seen: set[str] = set()
    for groups in re.findall(r"^(?:def|class) (\w+)|^(\w+)(?: =|:)", stub, re.M):
        seen |= set(groups)
    seen |= set(re.findall(r"\w+ as (\w+)", stub))
    for module in re.findall(r"^from \.(\w+) import \*$", stub, re.M):
        tree = ast.parse((folder / f"{module}.py").read_text())
        listed = next(one.value for one in tree.body if isinstance(one, ast.Assign) and ast.unparse(one.targets[0]) == "__all__")
        seen |= set(ast.literal_eval(listed))
    assert {name.split(".")[0] for name in NAMES} - seen == set()
    own = {name for name, value in vars(ttnn).items() if not name.startswith("_") and not inspect.ismodule(value)}
    assert own - seen <= {"annotations", "Any", "Callable"}


def test_ops_in_graphs_of_torch():
    graph = torch.fx.Graph()
    x = graph.placeholder("x")
    graph.output(graph.call_function(ttnn.add, (x, graph.call_function(ttnn.transformer.concatenate_heads, (x,)))))
    code = torch.fx.GraphModule({}, graph).code
    assert "ttnn_add(" in code and "ttnn_transformer_concatenate_heads(" in code
    assert repr(ttnn.add) == "<function ttnn.add>"


@pytest.mark.parametrize("shape", [(1,), (7,), (3, 5), (2, 33, 50), (2, 3, 1, 40), (2, 1, 3, 33, 2)])
@pytest.mark.parametrize("dtype", [ttnn.bfloat16, ttnn.float32, ttnn.bfloat8_b, ttnn.bfloat4_b, ttnn.uint8, ttnn.uint16, ttnn.uint32, ttnn.int32])
def test_round_trip(shape, dtype, device):
    values = torch.randint(0, 100, shape).float() if not dtype.is_float else torch.randn(shape).bfloat16().float()
    for layout in (ttnn.TILE_LAYOUT, ttnn.ROW_MAJOR_LAYOUT)[:1 if dtype.is_block_float else 2]:
        x = on(device, values, dtype, layout)
        back = ttnn.to_torch(x)
        assert back.shape == values.shape and x.shape == values.shape
        if not dtype.is_block_float:
            assert torch.equal(back.float(), values)
        else:
            assert torch.equal(ttnn.to_torch(on(device, back, dtype, layout)), back)  # rounded once
            assert (back - values).abs().max() <= values.abs().max() * (0.01 if dtype is ttnn.bfloat8_b else 0.13)
    assert x.padded_shape[-1] % (32 if x.layout is ttnn.TILE_LAYOUT else 1) == 0


def test_errors_name_the_op(device):
    x = on(device, torch.randn(32, 64))
    host = ttnn.from_torch(torch.randn(32, 64))
    with pytest.raises(TypeError, match="ttnn.add: got a torch tensor.*from_torch"):
        ttnn.add(x, torch.randn(2))
    with pytest.raises(RuntimeError, match="ttnn.add: .*is on the host.*to_device"):
        ttnn.add(x, host)
    with pytest.raises(ValueError, match=r"ttnn.matmul: got bfloat16\[32, 64\], bfloat16\[32, 64\]"):
        ttnn.matmul(x, x)
    with pytest.raises(RuntimeError, match="ttnn.matmul: .*ROW_MAJOR.*to_layout"):
        ttnn.matmul(x, on(device, torch.randn(64, 32), layout=ttnn.ROW_MAJOR_LAYOUT))
    with pytest.raises(TypeError, match="ttnn.softmax: got an unexpected keyword argument 'dims'"):
        ttnn.softmax(x, dims=1)
    with pytest.raises(TypeError, match="ttnn.relu: no operand is a tensor"):
        ttnn.relu(3.0)
    with pytest.raises(ValueError, match="TILE layout only"):
        on(device, torch.randn(32, 32), ttnn.bfloat8_b, ttnn.ROW_MAJOR_LAYOUT)
    with pytest.raises(ValueError, match="there is no activation 'rule'"):
        ttnn.linear(x, x, transpose_b=True, activation="rule")
    with pytest.raises(ValueError, match="no elements"):
        ttnn.from_torch(torch.zeros(0, 3))


def test_after_deallocate_close_and_on_another_device(device):
    x = on(device, torch.randn(32, 32))
    y = x + 1
    ttnn.deallocate(x)
    ttnn.deallocate(x)
    with pytest.raises(RuntimeError, match="ttnn.add: tensor .* was deallocated"):
        ttnn.add(x, y)
    other = ttnn.open_device(device_id=3)
    z = on(other, torch.randn(32, 32))
    with pytest.raises(RuntimeError, match="on different devices"):
        ttnn.add(y, z)
    with pytest.raises(RuntimeError, match="is open already"):
        ttnn.open_device(device_id=3)
    ttnn.close_device(other)
    ttnn.close_device(other)
    for use in (lambda: ttnn.add(z, z), lambda: ttnn.to_torch(z), lambda: z + 1, lambda: z.buffer_address()):
        with pytest.raises(RuntimeError, match="device 3 was closed"):
            use()
    again = ttnn.open_device(device_id=3)
    with pytest.raises(RuntimeError, match="was closed|different devices"):
        ttnn.add(z, on(again, torch.randn(32, 32)))
    ttnn.close_device(again)


def test_deallocate_keeps_a_tensor_that_another_result_is(device):
    x = on(device, torch.randn(32, 32))
    same = ttnn.to_layout(x, ttnn.TILE_LAYOUT)
    x.deallocate()
    assert ttnn.relu(same).is_allocated()
    in_place = ttnn.relu_(same) if hasattr(ttnn, "relu_") else ttnn.to_memory_config(same, ttnn.DRAM_MEMORY_CONFIG)
    same.deallocate()
    assert in_place.is_allocated()
    in_place.deallocate()
    assert not x.is_allocated()
    y = on(device, torch.randn(32, 32))
    ttnn.deallocate(ttnn.to_layout(y, ttnn.TILE_LAYOUT))
    assert not y.is_allocated()


@pytest.mark.parametrize("kind", ("uint32", "int32", "uint16"))
def test_comparisons_of_integers(device, kind):
    x = ttnn.from_torch(torch.tensor([[1, 0, 5, 7]]), dtype=getattr(ttnn, kind), layout=ttnn.TILE_LAYOUT, device=device)
    for name, expected in (("ne", [1, 1, 0, 1]), ("ge", [0, 0, 1, 1])):
        made = getattr(ttnn, name)(x, 5)
        assert made.dtype is x.dtype and ttnn.to_torch(made).tolist() == [expected]
        floats = getattr(ttnn, name)(x, 5, dtype=ttnn.bfloat16)
        assert floats.dtype is ttnn.bfloat16 and ttnn.to_torch(floats).tolist() == [expected]


def test_memory(device):
    gc.collect()
    start = device.report()["memory"]["DRAM"]["used"]
    x = on(device, torch.randn(64, 64), memory_config=ttnn.L1_MEMORY_CONFIG)
    assert x.memory_config() == ttnn.L1_MEMORY_CONFIG and device.report()["memory"]["L1"]["used"] >= 64 * 64 * 2
    y = ttnn.to_memory_config(x, ttnn.DRAM_MEMORY_CONFIG)
    assert f"{y.buffer_address()}" in device.memory_map() and "bfloat16[64, 64]" in device.memory_map()
    view = ttnn.reshape(y, (2, 32, 64))
    assert view.buffer_address() == y.buffer_address()
    del x, y, view
    gc.collect()
    assert device.report()["memory"]["DRAM"]["used"] == start and device.report()["memory"]["L1"]["used"] == 0
    wide = {"dtype": ttnn.float32, "memory_config": ttnn.L1_MEMORY_CONFIG}
    for make in (lambda: on(device, torch.zeros(5120, 5120), **wide),
                 lambda: ttnn.zeros((5120, 5120), device=device, **wide),
                 lambda: ttnn.repeat(on(device, torch.zeros(32, 32), dtype=ttnn.float32), (160, 160),
                                     memory_config=ttnn.L1_MEMORY_CONFIG)):
        with pytest.raises(RuntimeError, match=r"ttnn\.\w+: out of L1 memory: a buffer of \d+ bytes .*\d+ bytes are free"):
            make()


def test_leak_check():
    device = ttnn.open_device(device_id=4)
    device.warn_of_leaks = True
    x = on(device, torch.randn(32, 32))
    with pytest.warns(UserWarning, match=r"1 live tensors:\n  tensor .* \(bfloat16\[32, 32\]"):
        ttnn.close_device(device)
    del x


def test_program_cache(device):
    x = on(device, torch.randn(32, 32))
    for _ in range(3):
        ttnn.exp(x)
    ttnn.add(x, 1.0)
    ttnn.add(x, 1)
    assert device.num_program_cache_entries() == 3 and device.report()["programs"]["hits"] == 2
    device.disable_and_clear_program_cache()
    assert device.num_program_cache_entries() == 0
    ttnn.exp(x)
    assert device.num_program_cache_entries() == 0


def test_graph_capture(device):
    ttnn.graph.begin_graph_capture(ttnn.graph.RunMode.NORMAL)
    x = on(device, torch.randn(32, 32))
    ttnn.to_torch(ttnn.softmax(ttnn.add(x, x, memory_config=ttnn.L1_HEIGHT_SHARDED_MEMORY_CONFIG), dim=-1))
    trace = ttnn.graph.end_graph_capture()
    assert ttnn.graph.extract_calltrace(trace) == ["ttnn.to_device", "Tensor::to_device", "ttnn.add", "ttnn.softmax", "Tensor::cpu"]
    allocated, = (node["params"] for node in trace if node["node_type"] == "buffer_allocate" and node["params"]["layout"] == "HEIGHT_SHARDED")
    assert allocated["type"] == "L1" and ttnn.graph.extract_peak_L1_memory_usage(trace) == int(allocated["size"])
    with pytest.raises(RuntimeError, match="no capture"):
        ttnn.graph.end_graph_capture()


def test_comparison_mode(device):
    x = on(device, torch.randn(32, 32))
    assert torch.equal(ttnn.get_golden_function(ttnn.add)(torch.ones(2), 1), torch.full((2,), 2.0))
    with ttnn.manage_config("enable_comparison_mode", True):
        ttnn.exp(x)
        with ttnn.manage_config("comparison_mode_pcc", 1.1), ttnn.manage_config("comparison_mode_should_raise_exception", True), \
                pytest.raises(RuntimeError, match="ttnn.exp: correlation"):
            ttnn.exp(x)
    assert ttnn.CONFIG.comparisons[-1][0] == "ttnn.exp"


def test_outputs_and_in_place(device):
    x, y = on(device, torch.ones(32, 32)), on(device, torch.ones(32, 32))
    assert ttnn.add(x, y, output_tensor=y) is y and ttnn.to_torch(y)[0, 0] == 2
    assert ttnn.multiply_(x, 3.0) is x and ttnn.to_torch(x)[0, 0] == 3
    with pytest.raises(ValueError, match="output tensor has the shape"):
        ttnn.add(x, x, output_tensor=on(device, torch.ones(32, 64)))
    assert ttnn.typecast(x, ttnn.int32).dtype == ttnn.int32 and ttnn.add(x, x, dtype=ttnn.bfloat8_b).dtype == ttnn.bfloat8_b


@pytest.mark.parametrize("groups, stride", [(1, 1), (2, 2), (8, 1)])
def test_convolution(groups, stride, device):
    picture, weight, bias = torch.randn(2, 8, 9, 11), torch.randn(8, 8 // groups, 3, 3), torch.randn(8)
    x = on(device, picture.permute(0, 2, 3, 1).reshape(1, 1, -1, 8))
    made, (height, width) = ttnn.conv2d(
        input_tensor=x, weight_tensor=ttnn.from_torch(weight, dtype=ttnn.bfloat16), bias_tensor=ttnn.from_torch(bias, dtype=ttnn.bfloat16),
        device=device, in_channels=8, out_channels=8, batch_size=2, input_height=9, input_width=11, kernel_size=(3, 3),
        stride=(stride, stride), padding=(1, 1), groups=groups, return_output_dim=True)
    expected = torch.nn.functional.conv2d(picture, weight, bias, stride, 1, groups=groups)
    got = ttnn.to_torch(made).float().reshape(2, height, width, 8).permute(0, 3, 1, 2)
    assert got.shape == expected.shape and (got - expected).abs().max() < 0.03 * expected.abs().max()
    with pytest.raises(ValueError, match="ttnn.conv2d: the weight is"):
        ttnn.conv2d(input_tensor=x, weight_tensor=ttnn.from_torch(weight[:4]), device=device, in_channels=8, out_channels=8,
                    batch_size=2, input_height=9, input_width=11, kernel_size=(3, 3))


def test_transposed_convolution_and_pools(device):
    picture, weight = torch.randn(1, 6, 5, 7), torch.randn(6, 4, 3, 3)
    x = on(device, picture.permute(0, 2, 3, 1).reshape(1, 1, -1, 6))
    made, size = ttnn.conv_transpose2d(input_tensor=x, weight_tensor=ttnn.from_torch(weight, dtype=ttnn.bfloat16), device=device, in_channels=6,
                                       out_channels=4, batch_size=1, input_height=5, input_width=7, kernel_size=(3, 3), stride=(2, 2),
                                       padding=(1, 1), output_padding=(1, 1), return_output_dim=True)
    expected = torch.nn.functional.conv_transpose2d(picture, weight, None, 2, 1, 1)
    got = ttnn.to_torch(made).float().reshape(1, *size, 4).permute(0, 3, 1, 2)
    assert got.shape == expected.shape and (got - expected).abs().max() < 0.03 * expected.abs().max()
    for pool, torch_pool in ((ttnn.max_pool2d, torch.nn.functional.max_pool2d), (ttnn.avg_pool2d, torch.nn.functional.avg_pool2d)):
        got = ttnn.to_torch(pool(x, 1, 5, 7, 6, (3, 3), (2, 2), (1, 1))).float().reshape(1, 3, 4, 6).permute(0, 3, 1, 2)
        assert (got - torch_pool(picture, 3, 2, 1)).abs().max() < 0.03


def test_reports(device, tmp_path):
    x = on(device, torch.randn(64, 64))
    kernel = ttnn.WormholeComputeKernelConfig(math_fidelity=ttnn.MathFidelity.LoFi)
    ttnn.to_torch(ttnn.matmul(ttnn.add(x, x), x, compute_kernel_config=kernel))
    report = device.report()
    rows = {row["op"]: row for row in report["ops"]}
    assert rows["ttnn.matmul"]["calls"] == 1 and rows["ttnn.add"]["bytes"] == 3 * 64 * 64 * 2
    assert abs(sum(row["share"] for row in report["ops"]) - 1) < 1e-6 and "ttnn.matmul" in str(report)
    device.write_ops_csv(tmp_path / "ops.csv")
    with open(tmp_path / "ops.csv", encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    assert [line["OP CODE"] for line in lines] == ["BinaryDeviceOperation", "Matmul"]
    assert lines[1]["INPUT_0_Y_PAD[LOGICAL]"] == "64[64]" and lines[1]["INPUT_0_MEMORY"] == "DEV_0_DRAM_INTERLEAVED"
    assert [line["MATH FIDELITY"] for line in lines] == ["HiFi4", "LoFi"]
    device.write_visualizer(tmp_path / "report")
    with sqlite3.connect(tmp_path / "report" / "db.sqlite") as database:
        assert [row[0] for row in database.execute("SELECT name FROM operations")] == ["ttnn.add", "ttnn.matmul"]
        assert database.execute("SELECT count(*) FROM input_tensors").fetchone() == (4,)


def test_parts_that_the_host_computes(device):
    x = on(device, torch.randn(32, 32))
    ttnn.frac(x)
    assert device.report()["host_steps"] == {"ttnn.frac": ["truncate"]}
    assert "ttnn.frac: the host computes truncate, in no simulated time" in str(device.report())
    reads = device.report()["transfers"]["reads"]
    ttnn.isnan(x)  # an op of the host: its transfers take time
    assert device.report()["transfers"]["reads"] == reads + 1 and device.report()["hidden"]["fallback"] == {"ttnn.isnan": 1}
