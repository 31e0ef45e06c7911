"""Compiles a model into a device image, then runs the image."""
import tempfile

import pybuda
import torch

path = tempfile.mkdtemp() + "/net.tti"
net = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.GELU()).eval()
pybuda.set_configuration_options(device_config="wh_n150")
tt0 = pybuda.TTDevice("tt0", arch=pybuda.BackendDevice.Wormhole_B0, devtype=pybuda.BackendType.Silicon)
tt0.place_module(pybuda.PyTorchModule("net", net))
tt0.compile_to_image(img_path=path, sample_inputs=(torch.rand(1, 32, 64),))
pybuda.pybuda_reset()

img = pybuda.TTDeviceImage.load_from_disk(path)
img.info()
device = pybuda.TTDevice.load_image(img=img)
device.push_to_inputs([torch.rand(shape) for shape in img.get_input_shapes()])
print(pybuda.run_inference().get()[0].value().shape)
