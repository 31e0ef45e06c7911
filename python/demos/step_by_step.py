"""A pipeline step by step: compile, push, run, read, and change the weights."""
import pybuda
import torch

net = torch.nn.Linear(64, 64)
tt0 = pybuda.TTDevice("tt0", module=pybuda.PyTorchModule("linear", net))
x = torch.randn(2, 32, 64)
output_q = pybuda.initialize_pipeline(training=False, sample_inputs=(x,))
for scale in (1.0, -1.0):
    weights = pybuda.get_parameter_checkpoint(device=tt0)[0]
    pybuda.update_device_parameters(tt0, [{name: value.value() * scale for name, value in weights.items()}])
    tt0.push_to_inputs(x)
    pybuda.run_forward(input_count=1)
    print("sum", float(output_q.get()[0].value().float().sum()))
pybuda.shutdown()
