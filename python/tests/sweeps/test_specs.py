"""Specifications: points, and what is refused before the first one runs."""
import contextlib
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ttsim.sweeps import SweepError, from_map
from ttsim.sweeps.axes import read_axis
from ttsim.sweeps.conditions import Condition


def test_points_are_the_product_of_axes_with_zipped_ones_together(spec):
    sweep = from_map(spec(axes={"run.inputs_count": [1, 2], "device": ["wh_n150", "gs_e150"], "run.programs": [["a"], ["b"]]},
                          zip=[["run.inputs_count", "run.programs"]], seeds=[0, 7]))
    assert list(sweep.points()) == [
        {"run.inputs_count": n, "device": device, "run.programs": program, "seed": seed}
        for (n, program), device, seed in itertools.product([(1, ["a"]), (2, ["b"])], ["wh_n150", "gs_e150"], [0, 7])]


def test_conditions_remove_points(spec):
    sweep = from_map(spec(axes={"run.inputs_count": [1, 2, 4], "seed": [0, 1, 2]},
                          where=["run.inputs_count * (seed + 1) <= 4", "not (seed == 0 and run.inputs_count in [1])"]))
    assert [(p["run.inputs_count"], p["seed"]) for p in sweep.points()] == [(1, 1), (1, 2), (2, 0), (2, 1), (4, 0)]


@given(st.integers(-50, 50), st.integers(0, 60), st.integers(1, 9))
def test_ranges_of_integers(low, width, step):
    values = read_axis("a", {"from": low, "to": low + width, "step": step}).values
    assert values == tuple(range(low, low + width + 1, step))


@given(st.floats(0.001, 10), st.integers(2, 40))
def test_log_ranges_have_equal_ratios(low, count):
    values = read_axis("a", {"from": low, "to": low * 100.0, "count": count, "scale": "log"}).values
    ratios = [b / a for a, b in zip(values, values[1:])]
    assert len(values) == count
    assert max(ratios) / min(ratios) < 1 + 1e-9


@pytest.mark.parametrize(("given", "message"), [
    ({"axes": {"run.input_count": [1]}}, "did you mean 'inputs_count'"),
    ({"axes": {"run.json": ["x"]}}, "is set by the sweep"),
    ({"axes": {"runs.inputs_count": [1]}}, "there is no axis 'runs.inputs_count'"),
    ({"axes": {"compile.effort": [1]}}, "only a 'model' is compiled"),
    ({"axes": {"run.inputs_count": []}}, "is a list of values, or a range"),
    ({"axes": {"run.inputs_count": [1, 1]}}, "the value 1 twice"),
    ({"axes": {"run.inputs_count": {"from": 1}}}, "'from' and 'to'"),
    ({"axes": {"run.inputs_count": {"from": 4, "to": 1}}}, "above 'to'"),
    ({"axes": {"run.inputs_count": {"from": 1, "to": 2, "stepp": 1}}}, "did you mean 'step'"),
    ({"axes": {}}, "at least one axis"),
    ({"axs": {}}, "did you mean 'axes'"),
    ({"measures": ["cycle"]}, "did you mean 'cycles'"),
    ({"measures": [{"name": "a", "path": "graphs["}]}, "is not a JMESPath expression"),
    ({"measures": ["compile_seconds"]}, "is of a compilation"),
    ({"objectives": ["pc"]}, "did you mean 'pcc'"),
    ({"zip": [["run.inputs_count", "seed"]]}, "there is no axis 'seed'"),
    ({"where": "run.inputs_count > seed"}, "there is no axis 'seed'"),
    ({"where": "__import__('os').system('true')"}, "only names of axes"),
    ({"where": "run.inputs_count >"}, "is not an expression"),
    ({"limits": {"second": 1}}, "did you mean 'seconds'"),
    ({"model": "m.onnx"}, "a sweep has one of"),
])
def test_mistakes_are_refused_with_the_nearest_name(spec, given, message):
    with pytest.raises(SweepError, match=message.replace("[", r"\[").replace("(", r"\(")):
        from_map(spec(**given))


@given(st.text(max_size=40))
def test_conditions_of_any_text_are_refused_or_evaluated(text):
    with contextlib.suppress(SweepError):
        Condition(text, ["a"]).holds({"a": 1})
