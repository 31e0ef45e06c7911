"""Programs as users of ttnn write them: models in a few ops, memory configs, meshes, traces, tools."""
import pytest
import torch
import ttnn


def pcc(a, b):
    return float(torch.corrcoef(torch.stack([a.float().flatten(), b.float().flatten()]))[0, 1])


def on(device, values, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, **keywords):
    return ttnn.from_torch(values, dtype=dtype, layout=layout, device=device, **keywords)


def test_matmul_with_memory_and_program_configs(device):
    a, b = torch.randn(1, 1, 128, 64), torch.randn(1, 1, 64, 96)
    x = on(device, a, memory_config=ttnn.L1_MEMORY_CONFIG)
    config = ttnn.MatmulMultiCoreReuseMultiCastProgramConfig(
        compute_with_storage_grid_size=(8, 8), in0_block_w=2, out_subblock_h=1, out_subblock_w=1, per_core_M=4, per_core_N=3,
        transpose_mcast=False, fused_activation=None)
    kernel = ttnn.WormholeComputeKernelConfig(math_fidelity=ttnn.MathFidelity.HiFi2, math_approx_mode=True, fp32_dest_acc_en=False)
    made = ttnn.matmul(x, on(device, b), memory_config=ttnn.L1_MEMORY_CONFIG, dtype=ttnn.bfloat16, program_config=config,
                       compute_kernel_config=kernel)
    assert made.memory_config() == ttnn.L1_MEMORY_CONFIG and pcc(ttnn.to_torch(made), a @ b) > 0.999
    again = ttnn.matmul(x, on(device, b), core_grid=ttnn.CoreGrid(y=4, x=4))
    assert again.memory_config() == ttnn.DRAM_MEMORY_CONFIG and pcc(ttnn.to_torch(again), a @ b) > 0.999
    assert torch.equal(ttnn.to_torch(x @ on(device, b)), ttnn.to_torch(again))


