"""Options of runs and sessions: every surface has the names, defaults and ranges of the schema."""
import inspect
import json
import os
import pathlib
import subprocess
import tomllib

import pytest

import ttsim
from ttsim import _ttsim
from ttsim._run_keywords import RunKeywords, SessionKeywords

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMA = ROOT / "sim/options/run_options.toml"
OPTIONS = [option for group in tomllib.loads(SCHEMA.read_text())["group"] for option in group["option"]]
EMPTY = {"bool": False, "int": 0, "uint": 0, "real": 0.0, "text": "", "ints": [], "texts": [], "numbers": {}, "names": {}}
NETLIST = ROOT / "examples/matmul_gelu.yaml"


def on(surface):
    return [option for option in OPTIONS if surface in option["on"]]


def default_of(option):
    return option["choices"][0] if "choices" in option else option.get("default", EMPTY[option["type"]])


def word_of(value):
    return value.name.lower() if isinstance(value, ttsim.Engine | ttsim.Numerics) else value


def test_sessions_have_the_options_and_defaults_of_the_schema():
    made = _ttsim.SessionOptions()
    assert {option["key"]: word_of(getattr(made, option["key"])) for option in on("session")} == \
        {option["key"]: default_of(option) for option in on("session")}
    assert set(SessionKeywords.__annotations__) == {option["key"] for option in on("session")}


def test_run_has_the_options_and_defaults_of_the_schema():
    assert set(RunKeywords.__annotations__) - set(SessionKeywords.__annotations__) == \
        {option["key"] for option in on("library_run")}
    parameters = inspect.signature(ttsim.run).parameters
    for option in on("library_run"):
        given = parameters[option["key"]].default
        assert (given or type(default_of(option))()) == default_of(option), option["key"]


def test_choices_are_the_words_of_the_schema():
    words = {option["key"]: option["choices"] for option in on("session") if "choices" in option}
    assert words == {"engine": [one.name.lower() for one in ttsim.Engine],
                     "numerics": [one.name.lower() for one in ttsim.Numerics]}


@pytest.mark.parametrize("option", [o for o in on("session") if "range" in o], ids=lambda o: o["key"])
def test_values_out_of_range_are_refused(option):
    low, high = option["range"]
    for value in (low - 1, high + 1):
        if value == option.get("off") or value < 0:
            continue
        given = [value] if option["type"] == "ints" else value
        for call in (lambda given=given: ttsim.run(NETLIST, **{option["key"]: given}),
                     lambda given=given: ttsim.Session(NETLIST, **{option["key"]: given})):
            with pytest.raises(ttsim.InputError, match=f"option {option['key']} must be {low} to {high}, not {value}"):
                call()


def test_unknown_keywords_are_refused():
    with pytest.raises(TypeError, match="no option 'other_threads'"):
        ttsim.Session(NETLIST, other_threads=1)
    with pytest.raises(TypeError, match="no option 'thread'"):
        ttsim.run(NETLIST, thread=1)


def test_the_command_line_and_the_library_run_the_same(tmp_path):
    if "TTSIM" not in os.environ:
        pytest.skip("TTSIM names no ttsim program")
    for engine in ("full", "timing", "functional"):
        subprocess.run([os.environ["TTSIM"], "run", NETLIST, "--json", tmp_path / f"{engine}.json", "--mode", engine],
                       check=True, capture_output=True)
        report = json.loads((tmp_path / f"{engine}.json").read_text())
        ours = ttsim.run(NETLIST, engine=engine, threads=1)
        assert ours.cycles == report.get("cycles", 0)


def test_docstrings_are_the_sentences_of_the_page():
    page = " ".join((ROOT / "docs/options.md").read_text().split())
    for option in on("session"):
        sentence, _, default = getattr(_ttsim.SessionOptions, option["key"]).__doc__.partition(". Default: ")
        sentence, _, limits = sentence.partition(". Range: ")
        assert sentence in page, option["key"]
        assert not limits or f"| {limits}" in page, option["key"]
        assert not default or f"| {default} |" in page, option["key"]
