"""Converts a configuration to keywords of ttsim.compile(). No other module depends on both."""
from __future__ import annotations

import json
import logging
import operator
import os
from collections.abc import Mapping, Sequence
from typing import Any

from . import config, op_overrides, tensor_formats
from ._C import DataFormat
from ._C.backend_api import BackendDevice, simulated_products
from ._C.placer import DRAMPlacementAlgorithm
from .config_check import of_field
from .dtypes import output_format

log = logging.getLogger("pybuda")
_POLICIES = {"default": "", "nlp": "nlp", "ribbon": "ribbon", "cnn": "ribbon", "minimizegrid": "minimize_grid",
             "maximizetminimizegrid": "minimize_grid", "random": "random", op_overrides.SINGLE_OP: ""}
_CUTS = {"FastCut": "", "ConsumerOperandDataEdgesFirst": "consumer_operand_edges_first",
         "ProducerUserDataEdgesFirst": "producer_user_edges_first", "None": "none"}
# compute formats for inputs of a format: formats below 8 bits are for storage only; bools are Bfp2_b
_COMPUTED = {DataFormat.Float16: DataFormat.Float16, DataFormat.Float16_b: DataFormat.Float16_b,
             DataFormat.Bfp8: DataFormat.Bfp8, DataFormat.Bfp8_b: DataFormat.Bfp8_b,
             DataFormat.Bfp4: DataFormat.Float16, DataFormat.Bfp2: DataFormat.Float16,
             DataFormat.Bfp4_b: DataFormat.Float16_b}


def _chip_info(arch: BackendDevice) -> Any:
    """The largest device of one chip with this architecture, the first of several, from ttsim.devices(). RuntimeError
    for an architecture that is not simulated."""
    import ttsim
    known = ttsim.devices()
    single = [info for info in known if info.chips == 1 and info.chip == arch.to_string()]
    if not single:
        raise RuntimeError(f"arch {arch.name} is not simulated; known chips are "
                           f"{', '.join(sorted({info.chip for info in known}))}")
    return max(single, key=lambda info: info.rows * info.columns)


def _linked(arch: BackendDevice) -> list[Any]:
    """Products of several chips with this architecture, smallest first."""
    import ttsim
    return sorted((info for info in ttsim.devices() if info.chips > 1 and info.chip == arch.to_string()),
                  key=lambda info: info.chips)


def device_name(settings: Any, arch: BackendDevice, chips: int = 1) -> str:
    """A product, or a SoC descriptor file. RuntimeError for an architecture that is not simulated, or a product of
    another architecture."""
    product = config.product_of(settings.device_config)
    if product:
        named = BackendDevice.of_chip(_chip_of(product))
        if named != arch:
            raise RuntimeError(f"device_config '{settings.device_config}' is a {named.name}, the device was made with "
                               f"arch {arch.name}; make it with arch=pybuda.BackendDevice.{named.name}")
        return product
    descriptor = str(os.fspath(settings.backend_device_descriptor_path))
    if descriptor and (os.path.exists(descriptor) or os.path.dirname(descriptor)):
        return descriptor
    if descriptor:  # a name of a file installed with the vendor's software
        log.warning("there is no SoC descriptor '%s'; the whole chip is used (give the path of a file)",
                    descriptor)
    default = str(_chip_info(arch).name)
    if chips > 1 and (linked := _linked(arch)):
        return str(next((info.name for info in linked if info.chips >= chips), linked[-1].name))
    return next((name for name in simulated_products() if _chip_of(name) == arch.to_string()), default)


def _chip_of(product: str) -> str:
    """The chip of a product. RuntimeError for an unknown one."""
    import ttsim
    chips = {info.name: str(info.chip) for info in ttsim.devices()}
    if product not in chips:
        raise RuntimeError(f"there is no product '{product}'; products are {', '.join(sorted(chips))}")
    return chips[product]


def default_format(settings: Any, inputs: Sequence[DataFormat], fp32_fallback: DataFormat) -> DataFormat:
    """Format of all tensors: the configured one, or the widest of the exponent family of most float inputs, on a tie of
    8 bits. Narrower inputs have their own rules. RuntimeError for formats that ops do not compute in."""
    tensor_formats.check_computed("default_df_override", settings.default_df_override)
    tensor_formats.check_computed("fp32_fallback of the device", fp32_fallback)
    override: DataFormat | None = settings.default_df_override
    if override is not None:
        return override
    found = [fp32_fallback if given == DataFormat.Float32 else _COMPUTED[given] for given in inputs
             if given == DataFormat.Float32 or given in _COMPUTED]
    return tensor_formats.widest(found) if found else fp32_fallback


