"""Simulated Tensix chips as devices."""
from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping, Sequence
from typing import Any

import torch
import ttsim

from . import compile_options, config, config_check, host_work
from ._C import DataFormat
from ._C.backend_api import BackendDevice, BackendType, DeviceMode, default_arch, detect_available_silicon_devices
from .argument_kinds import WHOLE, takes
from .compile_result import CompileResult
from .device import Device, _kinds, samples_for
from .device_training import DeviceTraining, check_trainable
from .loopback import Loopback
from .module import Module
from .process import reset_unique_node_id, set_state_changed
from .stage import Settings
from .stage_kinds import _formats, make_stages
from .tensor import Tensor, to_pt_tensor
from .trace import to_graph, trace
from .tti import compile_to_image
from .tti.image import given_image
from .tti.stage import ImageStage
from .tti.training import compile_training_image
from .upper_layers import offered

_MOST_CHIPS = 1024  # upper limit, larger than any machine
_ENGINES = {BackendType.Golden: "functional", BackendType.Model: "functional"}  # values without a clock


@dataclasses.dataclass(frozen=True)
class DeviceConfig:
    """`grid_size`: rows and columns of Tensix cores of each chip without harvested rows; `chips` of the product `name`;
    `device_yaml`: the SoC descriptor, or "" for that of the product."""
    arch: BackendDevice
    name: str
    chip: str
    chips: int
    grid_size: tuple[int, int]
    device_yaml: str = ""
    backend_type: BackendType = BackendType.Silicon
    chip_ids: tuple[int, ...] = (0,)
    harvested_rows: tuple[int, ...] = ()

    @property
    def arch_name(self) -> str:
        """The architecture in lower case."""
        return self.arch.to_string()

    @property
    def rows(self) -> int:
        """Rows of the grid."""
        return self.grid_size[0]

    @property
    def columns(self) -> int:
        """Columns of the grid."""
        return self.grid_size[1]


def get_device_config(arch: BackendDevice | None = None, chip_ids: Sequence[int] = (0,), *_: Any,
                      **__: Any) -> DeviceConfig:
    """Product and grid that a device of this architecture (None: the default) is compiled for, according to the
    configuration. RuntimeError for an architecture that is not simulated, ttsim.InputError for an invalid SoC
    descriptor."""
    arch, settings = arch or default_arch(), config._get_global_compiler_config()
    name = compile_options.device_name(settings, arch, len(chip_ids) or 1)
    info = next((info for info in ttsim.devices() if info.name == name), None)
    harvested = tuple(row for row in range(32) if settings.harvesting_mask >> row & 1)
    if info is None:  # a SoC descriptor
        described = ttsim.describe_device(name)
        return DeviceConfig(arch, name, name, 1, (described.rows - len(harvested), described.columns), name,
                            chip_ids=tuple(chip_ids), harvested_rows=harvested)
    return DeviceConfig(arch, name, info.chip, info.chips, (info.rows - len(harvested), info.columns),
                        chip_ids=tuple(chip_ids), harvested_rows=harvested)


class CompiledModule(Module):
    """A module of a device image, under its name; it runs only on the device."""

    def __init__(self, name: str, device: Any) -> None:
        super().__init__(name)
        self.device = device

    def forward(self, *_: Any, **__: Any) -> Any:
        """NotImplementedError: an image has only compiled code, which torch cannot evaluate."""
        raise NotImplementedError(f"module '{self.name}' is compiled in a device image; run it with "
                                  "pybuda.run_inference() on its device")


def _modules_of(image: Any, device: Any) -> list[Any]:
    """The modules that the image was compiled from in this process, or placeholders; outputs are named
    `<module>.output_<op>`."""
    if "modules" in vars(image):
        return list(image.modules)
    names = [info.name.split(".output_", 1)[0] for info in image.compiled.outputs if ".output_" in info.name]
    return [CompiledModule(name, device) for name in dict.fromkeys(names or [device.name])]


