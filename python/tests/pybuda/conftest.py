"""Each test begins with no device, no configuration and the same random numbers."""
import os

import pybuda
import pytest
import torch
from hypothesis import settings

settings.register_profile("pybuda", database=None)  # nothing is written beside the tests
settings.load_profile("pybuda")


@pytest.fixture(autouse=True)
def fresh():
    before = dict(os.environ)
    torch.manual_seed(0)
    pybuda.pybuda_reset()
    yield
    pybuda.pybuda_reset()
    os.environ.clear()
    os.environ.update(before)


@pytest.fixture
def eight_chips(monkeypatch):
    """Instead of one wh_n150's."""
    monkeypatch.setenv("PYBUDA_OVERRIDE_NUM_CHIPS", "8")
