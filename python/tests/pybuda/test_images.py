"""Device images, written and loaded, and several as one."""
import pybuda
import pytest
import torch
import ttsim
from modules import Add, TwoProducts, close
from pybuda.tools import tti_merge
from pybuda.verify import VerifyConfig, verify_module

ARCH, DEVTYPE = pybuda.BackendDevice.Wormhole_B0, pybuda.BackendType.Silicon


def image(path, module, inputs):
    device = pybuda.TTDevice("tt0", arch=ARCH, devtype=DEVTYPE)
    device.place_module(module)
    return device.compile_to_image(img_path=str(path), sample_inputs=inputs)


@pytest.mark.parametrize("batch", [1, 3])
def test_an_image_runs_as_its_module(tmp_path, capsys, batch):
    module = TwoProducts("product")
    a, b = torch.rand(batch, 32, 64), torch.rand(batch, 32, 64)
    made = image(tmp_path / "m.tti", module, (a, b))
    assert made.get_input_shapes() == [[batch, 32, 64]] * 2
    loaded = pybuda.TTDeviceImage.load_from_disk(str(tmp_path / "m.tti"))
    loaded.info()
    assert "BackendDevice.Wormhole_B0" in capsys.readouterr().out
    pybuda.pybuda_reset()
    device = pybuda.TTDevice.load_image(img=loaded)
    assert device.device_mode == pybuda.DeviceMode.RunOnly
    device.push_to_inputs([a, b])
    outputs = pybuda.run_inference(_verify_cfg=pybuda.VerifyConfig()).get()  # of which it has no module: a warning
    assert all(close(got, want) for got, want in zip(outputs, module.reference(a, b)))


def test_a_torch_module_in_an_image(tmp_path):
    net = torch.nn.Sequential(torch.nn.Linear(64, 32), torch.nn.ReLU()).eval()
    x = torch.randn(1, 16, 64)
    want = net(x)
    image(tmp_path / "net.tti", pybuda.PyTorchModule("net", net), (x,))
    pybuda.pybuda_reset()
    device = pybuda.TTDevice.load_image(img_path=str(tmp_path / "net.tti"))
    device.push_to_inputs(x)
    assert close(pybuda.run_inference().get()[0], want)


@pytest.mark.parametrize("batch", [1, 3])
def test_verification_through_an_image(tmp_path, batch):
    module, path = TwoProducts("through"), str(tmp_path / "through")
    limits = {"tti_path": path, "arch": ARCH}
    shapes = [(batch, 32, 64)] * 2
    verify_module(module, shapes, VerifyConfig(**limits, devmode=pybuda.DeviceMode.CompileOnly))
    assert pybuda.TTDeviceImage.load_from_disk(path + ".tti").get_input_shapes() == [list(shapes[0])] * 2
    seen = []
    for mode in (pybuda.DeviceMode.RunOnly, pybuda.DeviceMode.CompileAndRun):
        pybuda.pybuda_reset()
        verify_module(module, shapes, VerifyConfig(**limits, devmode=mode, microbatch_count=2,
                                                   golden_compare_callback=lambda *_: seen.append(1)))
    assert len(seen) == 8
    pybuda.pybuda_reset()
    other = TwoProducts("other")
    other.weights1.set_value(-module.weights1.value())
    with pytest.raises(RuntimeError, match="differs"):  # it is the image that runs
        verify_module(other, shapes, VerifyConfig(**limits, devmode=pybuda.DeviceMode.RunOnly))
    pybuda.pybuda_reset()
    with pytest.raises(RuntimeError, match="an image has one TTDevice"):
        verify_module(pybuda.PyTorchModule("cpu", torch.nn.ReLU()), [(1, 4, 4)], VerifyConfig(**limits),
                      device_type="CPUDevice")


@pytest.mark.parametrize("devtype", [pybuda.BackendType.Golden, pybuda.BackendType.Silicon, pybuda.BackendType.Versim])
def test_an_image_is_for_a_type_of_device(tmp_path, capsys, devtype):
    device = pybuda.TTDevice("tt0", arch=ARCH, devtype=devtype, module=Add("a"))
    x = torch.rand(1, 32, 32)
    made = device.compile_to_image(img_path=str(tmp_path / "a.tti"), sample_inputs=(x, x))
    made.info()
    assert made.devtype == devtype and f"BackendType.{devtype.name}" in capsys.readouterr().out
    pybuda.pybuda_reset()
    assert pybuda.TTDevice.load_image(img=made).devtype == devtype
    with pytest.raises(ttsim.InputError, match="unknown device type 'Card'; expected one of Golden,"):
        made.compiled.write(str(tmp_path / "b.tti"), "Card")


