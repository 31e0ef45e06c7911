"""The CompilerConfig of the process."""
from __future__ import annotations

import dataclasses
import difflib
import hashlib
import json
import os
import pathlib
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import ttsim

from . import op_override_values
from ._C import DataFormat, MathFidelity
from ._C.balancer import OpOverride
from .config_fields import BY_NAME, FIELDS, PerfTraceLevel, TTIDumpFormat
from .config_json import from_plain, to_plain
from .whole_file import own_temporary_folder, write_whole

supported_backend_configurations = {
    "wh_n150": ("wh_n150", [11]), "wh_n300": ("wh_n300", []), "galaxy": ("galaxy", []), "gs_e150": ("gs_e150", []),
    "gs_e300": ("gs_e300", []), "bh_test": ("", []), "p100": ("p100a", []), "p150": ("p150a", []),
}


def product_of(device_config: str | None) -> str:
    """The product of `ttsim devices` for a device_config, the vendor's name or the product's own; "" for none."""
    if device_config in supported_backend_configurations:
        return str(supported_backend_configurations[device_config][0])
    return device_config or ""


_warned: set[str] = set()


class CompilerConfig:
    """Plain attributes, described in config_fields.py. Setting an unknown attribute gives one warning."""

    def __init__(self, **given: Any) -> None:
        for field in FIELDS:
            object.__setattr__(self, field.name, field.make_default())
        object.__setattr__(self, "device_config", None)
        self.apply_env_config_overrides()
        for name, value in given.items():
            setattr(self, name, value)
        if not self.backend_output_dir:
            self.backend_output_dir = self._default_output_dir()

    if TYPE_CHECKING:
        backend_output_dir: Any

        def __getattr__(self, name: str) -> Any: ...  # for type checkers: attributes of FIELDS

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in BY_NAME and name != "device_config" and name not in _warned and not name.startswith("_"):
            _warned.add(name)
            near = difflib.get_close_matches(name, BY_NAME, 1)
            meant = f"; did you mean '{near[0]}'?" if near else ""
            warnings.warn(f"CompilerConfig has no field '{name}'; setting it has no effect{meant}", stacklevel=2)
        object.__setattr__(self, name, value)

    def _default_output_dir(self) -> str:
        """Created when first needed, since it depends on settings and the running test."""
        base = os.environ.get("PYBUDA_BUILD_DIR", "") or own_temporary_folder("pybuda_build")
        what = json.dumps(self.to_dict(), sort_keys=True) + os.environ.get("PYTEST_CURRENT_TEST", "")
        made = os.path.join(base, hashlib.sha256(what.encode()).hexdigest()[:12])
        os.makedirs(made, exist_ok=True)
        return made

    def apply_env_config_overrides(self) -> None:
        """Applies environment variables, which override attributes. ValueError names a variable with an invalid
        value."""
        for field in FIELDS:
            text = os.environ.get("PYBUDA_" + field.variable, "") if field.variable else ""
            if text == "" or field.read is None:
                continue
            try:
                object.__setattr__(self, field.name, field.read(text))
            except (ValueError, KeyError) as error:
                raise ValueError(f"PYBUDA_{field.variable}={text}: {error}") from error
        if os.environ.get("PYBUDA_TTI_BACKEND_TILIZED_FORMAT", "0") not in ("", "0"):
            self.tti_dump_format = TTIDumpFormat.BACKEND_TILIZED
        if "PYBUDA_LOAD_CONFIG" in os.environ:
            self._take(json.loads(pathlib.Path(os.environ["PYBUDA_LOAD_CONFIG"]).read_text()))

    def dump(self) -> None:
        """Writes the configuration to the file in PYBUDA_DUMP_CONFIG, if set."""
        if os.environ.get("PYBUDA_DUMP_CONFIG"):
            write_whole(os.environ["PYBUDA_DUMP_CONFIG"], self.to_json())

    # --- as JSON

    def to_dict(self) -> dict[str, Any]:
        """Fields by name, with values that JSON supports."""
        return {name: to_plain(value) for name, value in vars(self).items() if not name.startswith("_")}

    def to_json(self) -> str:
        """Text for from_json()."""
        return json.dumps(self.to_dict(), indent=2)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> CompilerConfig:
        """From the result of to_dict(). Unknown names give a warning."""
        made = cls()
        made._take(values)
        return made

    @classmethod
    def from_json(cls, text: str) -> CompilerConfig:
        """From the result of to_json(). ValueError for invalid JSON."""
        return cls.from_dict(json.loads(text))

    def _take(self, values: dict[str, Any]) -> None:
        for name, value in values.items():
            setattr(self, name, from_plain(value))

    # --- single ops

    def enable_amp_light(self, level: int = 1) -> None:
        """Mantissas of weights of products have 8, 4, 4 bits at HiFi2, HiFi2, LoFi for levels 1, 2, 3; level 0:
        unchanged. AssertionError for another level."""
        assert level in (0, 1, 2, 3), f"amp_light level {level} is not from 0 to 3"
        self._amp_light = level

    def place_on_new_epoch(self, op_names: Any) -> None:
        """Starts a new epoch at the first of these ops."""
        self.op_names_to_epoch_break.append(_as_list(op_names))

    def place_on_new_chip(self, op_names: Any) -> None:
        """Starts a new chip at the first of these ops; on one chip a new epoch."""
        self.op_names_to_chip_break.append(_as_list(op_names))

    def place_queue_to_chip_dram(self, queue_name: str, *, chip_id: int | None = None,
                                 channel: int | None = None) -> None:
        """Sets the DRAM channel of a queue of the netlist; None: chosen by the compiler."""
        self.manual_dram_queue_placement[queue_name] = {"chip_id": chip_id, "channel": channel}

    def dont_fuse(self, op_names: Any) -> None:
        """Does not fuse these ops (names, or predicates of pybuda.query)."""
        self.op_names_dont_fuse.extend(_as_list(op_names))

    def manual_fuse(self, op_names: Any) -> None:
        """Fuses ops that match these regular expressions with their neighbours, regardless of the cost."""
        self.op_names_manual_fuse.extend(_as_list(op_names))

    def balancer_op_override(self, op_name: Any, attribute: str, value: Any) -> None:
        """RuntimeError for an unknown attribute or an invalid value."""
        if attribute not in _OVERRIDES:
            near = difflib.get_close_matches(attribute, _OVERRIDES, 1)
            raise RuntimeError(f"ops have no override '{attribute}'" + (f"; did you mean '{near[0]}'?" if near else
                               f"; overrides are {', '.join(_OVERRIDES)}"))
        value = op_override_values.read(op_name, attribute, value)
        of_op = self.balancer_op_overrides.setdefault(op_name, OpOverride())
        if attribute == "input_buffer_multiplier" and value is not None:
            value = {**(of_op.input_buffer_multiplier or {}), **value}
        setattr(of_op, attribute, value)

    def save_intermediates(self) -> bool:
        """Whether results of some ops are saved."""
        return bool(self.op_intermediates_to_save)


