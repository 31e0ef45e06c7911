"""Settings of verification."""
from __future__ import annotations

import dataclasses
import enum
import os
from collections.abc import Callable
from typing import Any

from .._C import DataFormat
from ..argument_kinds import check
from .._C.backend_api import BackendDevice, BackendType, DeviceMode, golden_arch


class TestKind(enum.Enum):
    """The passes that a test runs."""
    __test__ = False  # not a test class for pytest
    INFERENCE = 1
    TRAINING = 2
    TRAINING_RECOMPUTE = 3

    def is_training(self) -> bool:
        """Whether there is a backward pass."""
        return self != TestKind.INFERENCE

    def is_recompute(self) -> bool:
        """Whether the backward pass recomputes forward ops."""
        return self == TestKind.TRAINING_RECOMPUTE

    @staticmethod
    def get(training: bool, recompute: bool = False) -> TestKind:
        """The type for these flags."""
        if not training:
            return TestKind.INFERENCE
        return TestKind.TRAINING_RECOMPUTE if recompute else TestKind.TRAINING

    @staticmethod
    def get_all(training: bool, recompute: bool = False) -> list[TestKind]:
        """The types for these flags, inference first."""
        kinds = [TestKind.INFERENCE, TestKind.TRAINING] if training else [TestKind.INFERENCE]
        return [*kinds, TestKind.TRAINING_RECOMPUTE] if training and recompute else kinds


def check_fields(verify_cfg: VerifyConfig) -> None:
    """RuntimeError for a field of another type than its default, or None. Fields for training may have any value."""
    also: dict[type, tuple[type, ...]] = {bool: (int,), float: (int,), list: (tuple,), dict: (float, int)}
    for field in dataclasses.fields(VerifyConfig):
        default, value = getattr(_DEFAULTS, field.name), getattr(verify_cfg, field.name)
        of_training = field.name in ("optimizer", "scheduler", "waive_gradient_errors", "scale_loss")
        if default is not None and value is not None and not of_training:
            check(f"{field.name} of VerifyConfig", value, (type(default), *also.get(type(default), ())))


class NebulaGalaxy:
    """A galaxy: chip 0 and the chips linked to it."""
    chip_ids = [0, 11, 10, 9, 8, 7, 19, 20, 21, 22, 23, 24, 6, 5, 14, 13, 12, 16, 15, 3, 4, 26, 25, 32, 31, 30, 29, 28,
                27, 1, 2, 18, 17]


def _flag(name: str, default: bool = False) -> Callable[[], bool]:
    return lambda: os.environ.get(name, "1" if default else "0") not in ("", "0")



@dataclasses.dataclass
class VerifyConfig:
    """`rtol` and `atol`: by dtype, or one for all; `relative_atol`: of the largest value; `pcc`: minimum correlation,
    None: 0.99."""
    graph_name: str = "graph"
    enabled: bool = True
    intermediates: bool = True
    rtol: dict[Any, Any] = dataclasses.field(default_factory=dict)
    atol: dict[Any, Any] = dataclasses.field(default_factory=dict)
    relative_atol: float = 0.1
    pcc: float | None = None
    dump_tensors_path: str = ""
    run_golden: bool = dataclasses.field(default_factory=_flag("PYBUDA_VERIFY_GOLDEN"))
    run_net2pipe: bool = False
    golden_ignore_df_precision: bool = True
    chip_ids: Any = None
    num_chips: int | None = None
    golden_compare_callback: Callable[..., Any] | None = None
    verify_each_buda_pass: bool = False
    verify_tvm_compile: bool = False
    verify_pipeline_result_vs_framework: bool = False
    verify_pybuda_codegen_vs_framework: bool = False
    verify_all: bool = dataclasses.field(default_factory=_flag("PYBUDA_FORCE_VERIFY_ALL"))
    verify_last: bool = True
    verify_post_autograd_passes: bool = dataclasses.field(default_factory=_flag("PYBUDA_VERIFY_POST_AUTOGRAD_PASSES"))
    verify_post_placer: bool = dataclasses.field(default_factory=_flag("PYBUDA_VERIFY_POST_PLACER"))
    waive_gradient_errors: set[str] = dataclasses.field(default_factory=set)
    override_module_outptus: Any = None
    sequential: bool = True
    test_kind: TestKind = TestKind.INFERENCE
    devtype: BackendType = BackendType.Golden
    devmode: DeviceMode = DeviceMode.CompileAndRun
    arch: BackendDevice = dataclasses.field(default_factory=golden_arch)
    scale_loss: float = 50.0
    optimizer: Any = dataclasses.field(default_factory=lambda: {"type": "sgd", "params": {"learning_rate": 50.0}})
    scheduler: Any = None
    epochs: int = 1
    steps: int = 1
    accumulation_steps: int = 1
    microbatch_count: int = 1
    epoch_breaks: list[str] = dataclasses.field(default_factory=list)
    fp32_fallback: DataFormat = DataFormat.Float16_b
    skip_shutdown: bool = False
    tti_path: str | None = None
    checkpoint_interval: int = 1
    enable_input_gradient_checking: bool = True
    enable_parameter_gradient_checking: bool = True
    trust_host_parts: bool = False  # of the image at tti_path, with devmode RunOnly

    @classmethod
    def disabled(cls) -> VerifyConfig:
        """Disables comparisons."""
        return cls(enabled=False, intermediates=False, run_golden=False, verify_all=False, verify_last=False,
                   verify_post_autograd_passes=False, verify_post_placer=False)

    def total_number_of_inputs(self) -> int:
        """Number of pushes of a whole test."""
        return self.epochs * self.steps * self.accumulation_steps * self.microbatch_count


_DEFAULTS = VerifyConfig()