def test_what_an_image_says(tmp_path):
    device = pybuda.TTDevice("my_device", arch=ARCH, devtype=DEVTYPE, module=TwoProducts("m"))
    made = device.compile_to_image(img_path=str(tmp_path / "m.tti"), sample_inputs=(torch.rand(3, 32, 64),) * 2)
    assert (made.device_image_name, made.chip_ids, made.version) == ("my_device", [0], "1.1.0")
    assert made.compiled_graph_state.ordered_input_names == ["a", "b"]
    assert made.compiled_graph_state.ordered_output_names == ["m.output_sum", "m.output_gelu"]
    assert not made.is_compiled_for_training() and made.get_target_shapes() == []
    with pytest.raises(AttributeError, match="has no field 'speed'; its fields are version, device_image_name,"):
        made.speed  # noqa: B018
    pybuda.TTDeviceImage.save_to_disk(made, str(tmp_path / "copy.tti"))
    copy = pybuda.TTDeviceImage.load_from_disk(str(tmp_path / "copy.tti"), device_id_overrides=1)
    pybuda.pybuda_reset()
    assert (pybuda.TTDevice.load_image(img=copy).name, pybuda.get_tenstorrent_device().chip_ids) == ("my_device", [1])


def test_what_an_image_needs(tmp_path):
    with pytest.raises(AssertionError, match="explicit arch= and devtype="):
        pybuda.TTDevice("tt0", module=Add("a")).compile_to_image(img_path=str(tmp_path / "m.tti"))
    with pytest.raises(AssertionError, match="either img= or img_path="):
        pybuda.TTDevice.load_image()


class Words(torch.nn.Module):
    """Token ids to the most likely next ones: the host looks up, and counts with integers behind the chip."""

    def __init__(self):
        super().__init__()
        self.words, self.out = torch.nn.Embedding(10, 32), torch.nn.Linear(32, 16)

    def forward(self, ids, scale):
        scores = self.out(self.words(ids) * scale)
        return torch.cummax(scores, -1)[0], scores


@pytest.mark.parametrize("batch", [1, 3])
def test_what_the_host_computes_is_in_the_image(tmp_path, batch):
    net = Words().eval()
    ids, scale = torch.randint(0, 10, (batch, 4)), torch.rand(batch, 4, 1)
    with pytest.warns(UserWarning, match="cummax"):
        made = image(tmp_path / "words.tti", pybuda.PyTorchModule("words", net), (ids, scale))
    assert made.get_input_shapes() == [[batch, 4], [batch, 4, 1]]
    pybuda.pybuda_reset()
    device = pybuda.TTDevice.load_image(img_path=str(tmp_path / "words.tti"))
    for given in (ids, (ids + 1) % 10):
        device.push_to_inputs(given, scale)
        outputs = pybuda.run_inference().get()
        assert all(close(got, want) for got, want in zip(outputs, net(given, scale), strict=True))
    assert outputs[0].value().dtype == torch.bfloat16


def test_an_image_of_a_model_with_embeddings(tmp_path):
    from transformers import BertConfig, BertModel
    torch.manual_seed(0)
    sizes = {"hidden_size": 64, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 64}
    model = BertModel(BertConfig(**sizes, vocab_size=50), add_pooling_layer=False).eval()
    ids = torch.randint(0, 50, (1, 32))
    image(tmp_path / "bert.tti", pybuda.PyTorchModule("bert", model), (ids,))
    pybuda.pybuda_reset()
    device = pybuda.TTDevice.load_image(img=pybuda.TTDeviceImage.load_from_disk(str(tmp_path / "bert.tti")))
    device.push_to_inputs(ids)
    assert close(pybuda.run_inference().get()[0], model(ids).last_hidden_state, 0.05)


def test_images_are_merged(tmp_path, capsys):
    x = torch.rand(1, 32, 64)
    for name in ("one", "two"):
        pybuda.pybuda_reset()
        image(tmp_path / f"{name}.tti", Add(name), (x, x))
    path = tti_merge.merge_models(str(tmp_path), ["one", "two"], "wormhole_b0", str(tmp_path / "all.tti"))
    assert len(pybuda.TTDeviceImage.load_from_disk(path).get_input_shapes()) == 4
    tti_merge.main(["-mbl", str(tmp_path), "-mdl", "one", "two", "-mml", str(tmp_path / "more.tti")])
    assert (tmp_path / "more.tti").stat().st_size == (tmp_path / "all.tti").stat().st_size
    assert "channel" in capsys.readouterr().out.lower()
