"""Formats of the whole model, of op types and of single ops, and their cost."""
import pybuda
import torch

net = torch.nn.Sequential(*(torch.nn.Linear(256, 256) for _ in range(4))).eval()
x = torch.randn(1, 128, 256)
for name in ("Float16_b", "Bfp8_b", "mixed"):
    pybuda.pybuda_reset()
    if name == "mixed":
        pybuda.config.configure_mixed_precision(op_type="matmul", output_df=pybuda.DataFormat.Bfp8_b,
                                                math_fidelity=pybuda.MathFidelity.HiFi2)
    else:
        pybuda.set_configuration_options(default_df_override=pybuda.DataFormat[name])
    module = pybuda.PyTorchModule("net", net)
    output = pybuda.run_inference(module, inputs=[(x,)]).get()[0].value()
    pcc = pybuda.op.eval.calculate_pcc(module.cpu_eval_forward(x)[0], output)
    print(f"{name:10} correlation {pcc:.5f}, {pybuda.get_report().inputs_per_second:.0f} inputs/s")
