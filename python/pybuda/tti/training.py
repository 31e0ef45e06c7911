"""Images of devices that train, written from a device."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._C.backend_api import DeviceMode
from ..device import samples_for
from ..train_stages import TorchTraining
from .image import TTDeviceImage, write_stage


def compile_training_image(device: Any, img_path: str | None, sample_inputs: Sequence[Any],
                           microbatch_count: int) -> TTDeviceImage:
    """Writes an image that load_image() trains. RuntimeError for what an image cannot hold: a loss, several
    compilations, statistics of batch norms, inputs that the host makes."""
    if device.loss_module is not None:
        raise RuntimeError(f"device '{device.name}' has the loss, which images do not hold; place it on a CPUDevice")
    microbatch, samples = samples_for(device, sample_inputs)
    wanted = [bool(getattr(one, "requires_grad", False)) for one in sample_inputs]
    mode, device.device_mode = device.device_mode, DeviceMode.CompileOnly
    try:
        device.compile_for_training(samples, [], wanted, microbatch, microbatch_count)
        stages, device.training = device.training.stages, None
    finally:
        device.device_mode = mode
    stage = stages[0]
    if len(stages) != 1 or not getattr(stage, "trained", []):
        raise RuntimeError(f"device '{device.name}' has {len(stages)} compilations, and an image for training has one that "
                           "trains: place the modules on separate devices")
    if isinstance(stage, TorchTraining):
        if stage.batch:
            raise RuntimeError(f"device '{device.name}' has batch norms in training mode, whose statistics images do not "
                               "hold; call eval() of them")
        if stage.imported.inputs != stage.input_names():
            raise RuntimeError(f"device '{device.name}': the host makes inputs of the module, which images for training "
                               "do not hold; give the module its inputs in the order and form that it computes with")
    return write_stage(device, stage, img_path, {})
