"""A small residual network for images, with settings typical of CNNs."""
import os

import pybuda
import torch
from torch import nn

os.environ["PYBUDA_RIBBON2"] = "1"
compiler_cfg = pybuda.config._get_global_compiler_config()
compiler_cfg.balancer_policy = "Ribbon"
compiler_cfg.default_df_override = pybuda._C.DataFormat.Float16_b
compiler_cfg.enable_auto_transposing_placement = True


class Block(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(channels, channels, 3, padding=1, bias=False), nn.BatchNorm2d(channels),
                                  nn.ReLU(), nn.Conv2d(channels, channels, 3, padding=1), nn.BatchNorm2d(channels))

    def forward(self, x):
        return torch.relu(x + self.body(x))


net = nn.Sequential(nn.Conv2d(3, 32, 7, 2, 3), nn.ReLU(), nn.MaxPool2d(3, 2, 1), Block(32), Block(32),
                    nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 10)).eval()
module = pybuda.PyTorchModule("pt_cnn", net)
picture = torch.rand(1, 3, 64, 64)
output = pybuda.run_inference(module, inputs=[(picture,)]).get()[0].value()
print("class", int(output.argmax()), "of torch", int(module.cpu_eval_forward(picture)[0].argmax()))
