"""Verification of modules on the simulated chip against torch."""
from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import torch

from .. import config as compiler_config
from .. import optimizers
from .._C.backend_api import BackendType, DeviceMode
from ..argument_kinds import check, takes
from ..cpudevice import CPUDevice
from ..dtypes import is_integer
from ..module import OnnxModule, PyBudaModule, PyTorchModule
from ..parameter import Parameter
from ..pybudaglobal import get_devices, set_device_pipeline
from ..run import api, context
from ..stage import narrowed, wide
from ..tensor import Tensor, TensorShape, buda_dataformat_to_pytorch_dtype, to_pt_tensors
from ..train_stages import torch_outputs
from ..tti import TTDeviceImage
from ..tti.image import image_path
from ..ttdevice import TTDevice
from ..upper_layers import offered
from . import training as _training  # noqa: F401 (offers the reference of training runs)
from .compare import compare_tensor_to_golden
from .config import VerifyConfig, check_fields
from .utils import MeanDifferences

log = logging.getLogger("pybuda")


def verify_module(module: Any, input_shapes: Iterable[Sequence[int]] | None, verify_cfg: VerifyConfig,
                  input_params: Sequence[dict[str, Any]] = (), device_type: str = "TTDevice",
                  params_centered_on_zero: bool = False, scale_params: float = 1.0, inputs: Any = None,
                  loss_module: Any = None, uniform_inputs: bool = False,
                  inputs_centered_on_zero: bool = False) -> None:
    """Runs the module on inputs of these shapes (dim 0 is the micro-batch; None with `inputs`), generated unless given.
    `inputs`: for each run a tensor, a tuple of them or a mapping. RuntimeError if an output differs. Parameters without
    a value get random ones. With a training test_kind also gradients and updated parameters are compared; without
    `loss_module`, the loss is the mean absolute difference of outputs and random targets."""
    verify_module_pipeline([module], input_shapes, verify_cfg, input_params, [device_type], params_centered_on_zero,
                           scale_params, inputs, loss_module, uniform_inputs, inputs_centered_on_zero)


@takes(modules=(list, tuple), verify_cfg=(VerifyConfig,), input_params=(list, tuple, dict),
       device_types=(list, tuple, str))
def verify_module_pipeline(modules: Sequence[Any], input_shapes: Iterable[Sequence[int]] | None, verify_cfg: VerifyConfig,
                           input_params: Sequence[dict[str, Any]] = (), device_types: Sequence[str] = ("TTDevice",),
                           params_centered_on_zero: bool = False, scale_params: float = 1.0, inputs: Any = None,
                           loss_module: Any = None, uniform_inputs: bool = False,
                           inputs_centered_on_zero: bool = False) -> None:
    """Each module on a device of its type: "TTDevice", "CPUDevice", or "-" for the previous device."""
    input_shapes, inputs = _listed("input_shapes", input_shapes), _listed("inputs", inputs)
    if input_shapes is None and inputs is None:
        raise RuntimeError("verify_module has neither input_shapes nor inputs; give the shapes of inputs, with the "
                           "micro-batch as dim 0, or inputs=[(tensor, ...)]")
    check_fields(verify_cfg)
    training = verify_cfg.test_kind.is_training()
    if training and verify_cfg.tti_path:
        raise RuntimeError("tti_path is for inference: an image has no backward program; verify training without it")
    _forget_earlier()
    for name in verify_cfg.epoch_breaks:
        compiler_config.set_epoch_break(name)
    for module in modules:
        _give_values(module, params_centered_on_zero, scale_params)
    device: Any = None
    for place, (module, kind) in enumerate(zip(modules, _types(device_types, len(modules)))):
        if kind == "-" and device is not None:
            device.place_module(module)
        else:
            device = _device(kind, place, verify_cfg)
            _made.append(device)
            device.place_module(module)
        if training and isinstance(device, TTDevice) and device.optimizer is None:
            device.optimizer = made_optimizer(verify_cfg.optimizer)
            device.scheduler = verify_cfg.scheduler
        elif training and isinstance(device, CPUDevice) and device.optimizer_f is None:
            rule = made_optimizer(verify_cfg.optimizer)
            device.optimizer_f = None if rule is None else \
                lambda module, rule=rule: rule.get_pytorch_optimizer(dict(module.named_parameters()))
    count = verify_cfg.total_number_of_inputs()
    given = inputs if inputs is not None else [
        _made_up(input_shapes or [], input_params, uniform_inputs, inputs_centered_on_zero) for _ in range(count)]
    first = get_devices()[0]
    if training:
        _train(modules, given, device, loss_module, input_params, verify_cfg, inputs is None)
        return
    if verify_cfg.tti_path and given and not _through_image(verify_cfg, given[0]):
        return
    pushed = []
    for one in given:
        first.push_to_inputs(one)
        pushed.append(list(first._inputs[-1]))
    outputs = api.run_inference(input_count=len(pushed), _sequential=verify_cfg.sequential)
    problem = context.error()
    if problem is not None:
        raise problem
    for values in pushed if all(device.runs for device in get_devices()) else []:
        verify_outputs(get_devices(), values, [tensor.value() for tensor in outputs.get()], verify_cfg)
    if not verify_cfg.skip_shutdown:
        api.shutdown()


