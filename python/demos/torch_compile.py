"""Uses the chip as a backend of torch.compile."""
import pybuda
import torch

net = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 8)).eval()
compiled = torch.compile(net, backend=pybuda.compile_torch)
x = torch.randn(4, 64)
with torch.no_grad():
    print("largest difference:", float((compiled(x) - net(x)).abs().max()))
