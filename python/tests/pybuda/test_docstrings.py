"""Every public name says what it is for."""
import enum
import inspect

import pybuda
import pybuda.tools.tti_merge
import pytest
import torch
import ttsim
import ttsim.torch

MODULES = [pybuda, pybuda.op, pybuda.op.nn, pybuda.op.loss, pybuda.config, pybuda.verify, pybuda.query, pybuda.run.api,
           pybuda.op_repo, pybuda.optimizers, pybuda.schedulers, pybuda.torch_optimizers, pybuda.torch_schedulers,
           pybuda.transformers, pybuda.tools.tti_merge, pybuda.utils, pybuda.tensor, pybuda.pybudaglobal, pybuda._C,
           pybuda._C.backend_api, pybuda._C.balancer, ttsim, ttsim.torch]
OURS = ("pybuda", "ttsim")


def public(module):
    names = getattr(module, "__all__", None) or [name for name in vars(module) if not name.startswith("_")]
    for name in names:
        found = getattr(module, name)
        if (inspect.isclass(found) or inspect.isroutine(found)) and \
                (getattr(found, "__module__", "") or "").startswith(OURS):
            yield name, found


def lacking(name, found):
    """It, and what subclasses and programs call of a class, without a docstring of its own or of a base."""
    if not inspect.getdoc(found):
        yield name
    if not inspect.isclass(found) or found.__module__ == "ttsim._ttsim" or issubclass(found, enum.Enum):
        return
    for key, member in vars(found).items():
        called = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
        if key.startswith("_") or not inspect.isfunction(called) or called.__name__.startswith("_"):
            continue
        inherited = any(getattr(base, key, None) is not None and inspect.getdoc(getattr(base, key))
                        for base in found.__mro__[1:])
        if not called.__doc__ and not inherited:
            yield f"{name}.{key}"


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_public_names_have_docstrings(module):
    missing = [full for name, found in public(module) for full in lacking(name, found)]
    assert not missing, f"without a docstring in {module.__name__}: {', '.join(missing)}"


def test_a_name_without_a_docstring_is_found():
    class Bare(torch.nn.Module):
        """Of a test."""

        def says_nothing(self):
            return 1

    assert list(lacking("Bare", Bare)) == ["Bare.says_nothing"]
