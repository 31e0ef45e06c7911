"""tt_lib (TT-Dispatch) on simulated Tenstorrent chips: one op at a time.

    from libs import tt_lib as tt_lib
    device = tt_lib.device.CreateDevice(tt_lib.device.Arch.GRAYSKULL, 0)
    tt_lib.device.InitializeDevice(device)
    x = tt_lib.tensor.Tensor([1.0] * 1024, [1, 1, 32, 32], tt_lib.tensor.DataType.BFLOAT16, tt_lib.tensor.Layout.TILE, device)
    print(tt_lib.tensor.relu(x).to(tt_lib.device.GetHost()).data()[0])
    tt_lib.device.CloseDevice(device)

The device and its examples are those of the public documentation. Names of ops and their arguments follow the public project
of mid-2023 from memory; docs/ttnn.md says so."""
from . import device, fallback_ops, profiler, program_cache, tensor, utils

__all__ = ["device", "fallback_ops", "profiler", "program_cache", "tensor", "utils"]