def _train(modules: Sequence[Any], given: Sequence[Any], last: Any, loss_module: Any, input_params: Any,
           verify_cfg: VerifyConfig, generated: bool) -> None:
    """Runs steps of training, which are compared one by one."""
    targets = [torch.randn(tuple(value.shape)) * 0.5 for value in _outputs(modules, to_pt_tensors(given[0]))]
    if loss_module is None:
        last = CPUDevice("cpu_loss")
        _made.append(last)
        loss_module = PyTorchModule("verify_loss", MeanDifferences())
    last.place_loss_module(loss_module)
    for one in given:
        values = to_pt_tensors(one)
        if generated:
            wanted = [params.get("requires_grad", True) for params in _per_input(input_params, len(values))]
            values = [value.requires_grad_() if want and value.dtype.is_floating_point else value
                      for value, want in zip(values, wanted)]
        get_devices()[0].push_to_inputs(one if not generated else tuple(values))
        last.push_to_target_inputs(*[target.clone() for target in targets])
    api.run_training(epochs=verify_cfg.epochs, steps=verify_cfg.steps, accumulation_steps=verify_cfg.accumulation_steps,
                     microbatch_count=verify_cfg.microbatch_count, checkpoint_interval=verify_cfg.checkpoint_interval,
                     _sequential=verify_cfg.sequential, _verify_cfg=verify_cfg)
    if not verify_cfg.skip_shutdown:
        api.shutdown()


def _outputs(modules: Sequence[Any], values: list[Any]) -> list[Any]:
    """Outputs of consecutive modules in torch, for one micro-batch."""
    with torch.no_grad():
        for module in modules:
            if isinstance(module, PyBudaModule):
                samples = [module.trace_forward(*[Tensor.create_from_torch(value) for value in narrowed(values, at)])
                           for at in range(max(value.shape[0] for value in values))]
                values = [torch.cat([one.value() for one in row]) for row in zip(*samples)]
            else:
                values = module.forward(*values) if isinstance(module, OnnxModule) else torch_outputs(module, {}, values)
    return values


def made_optimizer(given: Any) -> Any:
    """From VerifyConfig.optimizer: {"type": "sgd", "params": {"learning_rate": 50.0}}, an Optimizer or None. RuntimeError
    for another type."""
    if given is None or isinstance(given, optimizers.Optimizer):
        return given
    known = {"sgd": optimizers.SGD, "adam": optimizers.Adam, "adamw": optimizers.AdamW, "lamb": optimizers.LAMB,
             "lars": optimizers.LARS}
    kind = str(given.get("type", "")).lower() if isinstance(given, Mapping) else ""
    if kind not in known:
        raise RuntimeError(f"optimizer of VerifyConfig is {given!r}; give {{'type': 'sgd', 'params': {{'learning_rate': "
                           f"0.1}}}}, with a type of {', '.join(known)}, or an optimizer of pybuda")
    return known[kind](**given.get("params", {}), device_params=True)


def _listed(what: str, given: Any) -> list[Any] | None:
    """A list from a list, a tuple or a generator. RuntimeError for other types."""
    if given is None or isinstance(given, (list, tuple)):
        return given if given is None else list(given)
    check(what, given, (Iterable,))
    if isinstance(given, (str, Mapping, torch.Tensor)):
        check(what, given, (list, tuple))
    return list(given)


def _through_image(verify_cfg: VerifyConfig, sample: Any) -> bool:
    """Whether to run the image at `tti_path`, which is written unless devmode is RunOnly. RuntimeError for a
    pipeline."""
    devices = get_devices()
    if len(devices) != 1 or not isinstance(devices[0], TTDevice):
        raise RuntimeError(f"tti_path={verify_cfg.tti_path}: an image has one TTDevice, but the pipeline has devices "
                           f"{', '.join(map(str, devices))}; verify it without tti_path, or the TTDevice alone")
    device, path = devices[0], image_path(str(verify_cfg.tti_path))
    device.ignores_formats = False  # an image has weights in the device's formats
    if verify_cfg.devmode == DeviceMode.RunOnly:
        image = TTDeviceImage.load_from_disk(path, trust_host_parts=verify_cfg.trust_host_parts)
        device.compile_reference(sample)
    else:
        image = device.compile_to_image(img_path=path, sample_inputs=sample)
    device.run_image(image)
    return verify_cfg.devmode != DeviceMode.CompileOnly