class Mlp(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = torch.nn.LayerNorm(64)
        self.layers = torch.nn.ModuleList([torch.nn.Linear(64, 96), torch.nn.Linear(96, 64, bias=False)])
        self.table = torch.nn.Embedding(40, 64)

    def forward(self, ids):
        x = self.norm(self.table(ids))
        return self.layers[1](torch.relu(self.layers[0](x))) + x


def test_a_model_with_preprocessed_parameters(device):
    torch.manual_seed(0)
    model = Mlp()
    parameters = ttnn.model_preprocessing.preprocess_model_parameters(
        initialize_model=lambda: model, device=device, convert_to_ttnn=lambda module, name: True)
    assert parameters.layers[0].weight.shape == [64, 96] and parameters.layers[0].bias.shape == [1, 96] and "bias" not in parameters.layers[1]
    ids = torch.randint(0, 40, (2, 32))
    x = ttnn.embedding(on(device, ids, ttnn.uint32, ttnn.ROW_MAJOR_LAYOUT), parameters.table.weight, layout=ttnn.TILE_LAYOUT)
    x = ttnn.layer_norm(x, weight=parameters.norm.weight, bias=parameters.norm.bias, epsilon=1e-5)
    hidden = ttnn.linear(x, parameters.layers[0].weight, bias=parameters.layers[0].bias, activation="relu",
                         core_grid=ttnn.CoreGrid(y=2, x=2))
    made = ttnn.add(ttnn.linear(hidden, parameters.layers[1].weight), x)
    with torch.no_grad():
        assert pcc(ttnn.to_torch(made), model(ids)) > 0.999
    with pytest.raises(AttributeError, match="no parameter 'scale'; there are weight, bias"):
        parameters.norm.scale  # noqa: B018
    host = ttnn.model_preprocessing.preprocess_model_parameters(
        initialize_model=lambda: model, custom_preprocessor=lambda module, name: {"own": module.weight.detach()} if name == "norm" else {},
        convert_to_ttnn=lambda module, name: name != "layers.0")
    assert host.norm.own.shape == (64,) and isinstance(host.layers[0].weight, torch.Tensor) and isinstance(host.table.weight, ttnn.Tensor)


def test_attention(device):
    torch.manual_seed(0)
    heads, width, length = 2, 64, 32
    hidden, weight, mask = torch.randn(1, length, width), torch.randn(width, 3 * width) / 8, torch.zeros(1, 1, 1, length)
    mask[..., 20:] = -1e4
    fused = ttnn.linear(on(device, hidden), on(device, weight), memory_config=ttnn.L1_MEMORY_CONFIG)
    query, key, value = ttnn.transformer.split_query_key_value_and_split_heads(fused, memory_config=ttnn.L1_MEMORY_CONFIG,
                                                                              num_heads=heads)
    ttnn.deallocate(fused)
    scores = ttnn.matmul(query, key)
    probabilities = ttnn.transformer.attention_softmax_(scores, attention_mask=on(device, mask), head_size=width // heads)
    made = ttnn.transformer.concatenate_heads(ttnn.matmul(probabilities, value))
    q, k, v = ((hidden @ weight)[..., n * width:(n + 1) * width].reshape(1, length, heads, -1).transpose(1, 2) for n in range(3))
    expected = (torch.softmax(q @ k.transpose(-1, -2) / (width // heads) ** 0.5 + mask, -1) @ v).transpose(1, 2).reshape(1, length, width)
    assert pcc(ttnn.to_torch(made), expected) > 0.998


def test_convolution_and_pool_with_configs(device):
    picture, weight, bias = torch.randn(1, 16, 8, 8), torch.randn(32, 16, 3, 3) / 12, torch.randn(1, 1, 1, 32)
    x = on(device, picture.permute(0, 2, 3, 1), layout=ttnn.ROW_MAJOR_LAYOUT)
    config = ttnn.Conv2dConfig(dtype=ttnn.bfloat16, weights_dtype=ttnn.bfloat16, activation="relu",
                               shard_layout=ttnn.TensorMemoryLayout.HEIGHT_SHARDED, deallocate_activation=False)
    made, (height, width), (kept, _) = ttnn.conv2d(
        input_tensor=x, weight_tensor=ttnn.from_torch(weight, ttnn.bfloat16), bias_tensor=ttnn.from_torch(bias, ttnn.bfloat16),
        device=device, in_channels=16, out_channels=32, batch_size=1, input_height=8, input_width=8, kernel_size=(3, 3), stride=(1, 1),
        padding=(1, 1), dilation=(1, 1), groups=1, conv_config=config,
        compute_config=ttnn.init_device_compute_kernel_config(device.arch(), math_fidelity=ttnn.MathFidelity.HiFi4),
        return_output_dim=True, return_weights_and_bias=True)
    expected = torch.relu(torch.nn.functional.conv2d(picture, weight, bias.flatten(), padding=1))
    assert (height, width) == (8, 8) and kept.shape == [32, 16, 3, 3]
    assert pcc(ttnn.to_torch(made).reshape(1, 8, 8, 32).permute(0, 3, 1, 2), expected) > 0.998
    pooled = ttnn.max_pool2d(input_tensor=made, batch_size=1, input_h=8, input_w=8, channels=32, kernel_size=[2, 2], stride=[2, 2],
                             padding=[0, 0], dilation=[1, 1], applied_shard_scheme=ttnn.TensorMemoryLayout.HEIGHT_SHARDED)
    assert pcc(ttnn.to_torch(pooled).reshape(1, 4, 4, 32).permute(0, 3, 1, 2), torch.nn.functional.max_pool2d(expected, 2)) > 0.998
    relu = ttnn.linear(on(device, torch.randn(32, 32)), on(device, torch.randn(32, 32)), activation=ttnn.UnaryWithParam(ttnn.UnaryOpType.RELU))
    assert float(ttnn.to_torch(relu).min()) == 0


def test_normalization_in_shards(device):
    values = torch.randn(1, 1, 64, 128)
    place = ttnn.create_sharded_memory_config((1, 1, 64, 128), core_grid=ttnn.CoreGrid(y=2, x=4), strategy=ttnn.ShardStrategy.BLOCK,
                                              orientation=ttnn.ShardOrientation.ROW_MAJOR)
    x = ttnn.to_memory_config(on(device, values), place)
    config = ttnn.LayerNormShardedMultiCoreProgramConfig(compute_with_storage_grid_size=[4, 2], subblock_w=1, block_h=1, block_w=1, inplace=False)
    made = ttnn.layer_norm(x, epsilon=1e-5, memory_config=place, program_config=config)
    assert made.is_sharded() and made.memory_config() == place
    assert pcc(ttnn.to_torch(made), torch.nn.functional.layer_norm(values, (128,))) > 0.999


def test_slices_and_indices(device):
    values = torch.randn(2, 3, 40, 70)
    x = on(device, values)
    rounded = values.bfloat16()
    for index in ((0,), (slice(None), 1), (..., slice(0, 32)), (1, 2, slice(3, 17), slice(5, 70, 3)), (slice(None), slice(0, 1))):
        assert torch.equal(ttnn.to_torch(x[index]), rounded[index])
    assert torch.equal(ttnn.to_torch(ttnn.slice(x, [0, 0, 0, 0], [1, 3, 32, 64])), rounded[:1, :, :32, :64])
    assert torch.equal(ttnn.to_torch(ttnn.slice(x, (0, 1, 0, 0), (2, 3, 40, 70), (1, 1, 2, 2))), rounded[:, 1:, ::2, ::2])
    assert [ttnn.to_torch(one).shape for one in ttnn.split(x, 20, 2)] == [(2, 3, 20, 70)] * 2
    with pytest.raises(ValueError, match=r"ttnn.getitem: got bfloat16\[2, 3, 40, 70\]"):
        x[5]


def test_meshes_of_one_device():
    mesh = ttnn.open_mesh_device(ttnn.MeshShape(1, 1), device_id=11)
    values = torch.randn(1, 1, 32, 64)
    for mapper in (ttnn.ReplicateTensorToMesh(mesh), ttnn.ShardTensorToMesh(mesh, dim=3), ttnn.ShardTensor2dMesh(mesh, (1, 1), (2, 3))):
        x = ttnn.from_torch(values, ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=mesh, mesh_mapper=mapper)
        made = ttnn.all_gather(ttnn.gelu(x), dim=3, num_links=1, topology=ttnn.Topology.Linear)
        assert len(ttnn.get_device_tensors(made)) == 1 == mesh.get_num_devices()
        back = ttnn.to_torch(made, mesh_composer=ttnn.ConcatMeshToTensor(mesh, dim=0))
        assert back.shape == values.shape
    ttnn.close_mesh_device(mesh)
    with pytest.raises(NotImplementedError, match="one device here"):
        ttnn.open_mesh_device(ttnn.MeshShape(2, 4))
    with pytest.raises(NotImplementedError, match="ttnn.open_device"):
        ttnn.ShardTensor2dMesh(mesh, (2, 4), (0, 1))


def test_shapes():
    shape = ttnn.Shape([1, 1, 30, 70])
    assert shape == [1, 1, 30, 70] and shape == (1, 1, 30, 70) and shape != [1, 1, 30, 71] and shape[-1] == 70 and list(shape[2:]) == [30, 70]
    assert ttnn.pad_to_tile_shape([1, 1, 30, 70]) == [1, 1, 32, 96] == shape.with_tile_padding()
    assert ttnn.Shape([30, 70]).to_rank(4) == shape and shape.to_rank(2) == [30, 70] and {shape: 1}[ttnn.Shape([1, 1, 30, 70])] == 1
    x = ttnn.from_torch(torch.ones(30, 70), ttnn.bfloat16)
    assert x.pad_to_tile(0.0).shape == [32, 96] and x.pad_to_tile(0.0).unpad_from_tile([30, 70]).shape == [30, 70]


def test_traces(device):
    weight = on(device, torch.randn(64, 64) / 8)
    x = on(device, torch.zeros(32, 64))

    def model(x):
        hidden = ttnn.relu(ttnn.matmul(x, weight))
        total = ttnn.add(hidden, 1.0)
        ttnn.deallocate(hidden)
        ttnn.multiply_(total, 2.0)
        return total
    model(x)
    trace = ttnn.begin_trace_capture(device, cq_id=0)
    made = model(x)
    ttnn.end_trace_capture(device, trace, cq_id=0)
    for seed in range(2):
        values = torch.randn(32, 64, generator=torch.Generator().manual_seed(seed))
        ttnn.copy_host_to_device_tensor(ttnn.from_torch(values, ttnn.bfloat16, layout=ttnn.TILE_LAYOUT), x)
        before = device.session.host_cycles
        ttnn.execute_trace(device, trace, cq_id=0, blocking=False)
        assert device.session.host_cycles - before == 1530  # one command, `enqueue` of configs/launch.yaml
        assert torch.equal(ttnn.to_torch(made), ttnn.to_torch(model(on(device, values))))
    used = device.report()["memory"]["DRAM"]["used"]
    ttnn.execute_trace(device, trace)
    assert device.report()["memory"]["DRAM"]["used"] == used
    ttnn.release_trace(device, trace)
    with pytest.raises(RuntimeError, match="begin_trace_capture"):
        ttnn.execute_trace(device, trace)
    trace = ttnn.begin_trace_capture(device, cq_id=0)
    with pytest.raises(RuntimeError, match="recorded already"):
        ttnn.begin_trace_capture(device)
    with pytest.raises(RuntimeError, match="not part of a trace"):
        ttnn.to_torch(x)
    ttnn.end_trace_capture(device, trace)


def test_own_operations(device):
    @ttnn.register_python_operation(name="my.scaled_add", golden_function=lambda a, b, scale: a + scale * b)
    def scaled_add(a, b, scale):
        """a + scale * b."""
        return ttnn.add(a, ttnn.multiply(b, scale))
    x = on(device, torch.randn(32, 32))
    ttnn.graph.begin_graph_capture(ttnn.graph.RunMode.NO_DISPATCH)
    scaled_add(x, x, scale=2.0)
    assert ttnn.graph.extract_calltrace(ttnn.graph.end_graph_capture()) == ["my.scaled_add", "ttnn.multiply", "ttnn.add"]
    assert torch.equal(ttnn.get_golden_function(scaled_add)(torch.ones(2), torch.ones(2), 3), torch.full((2,), 4.0))
    with ttnn.manage_config("enable_comparison_mode", True), ttnn.manage_config("comparison_mode_should_raise_exception", True):
        scaled_add(x, x, scale=2.0)
        assert ttnn.CONFIG.comparisons[-1][0] == "my.scaled_add" and ttnn.CONFIG.comparisons[-1][1] > 0.999
        ttnn.attach_golden_function(scaled_add, golden_function=lambda a, b, scale: torch.rand_like(a))
        with pytest.raises(RuntimeError, match="my.scaled_add: correlation"):
            scaled_add(x, x, scale=2.0)
    with pytest.raises(RuntimeError, match="attach_golden_function"):
        ttnn.get_golden_function(ttnn.open_device)


def test_graphs_of_calls(device, tmp_path):
    x = on(device, torch.randn(32, 64))
    with ttnn.tracer.trace():
        y = ttnn.softmax(ttnn.add(x, x), dim=-1)
        ttnn.exp(x)
    text = ttnn.tracer.visualize(y, file_name=tmp_path / "graph.dot")
    assert (tmp_path / "graph.dot").read_text() == text and not ttnn.tracer.is_tracing_enabled()
    assert '"ttnn.add"' in text and '"ttnn.softmax"' in text and "ttnn.exp" not in text and "call0 -> call1" in text


def test_managed_devices_files_and_events(tmp_path):
    with ttnn.manage_device(device_id=12, l1_small_size=16384) as device:
        x = on(device, torch.randn(5, 7))
        ttnn.dump_tensor(tmp_path / "x.tensorbin", x)
        again = ttnn.load_tensor(tmp_path / "x.tensorbin", device=device)
        assert torch.equal(ttnn.to_torch(again), ttnn.to_torch(x)) and again.layout == x.layout
        event = ttnn.record_event(device, 0)
        ttnn.wait_for_event(1, event)
        ttnn.synchronize_device(device)
    assert not device.is_open


def test_names_that_are_not_available():
    for name in ("generic_op", "conv3d", "add_bw", "moreh_adam", "randn"):
        with pytest.raises(NotImplementedError, match=rf"ttnn.{name} is not available in the simulator: \w+"):
            getattr(ttnn, name)()
    with pytest.raises(NotImplementedError, match="use ttnn.update_cache"):
        ttnn.experimental.paged_update_cache()
    with pytest.raises(NotImplementedError, match="preprocess_model_parameters"):
        ttnn.model_preprocessing.preprocess_model()
    with pytest.raises(AttributeError, match="did you mean"):
        ttnn.transformer.concat_heads  # noqa: B018


def test_forms_of_calls(device):
    values = torch.randn(1, 1, 32, 64)
    x, rounded = on(device, values), values.bfloat16().float()
    assert torch.equal(ttnn.to_torch(ttnn.pad(x, [1, 1, 64, 96], [0, 0, 0, 0], 1.5)),
                       torch.nn.functional.pad(values.bfloat16(), (0, 32, 0, 32), value=1.5))
    assert torch.equal(ttnn.to_torch(ttnn.slice(x, starts=(0, 0, 0, 32), ends=(1, 1, 32, 64), steps=(1, 1, 1, 1))), values.bfloat16()[..., 32:])
    made = ttnn.multiply(x, x, input_tensor_a_activations=[ttnn.UnaryOpType.SILU])
    assert pcc(ttnn.to_torch(made), torch.nn.functional.silu(rounded) * rounded) > 0.999
    weight = on(device, torch.randn(64, 32))
    config = ttnn.MatmulMultiCoreReuseMultiCast1DProgramConfig(compute_with_storage_grid_size=(8, 8), fused_activation=(ttnn.UnaryOpType.RELU, True))
    assert float(ttnn.to_torch(ttnn.linear(x, weight, program_config=config)).min()) == 0
    with pytest.raises(ValueError, match="there is no activation 'sill'; did you mean silu"):
        ttnn.multiply(x, x, input_tensor_a_activations=["sill"])
    rows = ttnn.from_torch(torch.ones(1, 1, 2, 32), ttnn.bfloat16, device=device)  # weights in ROW_MAJOR
    norm = torch.nn.functional.layer_norm(rounded, (64,))
    assert pcc(ttnn.to_torch(ttnn.layer_norm(x, weight=rows, epsilon=1e-5)), norm) > 0.999
    assert ttnn.layer_norm(x, weight=rows, epsilon=1e-5, inplace=True) is x and pcc(ttnn.to_torch(x), norm) > 0.999
    assert ttnn.Tensor([1.0, 2.0], [1, 2], ttnn.bfloat16, ttnn.ROW_MAJOR_LAYOUT, device).to_list() == [[1.0, 2.0]]
    assert device.id() == device.id == 0
    with pytest.raises(AttributeError, match="its group is moreh"):
        ttnn.operations.normalization  # noqa: B018


def test_older_forms(device):
    cache = on(device, torch.zeros(1, 2, 64, 32))
    ttnn.kv_cache.fill_cache_for_user_(cache, on(device, torch.ones(1, 2, 32, 32)), 0)
    ttnn.kv_cache.update_cache_for_token_(cache, on(device, torch.full((1, 2, 1, 32), 2.0)), 40)
    rows = ttnn.to_torch(cache)[0, 1, :, 0]
    assert rows[:32].tolist() == [1] * 32 and rows[40] == 2 and rows.sum() == 34
    weight = ttnn.from_torch(torch.randn(12, 8, 3, 3), ttnn.bfloat16)
    assert ttnn.prepare_conv_weights(weight_tensor=weight, weights_format="OIHW", in_channels=8, device=device) is weight
    assert torch.equal(ttnn.to_torch(abs(-cache)), ttnn.to_torch(cache))
    assert torch.equal(ttnn.to_torch(ttnn.moreh_sum(cache, dim=-1)), ttnn.to_torch(ttnn.sum(cache, dim=-1)))
    with pytest.raises(AttributeError, match="it is ttnn.softmax"):
        ttnn.experimental.softmax  # noqa: B018
    with pytest.raises(NotImplementedError, match="which broadcast"):
        ttnn.bcast()