def options(settings: Any, device: Any, data_format: DataFormat, microbatch: int,
            formats: Mapping[str, DataFormat] | None = None) -> dict[str, Any]:
    """Keywords without overrides of single ops. `formats`: of inputs and parameters by name. RuntimeError for an
    invalid name in a field."""
    made: dict[str, Any] = {"device": device_name(settings, device.arch, len(device.chip_ids)), "keep_names": True,
                            "ignore_unknown": True, "fidelity": settings.default_math_fidelity.name}
    if settings.amp_level in (None, 0) or settings.default_df_override is not None or data_format.name != "Float16_b":
        made["format"] = data_format.name
    wanted: dict[str, tuple[Any, Any]] = {
        "microbatch": (microbatch, 1),
        "chips": (_chips(device), 1),
        "accumulate_format": (_accumulated(_of_floats(settings.default_accumulate_df), device), None),
        "amp": (settings.amp_level if settings.amp_level in (1, 2) else 0, 0),
        "amp_light": (getattr(settings, "_amp_light", 0) or int(os.environ.get("PYBUDA_AMP_LIGHT", "0") or 0), 0),
        "policy": (_choice(_POLICIES, op_overrides.policy_name(settings), "balancer_policy"), ""),
        "self_cut": (_choice(_CUTS, str(settings.graph_solver_self_cut_type), "graph_solver_self_cut_type"), ""),
        "stable_softmax": (bool(settings.enable_stable_softmax), True),
        "auto_fusing": (bool(settings.enable_auto_fusing), True),
        "t_streaming": (bool(settings.enable_t_streaming and not settings.manual_t_streaming), True),
        "prestride": (bool(settings.enable_conv_prestride), True),
        "round_constants": (not device.ignores_formats, True),
        "host_inputs": (bool(settings.input_queues_on_host), False),
        "host_outputs": (bool(settings.output_queues_on_host), False),
        "queue_channels": (_channels(settings.manual_dram_queue_placement), {}),
        "harvested_rows": ([row for row in range(32) if settings.harvesting_mask >> row & 1], []),
        "cluster": (os.fspath(settings.backend_cluster_descriptor_path), ""),
        "dram_placement": ("" if settings.dram_placement_algorithm == DRAMPlacementAlgorithm.ROUND_ROBIN
                           else settings.dram_placement_algorithm.name.lower(), ""),
    }
    made.update({name: value for name, (value, default) in wanted.items() if value != default})
    rules = tensor_formats.rules(formats or {}, data_format, settings, _chip_info(device.arch).wide_dest)
    with of_field("amp_properties", settings.amp_properties):
        rules += [_rule(one, device) for one in settings.amp_properties]
        if rules:
            made["format_rules"] = json.dumps({"rules": rules})
    return made


def _chips(device: Any) -> int:
    """Number of chips to use: only one if no product links several, such as for Grayskull."""
    if len(device.chip_ids) > 1 and not _linked(device.arch):
        log.warning("device '%s' has %d chips of %s, which have no Ethernet links on any product: one of them runs all "
                    "epochs; use arch=pybuda.BackendDevice.Wormhole_B0 to distribute them", device.name,
                    len(device.chip_ids), device.arch.name)
        return 1
    return len(device.chip_ids)


def _channels(placement: dict[str, Any]) -> dict[str, int]:
    """DRAM channels of queues: {queue: {"chip_id": .., "channel": ..}}, or {queue: (chip, channel)}."""
    with of_field("manual_dram_queue_placement", placement):
        found = {queue: place["channel"] if isinstance(place, dict) else place[1] for queue, place in placement.items()}
        return {str(queue): operator.index(channel) for queue, channel in found.items() if channel is not None}


def _choice(known: dict[str, str], name: str, field: str) -> str:
    if name not in known:
        raise RuntimeError(f"{field} '{name}' is not one of {', '.join(known)}")
    return known[name]


def _accumulated(data_format: DataFormat | None, device: Any) -> str | None:
    """32-bit accumulation if the chip supports it, else the device's fp32_fallback. Integers always accumulate in 32
    bits."""
    if data_format == DataFormat.Float32 and not _chip_info(device.arch).wide_dest:
        data_format = output_format(device.fp32_fallback)
    return data_format and data_format.name


def has_integer_rules(settings: Any) -> bool:
    """Whether a rule of configure_mixed_precision() has Int8 or Int32."""
    def formats(value: Any) -> list[Any]:
        if isinstance(value, dict):
            return [one for given in value.values() for one in formats(given)]
        return [one for given in value for one in formats(given)] if isinstance(value, (list, tuple)) else [value]

    with of_field("amp_properties", settings.amp_properties):
        return any(one in (DataFormat.Int8, DataFormat.Int32) for rule in settings.amp_properties
                   for one in formats([rule.output_df, rule.intermediate_df, rule.accumulate_df, rule.input_df]))


def _of_floats(data_format: DataFormat | None) -> DataFormat | None:
    """The format, or None for integers, which always accumulate as integers."""
    return None if data_format == DataFormat.Int32 else data_format


def _rule(rule: Any, device: Any) -> dict[str, Any]:
    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: plain(one) for key, one in value.items()}
        if isinstance(value, (list, tuple)):
            return [plain(one) for one in value]
        return value if isinstance(value, (bool, int)) else value.name

    made = {"op_type": rule.op_type, "name_regex": rule.name_regex, "gradient": rule.is_gradient_op,
            "program": None if rule.epoch_type is None else rule.epoch_type.name.lower()}
    made |= {name: plain(getattr(rule, name)) for name in
             ("output_df", "intermediate_df", "math_fidelity", "input_df") if getattr(rule, name) is not None}
    made["accumulate_df"] = _accumulated(rule.accumulate_df, device)
    return {name: value for name, value in made.items() if value is not None}
