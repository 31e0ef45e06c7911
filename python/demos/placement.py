"""Grids, places and epochs of single ops, and the resulting placement."""
import pybuda
import torch


class Chain(pybuda.PyBudaModule):
    def __init__(self, name):
        super().__init__(name)
        self.weights = [pybuda.Parameter(torch.rand(128, 128) / 16) for _ in range(3)]

    def forward(self, x):
        for place, weights in enumerate(self.weights):
            x = pybuda.op.Relu(f"relu_{place}", pybuda.op.Matmul(f"mm_{place}", x, weights))
        return x


pybuda.override_op_size("mm_0", (1, 2))
pybuda.config.override_op_placement("mm_1", start=(2, 2))
pybuda.set_epoch_break(["mm_2"])
pybuda.run_inference(Chain("chain"), inputs=[torch.rand(1, 128, 128)]).get()
solution = pybuda.get_tenstorrent_device()._compile_output.pass_specific_output_kwargs["placer_solution"]
for name, placed in solution.name_to_op_placement.items():
    print(name, "epoch", placed.epoch, placed.placed_cores.start, placed.placed_cores.size_r(), "x",
          placed.placed_cores.size_c())