class TTDevice(Device):
    """`devtype`: Silicon (with a clock; Versim and Emulation are the same), Golden and Model (values only), all
    simulated. `chip_ids` or `num_chips` (0: all available). `fp32_fallback`: format of float32 tensors."""
    ignores_formats = False  # computes in float32, as Golden devices in verification

    @takes(num_chips=WHOLE, chip_ids=(list, tuple), arch=(BackendDevice,), devtype=(BackendType,),
           device_mode=(DeviceMode,), fp32_fallback=(DataFormat,))
    def __init__(self, name: str, num_chips: int | None = None, chip_ids: Any = None, arch: BackendDevice | None = None,
                 devtype: BackendType | None = None, device_mode: DeviceMode | None = None, optimizer: Any = None,
                 scheduler: Any = None, fp32_fallback: DataFormat = DataFormat.Float16_b, mp_context: Any = None,
                 module: Any = None) -> None:
        super().__init__(name, mp_context)
        reset_unique_node_id()
        golden = os.environ.get("PYBUDA_DEVMODE", "0") not in ("", "0")
        self.devtype = devtype or (BackendType.Golden if golden else BackendType.Silicon)
        self.arch = arch or default_arch()
        self.device_mode = device_mode or config._get_global_compiler_config().device_mode
        self.optimizer, self.scheduler = optimizer, scheduler
        self.fp32_fallback = fp32_fallback
        self.chip_ids = _chips(num_chips, chip_ids)
        if self.device_mode != DeviceMode.RunOnly:  # an image defines its machine
            _check_detected(name, self.chip_ids)
        self._explicit = arch is not None and devtype is not None
        self.graph_name = f"{name}_graph"
        self._stages: list[Any] = []
        self._subgraphs: list[list[Any]] | None = None
        self._groups: list[list[Any]] | None = None
        self._loopback: Loopback | None = None
        self._active = 0
        self.runs = False  # whether it was compiled to be run
        self._saved: list[torch.Tensor] = []
        self._compile_output: Any = None
        self._image: Any = None
        self._image_reference: Any = None  # the stage that the image was compiled from
        if module is not None:
            self.place_module(module)

    @takes(chip_ids=(list, tuple))
    def set_chip_ids(self, chip_ids: Sequence[int]) -> None:
        """RuntimeError for chips that no board has."""
        _check_detected(self.name, chip_ids)
        self.chip_ids = list(chip_ids)

    # --- compiling

    def compile_for(self, inputs: Sequence[Any], compiler_cfg: Any = None, targets: Sequence[Any] = (),
                    microbatch_size: int = 0, microbatch_count: int = 1, verify_cfg: Any = None) -> list[Any]:
        """`inputs` have dim 0 = 1. Raises errors of compilation: ttsim.InputError, ttsim.UnsupportedError."""
        settings = self._settings(inputs, compiler_cfg, microbatch_size or 1)
        if self._image is not None and self._image.is_compiled_for_training():
            raise RuntimeError(f"image '{self._image.path}' is of a device that trains; call run_training(), or compile it "
                               "with training=False for inference")
        if self._image is not None:
            self._stages = [ImageStage(self._image, settings, self._image_reference)]
        else:
            if not self.modules:
                raise RuntimeError(f"device '{self.name}' has no module; add one with place_module()")
            reset_unique_node_id()
            self.graph_name = "_".join(module.get_name() for module in self.modules)
            if settings.config.compile_subgraphs:
                groups = self._groups or [list(inputs)] * len(self.modules)
                self._subgraphs = [make_stages([module], group, settings)
                                   for module, group in zip(self.modules, groups)]
                self._stages = self._subgraphs[self._active]
            else:
                self._stages = make_stages(self.modules, inputs, settings)
        self._compile_output = CompileResult(self, settings)
        host_work.warn_of_host_ops(self, [stage for stages in self._subgraphs or [self._stages] for stage in stages])
        whole = settings.config.compile_depth.value >= config.CompileDepth.BACKEND_GOLDEN_VERIFY.value
        self.runs = whole and self.device_mode != DeviceMode.CompileOnly
        if self.runs:
            for stage in [stage for stages in self._subgraphs or [self._stages] for stage in stages]:
                stage.start()
        self._compiled_for = _kinds(inputs) if self._subgraphs is None else None
        shapes = self._stages[-1].shapes()
        self._loopback = None
        names = [] if self._image is not None else self.modules[0].forward_names(len(inputs))
        links = settings.config.loopback_outputs
        if settings.config.enable_link_past_cache_ios and not links:
            links = Loopback.past_links(names, inputs, shapes)
        if links:
            with config_check.of_field("loopback_outputs", links):
                self._loopback = Loopback(links, names, inputs, len(shapes))
            self._compiled_for = _kinds(self._loopback.pushed(inputs))
            shapes = [shape for place, shape in enumerate(shapes) if place not in self._loopback.taken.values()]
        return [torch.zeros(shape) for shape in shapes]

    def compile_for_training(self, inputs: Sequence[Any], targets: Sequence[Any], wanted: Sequence[bool],
                             microbatch_size: int, microbatch_count: int, verify_cfg: Any = None) -> list[Any]:
        """Compiles the modules and the loss module with a backward program and the optimizer. Returns samples of the
        outputs. RuntimeError for what cannot train; errors of compilation."""
        settings = self._settings(inputs, None, microbatch_size or 1)
        check_trainable(self, settings.config)
        reset_unique_node_id()
        self.graph_name = "_".join(module.get_name() for module in self.modules)
        training = DeviceTraining(self, inputs, targets, settings, microbatch_count, wanted)
        self._stages, self._subgraphs, self._loopback = training.compiled_stages(), None, None
        self._compile_output = CompileResult(self, settings)
        self._compiled_for = _kinds(inputs)
        whole = settings.config.compile_depth.value >= config.CompileDepth.BACKEND_GOLDEN_VERIFY.value
        self.runs = whole and self.device_mode != DeviceMode.CompileOnly
        if self.runs:
            training.start(inputs, targets)
        self.training = training
        return [torch.zeros(shape) for shape in self._stages[-1].shapes()] if self.loss_module is None else []

    def take_samples(self, groups: list[list[Any]]) -> None:
        """Samples for each module, if modules are compiled separately."""
        self._groups = groups

    def _settings(self, inputs: Sequence[Any], compiler_cfg: Any, microbatch: int) -> Settings:
        settings = compiler_cfg or config._get_global_compiler_config()
        settings.apply_env_config_overrides()
        config_check.check(settings)
        settings.dump()
        formats = self.input_formats if self.is_first() and self.input_formats else _formats(inputs)
        data_format = compile_options.default_format(settings, formats, self.fp32_fallback)
        session: dict[str, Any] = {"engine": _ENGINES.get(self.devtype, "full")}
        if self.ignores_formats:
            session |= {"engine": "golden", "numerics": "float32"}
        if settings.performance_trace != config.PerfTraceLevel.NONE:
            session["engine"] = "full"
            os.makedirs(settings.backend_output_dir, exist_ok=True)
            session["trace_file"] = os.path.join(settings.backend_output_dir, f"{self.name}.ttperf")
            session["trace_level"] = 2 if settings.performance_trace == config.PerfTraceLevel.VERBOSE else 1
        return Settings(settings, self, data_format, microbatch, session, formats)

    def get_compiled_results(self) -> Any:
        """A CompileResult; None before compiling."""
        return self._compile_output

    def generate_graph(self, *inputs: Any, target_tensors: Sequence[Any] = (), return_intermediate: bool = False,
                       graph_name: str = "default_graph", compiler_cfg: Any = None, trace_only: bool = False,
                       verify_cfg: Any = None) -> tuple[Any, ...]:
        """The ttsim.Graph of the modules (of pybuda's ops), outputs, intermediates by name, inputs, and None."""
        named = list(zip(self.modules[0].forward_names(len(inputs)), inputs))
        made = trace(self.modules, named)
        values: dict[str, Any] = {op.name: None for op in made.ops}
        if return_intermediate:
            names = [op.name for op in made.ops]
            values = dict(zip(names, made.evaluate([tensor.value() for tensor in inputs], names)))
        return to_graph(made), tuple(tensor for _, tensor in made.outputs), values, tuple(inputs), None

    # --- running

    def forward_values(self, values: list[Any]) -> list[torch.Tensor]:
        """Outputs for the tensors of a micro-batch, in order."""
        self._saved = []
        values = values if self._loopback is None else self._loopback.given(values)
        if not hasattr(self._stages[0], "imported"):
            values = [value for value in values if value is not None]
        for stage in self._stages:
            values, saved = stage.run(values)
            self._saved += saved
        return values if self._loopback is None else self._loopback.kept(values)

    def has_reference(self) -> bool:
        """Whether evaluate() has modules to run."""
        return self._image is None or self._image_reference is not None

    def compile_reference(self, sample_inputs: Sequence[Any]) -> None:
        """Compiles the modules without starting a session."""
        microbatch, samples = samples_for(self, sample_inputs)
        mode, self.device_mode = self.device_mode, DeviceMode.CompileOnly
        try:
            self.compile_for(samples, microbatch_size=microbatch)
        finally:
            self.device_mode = mode

    def run_image(self, image: Any) -> None:
        """Runs the image from now on instead of the compiled modules, which verification compares it with."""
        self._image_reference = self._stages[0]
        self._image = image
        set_state_changed()

    def taken_intermediates(self) -> list[torch.Tensor]:
        """Results of the ops in op_intermediates_to_save, of the last forward."""
        return self._saved

    def evaluate(self, values: list[Any]) -> list[torch.Tensor]:
        """Outputs of the modules in torch on the host."""
        for stage in self._stages:
            values = stage.evaluate(values)
        return values

    def cpueval_forward(self, inputs: list[Any], parameters: Any = None, save_for_backward: bool = False,
                        targets: Sequence[Any] = ()) -> list[torch.Tensor]:
        """Outputs in torch of `inputs`."""
        return self.evaluate(inputs)

    @takes(subgraph_index=WHOLE)
    def set_active_subgraph(self, subgraph_index: int) -> None:
        """With compile_subgraphs: selects the module to run and to push inputs for. IndexError for an invalid index."""
        if not 0 <= subgraph_index < max(len(self.modules), 1):
            raise IndexError(f"device '{self.name}' has subgraphs 0 to {len(self.modules) - 1}, not {subgraph_index}")
        self._active = subgraph_index
        if self._subgraphs is not None:
            self._stages = self._subgraphs[subgraph_index]

    def get_active_subgraph(self) -> int:
        """The index of the module that runs."""
        return self._active

    def shutdown_device(self) -> None:
        """Discards inputs and compiled modules; modules stay."""
        super().shutdown_device()
        self._stages, self._subgraphs, self._saved, self._loopback = [], None, [], None

    # --- parameters

    def get_parameters(self, ignore_unused_parameters: bool = True) -> list[Any]:
        """Parameters that the compiled modules use; with `ignore_unused_parameters` False all."""
        if ignore_unused_parameters and self._stages:
            return [parameter for stage in self._stages for parameter in stage.parameters().values()]
        return [parameter for module in self.modules for parameter in module.get_parameters()]

    def get_all_parameters(self) -> dict[str, Tensor]:
        """Copies of values by name."""
        held = {parameter.get_name(): Tensor.create_from_torch(parameter.value().detach().clone())
                for parameter in self.get_parameters() if parameter.has_value()}
        trained = self.training.values() if self.training is not None else {}
        return held | {name: Tensor.create_from_torch(value) for name, value in trained.items() if name in held}

    def get_parameter_checkpoint(self) -> dict[str, Tensor]:
        """Values of parameters that require gradients; in training those on the device."""
        trained = {parameter.get_name() for parameter in self.get_parameters() if parameter.requires_grad}
        return {name: value for name, value in self.get_all_parameters().items() if name in trained}

    @takes(parameters=(Mapping,))
    def update_device_parameters(self, parameters: dict[str, Any]) -> None:
        """Sets values for later runs. RuntimeError for an unknown name."""
        for name, value in parameters.items():
            stage = next((stage for stage in self._stages if name in stage.parameters()), None)
            if stage is None:
                raise RuntimeError(f"device '{self.name}' has no parameter '{name}'; its parameters are "
                                   f"{', '.join(self.get_all_parameters()) or 'none'}")
            try:
                stage.set_parameter(name, to_pt_tensor(value).detach())
            except ttsim.InputError as error:
                if error.code not in ("needs-recompilation", "unknown-name"):
                    raise
                stage.compile_again()  # compilation depended on the old values

    def get_optimizer(self) -> Any:
        """The optimizer given to the constructor."""
        return self.optimizer

    def get_optimizer_params(self, is_buda: bool) -> dict[str, Any]:
        """Optimizer state by parameter, in training that on the device; {} without an optimizer."""
        if self.optimizer is None:
            return {}
        if isinstance(self.training, DeviceTraining) and (found := self.training.state()):
            return {name: {key: one.to_buda_shape((-1, -2) if one.shape.numel() == 1 else ()) if is_buda else one
                           for key, one in kept.items()} for name, kept in found.items()}
        return {parameter.get_name(): self.optimizer.get_optimizer_params(parameter.get_name(), is_buda)
                for parameter in self.get_parameters()}

    def get_scheduler_params(self, is_buda: bool) -> dict[str, Any]:
        """Scheduler state by parameter; {} without a scheduler."""
        if self.scheduler is None:
            return {}
        return {parameter.get_name(): self.scheduler.get_scheduler_params(parameter.get_name(), is_buda)
                for parameter in self.get_parameters()}

    def get_pytorch_optimizer(self, parameters: Any, lr: float | None = None) -> Any:
        """The equivalent torch optimizer; None without one."""
        return None if self.optimizer is None else self.optimizer.get_pytorch_optimizer(parameters, lr)

    def get_pytorch_scheduler(self, optimizer: Any = None) -> Any:
        """The equivalent torch scheduler; None without one."""
        return None if self.scheduler is None else self.scheduler.get_pytorch_scheduler(optimizer)

    def get_dram_io_queues(self, queue_type: str) -> list[tuple[str, tuple[int, ...]]]:
        """Names and shapes of the "input" or "output" queues. RuntimeError for another type."""
        if queue_type not in ("input", "output"):
            raise RuntimeError(f"there are no queues of type '{queue_type}'; types are 'input' and 'output'")
        place = 0 if queue_type == "input" else -1
        compiled = self._stages[place].compiled
        found = compiled.inputs if queue_type == "input" else compiled.outputs
        return [(info.name, tuple(info.shape)) for info in found]

    # --- images

    def compile_to_image(self, *, img_path: str | None = None, training: bool = False,
                         sample_inputs: Sequence[Any] = (), sample_targets: Sequence[Any] = (),
                         microbatch_count: int = 1, verify_cfg: Any = None, cpueval_outputs: Any = None) -> Any:
        """A TTDeviceImage of the modules, written to `img_path`. AssertionError unless the device was created with an
        explicit arch and devtype."""
        assert self._explicit, "compile_to_image needs a TTDevice with an explicit arch= and devtype="
        image = compile_training_image(self, img_path, sample_inputs, microbatch_count) if training else \
            compile_to_image(self, img_path, sample_inputs)
        vars(image)["modules"] = list(self.modules)
        return image

    @staticmethod
    def load_image(img: Any = None, img_path: str | None = None, device_id_overrides: Any = None, *,
                   trust_host_parts: bool = False) -> TTDevice:
        """A device that runs an image; its `modules` are placeholders with the names of the compiled modules.
        `trust_host_parts`: as in TTDeviceImage.load_from_disk(), with `img_path`. AssertionError unless one of `img`
        and `img_path` is given, ttsim.InputError for an invalid image file."""
        return device_of_image(img, img_path, device_id_overrides, trust_host_parts)


