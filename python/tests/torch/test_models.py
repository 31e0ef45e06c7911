"""Small relatives of real networks through import, compiler and simulated chip, in the chip's formats.

Each network takes turns at the settings; with TTSIM_LONG=1 in the environment all have all."""
import os
import warnings

import models
import pytest
import torch
import ttsim
from ttsim.torch import import_module

HOST = {"embedding"}  # and what stands before it: work on integers
SETTINGS = [("wh_n150", "Float16_b", 0.99), ("gs_e150", "Bfp8_b", 0.97)]
RUNS = [(name, *setting) for k, name in enumerate(models.MODELS) for j, setting in enumerate(SETTINGS)
        if os.environ.get("TTSIM_LONG") or (k + j) % len(SETTINGS) == 0]


def pcc(a, b):
    pair = torch.stack([torch.cat([one.double().flatten() for one in part]) for part in (a, b)])
    return torch.corrcoef(pair)[0, 1].item()


@pytest.mark.parametrize("name, device, format, least", RUNS)
def test_a_network_is_torchs(name, device, format, least):
    if name in vars(models.language):
        pytest.importorskip("transformers")
    module, args, kwargs = models.make(name, small=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        imported = import_module(module, args, kwargs)
    with torch.no_grad():
        wanted = imported.evaluate(*args, **kwargs)
    compiled = ttsim.compile(imported.graph, device=device, format=format, amp=1 if format == "Bfp8_b" else 0)
    model = ttsim.Model(compiled, engine="functional")
    made = model.run(dict(zip(imported.inputs, imported.device_inputs(*args, **kwargs), strict=True)))
    got = imported.finish([torch.as_tensor(made[one]) for one in imported.outputs], *args, **kwargs)
    assert [one.shape for one in got] == [one.shape for one in wanted]
    assert pcc(got, wanted) >= least
    assert {one.op for one in imported.fallbacks if one.reason == "it is one of fallback_ops"} <= HOST
    assert {one.reason.split(" at ")[0] for one in imported.fallbacks} <= {"it is one of fallback_ops",
                                                                           "it runs before embedding"}
