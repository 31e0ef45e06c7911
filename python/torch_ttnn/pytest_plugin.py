"""Plugin of pytest: compiles and records the models that tests name with record_property, and opens a device for them.

A test sets record_property("model_name", NAME), and record_property("torch_ttnn", (model, inputs, outputs)) to have the model
compiled, run, compared and recorded below metrics/. Marker compilation_xfail: the compiled run may fail."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import torch
import ttnn

from . import metrics
from .option import TorchTtnnOption
from .recording import called, compiled_form, record_compiled


def pytest_addoption(parser: Any) -> None:
    """--metrics-folder."""
    parser.addoption("--metrics-folder", default=metrics.FOLDER, help="folder of the metrics of torch_ttnn")


def pytest_configure(config: Any) -> None:
    """The markers."""
    for text in ("compilation_xfail(reason): the compiled model may fail", "converted_end_to_end: no aten op may remain",
                 "skip_platform(name): not for this chip, such as grayskull"):
        config.addinivalue_line("markers", text)


@pytest.fixture(scope="session")
def device() -> Iterator[Any]:
    """One device for the whole run."""
    opened = ttnn.open_device(device_id=0)
    yield opened
    ttnn.close_device(opened)


@pytest.fixture(autouse=True)
def _reset_torch_dynamo() -> Iterator[None]:
    """Each test compiles anew."""
    yield
    torch._dynamo.reset()


def pytest_runtest_setup(item: Any) -> None:
    """skip_platform."""
    for marker in item.iter_markers("skip_platform"):
        if marker.args and marker.args[0] in ttnn.get_arch_name():
            pytest.skip(f"not for {marker.args[0]}")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item: Any) -> Iterator[None]:
    """The test, then the compiled model."""
    outcome: Any = yield
    properties = dict(item.user_properties)
    name = properties.get("model_name")
    if name is None:
        return
    root = item.config.getoption("--metrics-folder")
    failed = outcome.excinfo is not None
    given = properties.get("torch_ttnn")
    metrics.save_pickle({"success": not failed, "run_time": None, "times": [], "test_name": item.name,
                         "error_message": str(outcome.excinfo[1]) if failed else ""}, name, "original-run_time_metrics", root)
    if failed or given is None:
        return
    item.user_properties[:] = [(key, value) for key, value in item.user_properties if key != "torch_ttnn"]  # reports hold text
    try:
        _compiled(item, name, given, root)
    except Exception as error:
        if item.get_closest_marker("compilation_xfail") is None:
            outcome.force_exception(error)
        else:
            _bypassed(item, name, given, root)


def _opened(item: Any) -> Any:
    return item._request.getfixturevalue("device")


def _compiled(item: Any, name: str, given: Any, root: str) -> None:
    """The model's own `device` fixture is used."""
    module, inputs, outputs = given if len(given) == 3 else _of_tester(*given)
    original = metrics.load_pickle(name, "original-run_time_metrics", {}, root)
    from .recording import timed
    with torch.no_grad():
        original["run_time"] = timed(module, inputs)[1]
    metrics.save_pickle(original, name, "original-run_time_metrics", root)
    option = TorchTtnnOption(device=_opened(item), metrics_path=name, verbose=False)
    training = isinstance(module, torch.nn.Module) and module.training
    with torch.enable_grad() if training else torch.no_grad():
        found = record_compiled(name, module, inputs, outputs, option, root=root, gradient=training)
    if item.get_closest_marker("converted_end_to_end") is not None and found["has_aten"]:
        raise AssertionError(f"{name}: aten ops remain: {[one['op'] for graph in option.report()['graphs'] for one in graph['stays']]}")


def _of_tester(tester: Any, outputs: Any) -> tuple[Any, Any, Any]:
    """A tester with a model and its inputs."""
    return getattr(tester, "model", None) or tester.framework_model, tester.inputs, outputs


def _bypassed(item: Any, name: str, given: Any, root: str) -> None:
    """Records the ops of a model that could not be compiled."""
    torch._dynamo.reset()
    option = TorchTtnnOption(device=_opened(item), metrics_path=name, verbose=False, bypass_compile=True)
    module, inputs = (given if len(given) == 3 else _of_tester(*given))[:2]
    with torch.no_grad():
        called(compiled_form(module, option), inputs)
    metrics.save_pickle(option.original_schema_list, name, "original-schema_list", root)
