"""Sweeps of these tests use the program that TTSIM names, as ctest sets it."""
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]


@pytest.fixture
def encoder():
    return str(ROOT / "examples/bert_encoder.yaml")


@pytest.fixture
def spec(encoder):
    """A function that makes the specification of a sweep of an encoder."""
    def made(**keys):
        return {"netlist": encoder, "device": "wh_n150", "axes": {"run.inputs_count": [1, 2]}, **keys}
    return made
