"""PyBuda programs on simulated Tensix chips: modules are placed on devices, compiled, and run on inputs.

    import pybuda, torch
    module = pybuda.PyTorchModule("linear", torch.nn.Linear(64, 64))
    output = pybuda.run_inference(module, inputs=[(torch.randn(1, 32, 64),)]).get()
    print(output[0].value())"""
import sys

from ttsim import __version__
from ttsim._torch_needed import refusal as _refusal

try:
    import torch as _torch  # noqa: F401 (reports a missing torch here)
except ModuleNotFoundError as _missing:
    raise _refusal("pybuda") from _missing

from . import (_C, ci, config, op, op_repo, optimizers, parameter, pybudaglobal, query, run, schedulers, tensor, tools,
               torch_optimizers, torch_schedulers, transformers, ttdevice, tti, tvm_to_python, utils, verify)
from ._C import DataFormat, MathFidelity, k_dim
from ._C.backend_api import BackendDevice, BackendType, DeviceMode
from .cluster import TTCluster
from .compile import CompiledGraphState, pybuda_compile
from .config import (CompileDepth, CompilerConfig, PerfTraceLevel, _internal_insert_fj_buffering_nop,
                     configure_mixed_precision, insert_buffering_nop, insert_nop, override_dram_queue_placement,
                     override_op_size, set_chip_break, set_configuration_options, set_epoch_break)
from .cpudevice import CPUDevice
from .device import Device
from .gpudevice import GPUDevice
from .module import (JaxModule, Module, MXNetModule, OnnxModule, PyBudaModule, PyTorchModule, TFGraphDefModule,
                     TFLiteModule, TFModule)
from .optimizers import LAMB, LARS, SGD, Adam, AdamW
from .parameter import Parameter
from .pybudaglobal import get_tenstorrent_device, is_silicon, pybuda_reset, set_device_pipeline
from .report import get_report
from .run.api import (detect_available_devices, error_raised, get_intermediates_queue, get_loss_queue,
                      get_parameter_checkpoint, get_parameter_gradients, initialize_pipeline, run_backward,
                      run_forward, run_generate, run_generative_inference, run_inference, run_optimizer,
                      run_schedulers, run_training, shutdown, sync, update_device_parameters)
from .tensor import SomeTensor, Tensor, TensorShape
from .torch_compile import compile_torch
from .ttdevice import TTDevice
from .tti import TTDeviceImage
from .verify.config import VerifyConfig

pybuda = sys.modules[__name__]  # for `from pybuda import pybuda`

__all__ = [
    "Adam", "AdamW", "BackendDevice", "BackendType", "CPUDevice", "CompileDepth", "CompiledGraphState",
    "CompilerConfig", "DataFormat", "Device", "DeviceMode", "GPUDevice", "JaxModule", "LAMB", "LARS", "MXNetModule",
    "MathFidelity", "Module", "OnnxModule", "Parameter", "PerfTraceLevel", "PyBudaModule", "PyTorchModule", "SGD",
    "SomeTensor", "TFGraphDefModule", "TFLiteModule", "TFModule", "TTCluster", "TTDevice", "TTDeviceImage", "Tensor",
    "TensorShape", "VerifyConfig", "_C", "__version__", "_internal_insert_fj_buffering_nop", "ci", "compile_torch", "config",
    "configure_mixed_precision", "detect_available_devices", "error_raised", "get_intermediates_queue",
    "get_loss_queue", "get_parameter_checkpoint", "get_parameter_gradients", "get_report", "get_tenstorrent_device",
    "initialize_pipeline", "insert_buffering_nop", "insert_nop", "is_silicon", "k_dim", "op", "op_repo", "optimizers",
    "override_dram_queue_placement", "override_op_size", "parameter", "pybuda", "pybuda_compile", "pybuda_reset", "pybudaglobal",
    "query", "run", "run_backward", "run_forward", "run_generate", "run_generative_inference", "run_inference",
    "run_optimizer", "run_schedulers", "run_training", "schedulers", "set_chip_break", "set_configuration_options",
    "set_device_pipeline", "set_epoch_break", "shutdown", "sync", "tensor", "tools", "torch_optimizers",
    "torch_schedulers", "transformers", "ttdevice", "tti", "tvm_to_python",
    "update_device_parameters", "utils", "verify"
]
