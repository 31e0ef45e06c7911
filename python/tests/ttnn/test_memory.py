"""Places of tensors: L1 beside DRAM, shards in the L1 of named cores, the map of memory."""
import pytest
import torch
import ttnn


def on(device, values, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, **keywords):
    return ttnn.from_torch(values, dtype=dtype, layout=layout, device=device, **keywords)


def cycles(device, call):
    """Cycles of a call's program and its result."""
    made = call()
    return device.launches[-1].program.cycles, made


def test_ops_on_l1_are_faster_and_have_the_same_bits(device):
    x = on(device, torch.randn(256, 512))
    slow, expected = cycles(device, lambda: ttnn.relu(x))
    shards = ttnn.create_sharded_memory_config((256, 512), ttnn.CoreGrid(y=8, x=1), ttnn.ShardStrategy.HEIGHT)
    for place in (ttnn.L1_MEMORY_CONFIG, shards, ttnn.L1_BLOCK_SHARDED_MEMORY_CONFIG):
        y = ttnn.to_memory_config(x, place)
        fast, made = cycles(device, lambda y=y, place=place: ttnn.relu(y, memory_config=place))
        assert fast < slow and torch.equal(ttnn.to_torch(made), ttnn.to_torch(expected)) and made.memory_config().in_l1
        mixed, made = cycles(device, lambda y=y: ttnn.relu(y))
        assert fast <= mixed < slow and made.memory_config() == ttnn.DRAM_MEMORY_CONFIG


SPECS = [
    (ttnn.ShardStrategy.HEIGHT, ttnn.CoreGrid(y=2, x=2), ttnn.ShardOrientation.ROW_MAJOR, (64, 128), "0,0 1,0 0,1 1,1"),
    (ttnn.ShardStrategy.HEIGHT, ttnn.CoreGrid(y=2, x=2), ttnn.ShardOrientation.COL_MAJOR, (64, 128), "0,0 0,1 1,0 1,1"),
    (ttnn.ShardStrategy.WIDTH, ttnn.CoreGrid(y=1, x=4), ttnn.ShardOrientation.ROW_MAJOR, (256, 32), "0,0 1,0 2,0 3,0"),
    (ttnn.ShardStrategy.BLOCK, ttnn.CoreGrid(y=4, x=2), ttnn.ShardOrientation.ROW_MAJOR, (64, 64), "0,0 1,0 0,1 1,1 0,2 1,2 0,3 1,3"),
    (ttnn.ShardStrategy.HEIGHT, ttnn.CoreRangeSet({ttnn.CoreRange(ttnn.CoreCoord(1, 2), ttnn.CoreCoord(2, 2)),
                                                   ttnn.CoreRange(ttnn.CoreCoord(5, 4), ttnn.CoreCoord(6, 4))}),
     ttnn.ShardOrientation.ROW_MAJOR, (64, 128), "1,2 2,2 5,4 6,4"),
]


@pytest.mark.parametrize("strategy, cores, orientation, shard, shown", SPECS)
def test_shards_are_in_their_cores(device, strategy, cores, orientation, shard, shown):
    place = ttnn.create_sharded_memory_config((2, 1, 128, 128), cores, strategy, orientation)
    assert place.is_sharded() and place.shard_spec.shape == shard
    values = torch.randn(2, 1, 128, 128)
    x = ttnn.to_memory_config(on(device, values), place)
    count = len(shown.split())
    assert x.is_sharded() and x.shard_spec() == place.shard_spec and f"in {count} shards on {shown}" in device.memory_map()
    info = x.buffer_info()
    assert info.pages == 2 * 4 * 4 and len(info.cores) == count
    back = ttnn.sharded_to_interleaved(x, ttnn.DRAM_MEMORY_CONFIG)
    assert not back.is_sharded() and torch.equal(ttnn.to_torch(back), values.bfloat16())
    again = ttnn.interleaved_to_sharded(back, cores, shard, place.memory_layout, orientation)
    assert again.memory_config() == place
    assert ttnn.reshard(again, ttnn.L1_HEIGHT_SHARDED_MEMORY_CONFIG).shard_spec().num_cores() == 8


def test_shards_without_a_spec_take_the_cores_that_they_fill(device):
    x = on(device, torch.randn(1, 1, 96, 160))
    for place, shape, count in ((ttnn.L1_HEIGHT_SHARDED_MEMORY_CONFIG, (32, 160), 3), (ttnn.L1_WIDTH_SHARDED_MEMORY_CONFIG, (96, 32), 5),
                                (ttnn.L1_BLOCK_SHARDED_MEMORY_CONFIG, (32, 32), 15)):
        made = ttnn.relu(x, memory_config=place)
        assert made.shard_spec().shape == shape and made.shard_spec().num_cores() == count
        assert torch.equal(ttnn.to_torch(made), torch.relu(ttnn.to_torch(x)))
    rows = on(device, torch.randn(40, 50), layout=ttnn.ROW_MAJOR_LAYOUT, memory_config=ttnn.L1_HEIGHT_SHARDED_MEMORY_CONFIG)
    assert rows.shard_spec().shape == (1, 50) and ttnn.add(rows, 1.0).layout == ttnn.ROW_MAJOR_LAYOUT


def test_errors_of_places(device):
    x = on(device, torch.randn(128, 128))
    one = ttnn.CoreRangeSet({ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(0, 0))})

    def place(shape, layout=ttnn.TensorMemoryLayout.HEIGHT_SHARDED, cores=one):
        return ttnn.MemoryConfig(layout, ttnn.BufferType.L1, ttnn.ShardSpec(cores, shape, ttnn.ShardOrientation.ROW_MAJOR))
    with pytest.raises(ValueError, match=r"ttnn.to_memory_config: \[128, 128\] in shards of \[32, 128\] has 4 of them, for 1 cores"):
        ttnn.to_memory_config(x, place([32, 128]))
    with pytest.raises(ValueError, match="ttnn.relu: in TILE layout rows and columns of a shard are multiples of 32, not .40, 128"):
        ttnn.relu(x, memory_config=place([40, 128]))
    with pytest.raises(ValueError, match="is outside of the device's grid of 8 x 9 cores"):
        ttnn.to_memory_config(x, place([128, 128], cores=ttnn.CoreGrid(y=1, x=9)))
    with pytest.raises(ValueError, match="HEIGHT_SHARDED shard of .* does not hold whole rows"):
        ttnn.to_memory_config(x, place([64, 64], cores=ttnn.CoreGrid(y=2, x=2)))
    with pytest.raises(TypeError, match="create_sharded_memory_config"):
        ttnn.interleaved_to_sharded(x, ttnn.L1_MEMORY_CONFIG)
    with pytest.raises(TypeError, match="strategy is a ttnn.ShardStrategy"):
        ttnn.create_sharded_memory_config((64, 64), ttnn.CoreGrid(y=1, x=2), ttnn.TensorMemoryLayout.HEIGHT_SHARDED)
    assert ttnn.num_cores_to_corerangeset(10, ttnn.CoreCoord(8, 8)).cores()[-1] == ttnn.CoreCoord(1, 1)
    assert ttnn.num_cores_to_corerangeset(10, (8, 8), row_wise=False).cores()[-1] == ttnn.CoreCoord(1, 1)
    with pytest.raises(ValueError, match="does not have 65 cores"):
        ttnn.num_cores_to_corerangeset(65, ttnn.CoreCoord(8, 8))
