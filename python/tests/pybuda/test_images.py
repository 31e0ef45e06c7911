"""Device images, written and loaded, and several as one."""
import pybuda
import pytest
import torch
from modules import Add, TwoProducts, close
from pybuda.tools import tti_merge

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
    outputs = pybuda.run_inference().get()
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


def test_what_an_image_needs(tmp_path):
    with pytest.raises(AssertionError, match="explicit arch= and devtype="):
        pybuda.TTDevice("tt0", module=Add("a")).compile_to_image(img_path=str(tmp_path / "m.tti"))
    with pytest.raises(AssertionError, match="one of both"):
        pybuda.TTDevice.load_image()
    pybuda.pybuda_reset()
    with pytest.raises(RuntimeError, match="torch on the host"):
        image(tmp_path / "m.tti", pybuda.PyTorchModule("t", torch.nn.Sequential(
            torch.nn.Embedding(10, 32), torch.nn.Linear(32, 32))), (torch.zeros(1, 4, dtype=torch.int64),))


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