@offered
def device_of_image(img: Any, img_path: str | None, device_id_overrides: Any, trust_host_parts: bool) -> TTDevice:
    """TTDevice.load_image()."""
    image = given_image(img, img_path, trust_host_parts)
    chip_ids = device_id_overrides or image.device_ids or image.contents.get("chip_ids")
    device = TTDevice(str(image.contents.get("name", "tt0")), arch=image.arch, devtype=image.devtype,
                      device_mode=DeviceMode.RunOnly, chip_ids=[chip_ids] if isinstance(chip_ids, int) else chip_ids)
    device._image = image
    device.modules = _modules_of(image, device)
    return device


def _check_detected(device: str, chip_ids: Sequence[Any]) -> None:
    """RuntimeError for chips that no board has. A cluster descriptor or a product of the configuration defines its
    own."""
    settings = config._get_global_compiler_config()
    if settings.backend_cluster_descriptor_path:
        return
    product = config.product_of(settings.device_config)
    of_product = next((info.chips for info in ttsim.devices() if info.name == product), 0)
    there = max(len(detect_available_silicon_devices()), of_product)
    beyond = [chip for chip in chip_ids if isinstance(chip, int) and not 0 <= chip < there]
    if beyond:
        raise RuntimeError(
            f"device '{device}' needs chip {beyond[0]}, but there {'is' if there == 1 else 'are'} only {there}, "
            f"numbered from 0: set PYBUDA_OVERRIDE_NUM_CHIPS={max(chip for chip in beyond) + 1} to simulate more, or "
            "TTSIM_DEVICES to boards of several chips such as wh_n300,wh_n300")


def _chips(num_chips: int | None, chip_ids: Any) -> list[Any]:
    if chip_ids:
        assert num_chips is None or num_chips == len(chip_ids), \
            f"num_chips={num_chips} and {len(chip_ids)} chip_ids; give only one of them"
        return list(chip_ids)
    if num_chips is None:
        return [0]
    assert 0 <= num_chips <= _MOST_CHIPS, \
        f"num_chips={num_chips}; a device has 1 to {_MOST_CHIPS} chips; 0: all available"
    return list(range(num_chips or len(detect_available_silicon_devices())))