@offered
def verify_outputs(devices: Sequence[Any], inputs: list[Any], outputs: Sequence[torch.Tensor],
                   verify_cfg: VerifyConfig) -> None:
    """RuntimeError if outputs differ from those of the same devices in torch."""
    if not verify_cfg.enabled:
        return
    if not all(device.has_reference() for device in devices):
        log.warning("outputs are not compared: a device image has no module to evaluate in torch; compare them with "
                    "the module's own")
        return
    values = wide(inputs)
    for device in devices:
        values = device.evaluate(values)
    if len(values) != len(outputs):
        raise RuntimeError(f"there are {len(outputs)} outputs; torch has {len(values)}")
    for place, (golden, calculated) in enumerate(zip(values, outputs)):
        if not compare_tensor_to_golden(f"output {place}", golden.detach(), calculated, verify_cfg=verify_cfg):
            raise RuntimeError(f"output {place} of {verify_cfg.graph_name} differs from torch's (the log has the "
                               "difference); VerifyConfig(pcc=, relative_atol=) sets the tolerance")
        if verify_cfg.golden_compare_callback is not None:
            verify_cfg.golden_compare_callback(golden.detach(), calculated)


_made: list[Any] = []  # devices of the last verification, kept for inspection


def _forget_earlier() -> None:
    left = [device for device in get_devices() if device not in _made]
    if len(left) != len(get_devices()):
        context.end_run()
        set_device_pipeline(left)
    _made.clear()


def _types(given: Any, count: int) -> list[str]:
    types = list(given) if not isinstance(given, str) else [given]
    return types + ["-"] * (count - len(types))


def _device(kind: str, place: int, verify_cfg: VerifyConfig) -> Any:
    if kind == "CPUDevice":
        return CPUDevice(f"cpu{place}")
    if kind != "TTDevice":
        raise RuntimeError(f"device type '{kind}' is not one of TTDevice, CPUDevice, -")
    device = TTDevice(f"tt{place}", num_chips=verify_cfg.num_chips, chip_ids=verify_cfg.chip_ids, arch=verify_cfg.arch,
                      devtype=verify_cfg.devtype, device_mode=verify_cfg.devmode, fp32_fallback=verify_cfg.fp32_fallback)
    device.ignores_formats = verify_cfg.golden_ignore_df_precision and verify_cfg.devtype == BackendType.Golden
    return device


def _give_values(module: Any, centered: bool, scale: float) -> None:
    if isinstance(module, PyBudaModule):
        for parameter in module.get_parameters():
            if isinstance(parameter, Parameter) and not parameter.has_value():
                if is_integer(parameter.data_format):
                    parameter.set_value(_whole(parameter.shape.dims, parameter.pt_data_format))
                    continue
                value = torch.rand(parameter.shape.dims) - (0.5 if centered else 0.0)
                parameter.set_value((value * scale).to(parameter.pt_data_format))


def _whole(shape: Any, dtype: torch.dtype) -> torch.Tensor:
    """Small integers whose sums and products stay small; bytes include negative values."""
    low = -10 if dtype == torch.int8 else 0
    return torch.randint(low, 2 if dtype == torch.bool else 10, tuple(shape)).to(dtype)


def _per_input(params: Any, count: int) -> list[dict[str, Any]]:
    """One for each input; a single one, also in a list, applies to all. RuntimeError for other types than dict."""
    given = [params] if isinstance(params, dict) else list(params)
    if len(given) == 1 and isinstance(given[0], (list, tuple)):
        given = list(given[0])
        given = given * count if len(given) == 1 else given
    elif isinstance(params, dict):
        given = given * count
    for place, one in enumerate(given):
        if not isinstance(one, dict):
            raise RuntimeError(f"input_params[{place}] is {one!r}; it must be a dict with data_format, dev_data_format "
                               "or requires_grad of an input")
    return [*given, *({} for _ in range(count - len(given)))]


def _made_up(shapes: Sequence[Sequence[int]], params: Sequence[dict[str, Any]], uniform: bool,
             centered: bool) -> list[Any]:
    made: list[Any] = []
    for place, shape in enumerate(shapes):
        check(f"input_shapes[{place}]", shape, (list, tuple, TensorShape))
    for shape, given in zip(shapes, _per_input(params, len(shapes))):
        dtype = given.get("data_format", torch.float32)
        if not isinstance(dtype, torch.dtype):
            dtype = buda_dataformat_to_pytorch_dtype(dtype)
        if not dtype.is_floating_point:
            made.append(torch.randint(0, 2 if dtype == torch.bool else 100, tuple(shape)).to(dtype))
            continue
        value = torch.rand(tuple(shape)) if uniform else torch.randn(tuple(shape)) * 0.1 + 0.5
        value = value - 0.5 if centered else value.abs() + 1e-5
        value = value.to(dtype)
        made.append(Tensor.create_from_torch(value, given["dev_data_format"]) if "dev_data_format" in given else value)
    return made
