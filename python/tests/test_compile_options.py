"""Options of a compilation: every surface has the names, defaults and ranges of the schema."""
import os
import pathlib
import subprocess
import tomllib

import pytest

import ttsim
from ttsim import _ttsim
from ttsim._compile_keywords import CompileKeywords

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMA = ROOT / "compiler/options/compile_options.toml"
OPTIONS = [option for group in tomllib.loads(SCHEMA.read_text())["group"] for option in group["option"]
           if "on" not in option]
EMPTY = {"bool": False, "optional_bool": None, "int": 0, "uint": 0, "real": 0.0, "text": "", "format": "", "yaml": "",
         "ints": [], "texts": [], "numbers": {}}
MODEL = "%x = input : f32[1, 64]\n%w = constant [0.5] : f32[64, 32]\n%p = matmul %x, %w : f32[1, 32]\n" \
        "%s = softmax %p {axis = 1} : f32[1, 32]\noutput \"s\" = %s\n"


def default_of(option):
    return option["choices"][0] if "choices" in option else option.get("default", EMPTY[option["type"]])


def test_the_library_has_the_options_and_defaults_of_the_schema():
    made = _ttsim.CompileOptions()
    assert {option["key"]: getattr(made, option["key"]) for option in OPTIONS} == \
        {option["key"]: default_of(option) for option in OPTIONS}


def test_keywords_are_the_keys_of_the_schema():
    assert list(CompileKeywords.__annotations__) == [option["key"] for option in OPTIONS]


def test_the_command_line_has_every_flag_with_its_default():
    if "TTSIM" not in os.environ:
        pytest.skip("TTSIM names no ttsim program")
    text = subprocess.run([os.environ["TTSIM"], "compile", "--help"], capture_output=True, text=True, check=True).stdout
    shown = " ".join(text.split())
    for option in OPTIONS:
        if "flag" in option:
            for flag in option["flag"].replace("!", "").split(","):
                assert flag in shown, option["key"]
        if option["type"] in ("int", "real", "choice") and "unset" not in option and "flag" in option:
            assert f"Default: {default_of(option)}" in shown, option["key"]


def test_docstrings_are_the_sentences_of_the_page():
    page = " ".join((ROOT / "docs/options.md").read_text().split())
    for option in OPTIONS:
        text = getattr(_ttsim.CompileOptions, option["key"]).__doc__
        sentence, _, default = text.partition(". Default: ")
        sentence, _, limits = sentence.partition(". Range: ")
        assert sentence in page, option["key"]
        assert not limits or f"| {limits}" in page, option["key"]
        assert not default or default == "on" or f"| {default} |" in page, option["key"]


def test_the_library_and_the_command_line_compile_the_same_netlist(tmp_path):
    if "TTSIM" not in os.environ:
        pytest.skip("TTSIM names no ttsim program")
    model = tmp_path / "m.tg"
    model.write_text(MODEL)
    subprocess.run([os.environ["TTSIM"], "compile", model, "-o", tmp_path / "out"], check=True, capture_output=True)
    ours = ttsim.compile(ttsim.Graph.from_text(MODEL)).netlist
    by_command = (tmp_path / "out/netlist.yaml").read_text()
    without_first = [text.split("\n", 1)[1] if text.startswith("#") else text for text in (ours, by_command)]
    assert without_first[0] == without_first[1]


@pytest.mark.parametrize("option", [o for o in OPTIONS if "range" in o and o["type"] in ("int", "real")],
                         ids=lambda o: o["key"])
def test_values_out_of_range_are_refused(option):
    low, high = option["range"]
    graph = ttsim.Graph.from_text(MODEL)
    for value in (low - 1, high + 1):
        if value == option.get("off"):
            continue
        with pytest.raises(ttsim.InputError, match=f"option {option['key']} must be {low} to {high}, not"):
            ttsim.compile(graph, **{option["key"]: value})


def test_unknown_words_name_the_nearest():
    with pytest.raises(ttsim.InputError, match="'ribon' is not one of .*did you mean 'ribbon'"):
        ttsim.compile(ttsim.Graph.from_text(MODEL), policy="ribon")
    with pytest.raises(TypeError, match="no option 'polcy'"):
        ttsim.compile(ttsim.Graph.from_text(MODEL), polcy="ribbon")