_OVERRIDES = tuple(field.name for field in dataclasses.fields(OpOverride))
_config: CompilerConfig | None = None


def _as_list(names: Any) -> list[Any]:
    return list(names) if isinstance(names, (list, tuple)) else [names]


def _get_global_compiler_config() -> CompilerConfig:
    """The active configuration."""
    global _config
    if _config is None:
        _config = CompilerConfig()
    return _config


def _set_global_compiler_config(config: CompilerConfig) -> None:
    """Makes `config` the active configuration."""
    global _config
    _config = config


def _clear_global_compiler_config() -> None:
    """The next use makes a new configuration."""
    global _config
    _config = None


def _set_pybuda_override_veto(general: dict[str, Any], environment: dict[str, str] | None = None) -> None:
    """Sets fields and environment variables, overriding earlier settings of a script."""
    os.environ.update(environment or {})
    for name, value in general.items():
        setattr(_get_global_compiler_config(), name, value)


_RENAMED = {"accumulate_df": "default_accumulate_df", "math_fidelity": "default_math_fidelity"}
_TYPES: dict[str, Any] = {"default_df_override": DataFormat, "accumulate_df": DataFormat,
                          "default_accumulate_df": DataFormat, "math_fidelity": MathFidelity,
                          "default_math_fidelity": MathFidelity, "performance_trace": PerfTraceLevel}


def set_configuration_options(
        enable_recompute: bool | None = None, balancer_policy: str | None = None, place_on_one_row: bool | None = None,
        enable_t_streaming: bool | None = None, manual_t_streaming: bool | None = None,
        enable_consteval: bool | None = None, default_df_override: DataFormat | None = None,
        accumulate_df: DataFormat | None = None, math_fidelity: MathFidelity | None = None,
        performance_trace: PerfTraceLevel | None = None, backend_opt_level: int | None = None,
        backend_output_dir: str | None = None, backend_device_descriptor_path: str | None = None,
        backend_cluster_descriptor_path: str | None = None, backend_runtime_params_path: str | None = None,
        backend_runtime_args: str | None = None, enable_auto_fusing: bool | None = None,
        enable_conv_prestride: bool | None = None, enable_stable_softmax: bool | None = None,
        amp_level: int | None = None, harvested_rows: Sequence[int] | None = None,
        store_backend_db_to_yaml: bool | None = None, input_queues_on_host: bool | None = None,
        output_queues_on_host: bool | None = None, enable_auto_transposing_placement: bool | None = None,
        use_interactive_placer: bool | None = None, op_intermediates_to_save: list[str] | None = None,
        enable_enumerate_u_kt: bool | None = None, enable_device_tilize: bool | None = None,
        dram_placement_algorithm: Any = None, chip_placement_policy: str | None = None,
        enable_forked_dram_inputs: bool | None = None, device_config: str | None = None, **fields: Any) -> None:
    """Sets the fields of these names, and other fields of CompilerConfig; None leaves a field unchanged.
    `harvested_rows`: harvested NoC rows of the device. RuntimeError for an unknown `device_config`, TypeError for an
    unknown name, AssertionError for values of wrong types."""
    named = {name: value for name, value in locals().items() if name not in ("place_on_one_row", "fields")}
    given = {name: value for name, value in {**named, **fields}.items() if value is not None}
    for name in fields:
        if name not in BY_NAME:
            near = difflib.get_close_matches(name, [*BY_NAME, *named], 1)
            raise TypeError(f"set_configuration_options has no option '{name}'"
                            + (f"; did you mean '{near[0]}'?" if near else ""))
    config = _get_global_compiler_config()
    if "backend_opt_level" in given:
        assert 0 <= given["backend_opt_level"] <= 4, f"backend_opt_level {backend_opt_level} is not from 0 to 4"
    for name, kind in _TYPES.items():
        assert name not in given or isinstance(given[name], kind), \
            f"{name} must be a {kind.__name__}, not {given[name]!r}"
    if "device_config" in given and device_config not in supported_backend_configurations:
        known = [*supported_backend_configurations, *(device.name for device in ttsim.devices())]
        if device_config not in known:
            raise RuntimeError(f"device_config '{device_config}' is not one of {', '.join(dict.fromkeys(known))}")
    if "harvested_rows" in given:
        config.harvesting_mask = sum(1 << row for row in set(given.pop("harvested_rows")))
    for name, value in given.items():
        setattr(config, _RENAMED.get(name, name), value)
