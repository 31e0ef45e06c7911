"""Every op of the table of conversions on random arguments, beside torch: ranks 0 to 5, odd sizes, broadcasts, dtypes.

TTSIM_LONG=N in the environment: N arguments of each instead of a few, other ones every time, and Bfp8_b as well."""
import collections
import os

import cases_compare  # noqa: F401
import cases_elementwise  # noqa: F401
import cases_indexing  # noqa: F401
import cases_network  # noqa: F401
import cases_places  # noqa: F401
import cases_reduce  # noqa: F401
import cases_shape  # noqa: F401
import pytest
import torch
from harness import BFP8_B, CASES, COMPILER, EXACT, FLOAT16_B, allowed, outcome
from hypothesis import HealthCheck, given, settings
from ttsim.torch import converted_ops

LONG = int(os.environ.get("TTSIM_LONG", "0"))
REFUSED = collections.Counter()  # of random arguments, by op and reason
PLAYED = collections.Counter()
NAMES = [one.name for one in CASES]


def _play(one, setting, examples):
    @settings(max_examples=examples, deadline=None, derandomize=not LONG, database=None,
              suppress_health_check=list(HealthCheck))
    @given(one.arguments())
    def run(drawn):
        with torch.no_grad():
            found = outcome(one, *drawn, setting)
        PLAYED[one.name] += 1
        if found.refused is not None:
            REFUSED[one.name, found.refused] += 1
            assert allowed(one, found.refused), found.refused
        assert not found.wrong, found.wrong
    run()


@pytest.mark.parametrize("one", CASES, ids=NAMES)
def test_every_op_is_torchs(one):
    _play(one, EXACT, LONG or 4)


@pytest.mark.parametrize("one", [one for one in CASES if one.exact16], ids=[o.name for o in CASES if o.exact16])
def test_in_float16_b(one):
    _play(one, FLOAT16_B, max(LONG // 5, 2))


@pytest.mark.skipif(not LONG, reason="TTSIM_LONG")
@pytest.mark.parametrize("one", [one for one in CASES if one.exact16], ids=[o.name for o in CASES if o.exact16])
def test_in_bfp8_b(one):
    _play(one, BFP8_B, max(LONG // 10, 2))


def test_no_op_of_the_table_is_without_cases():
    assert set(converted_ops()) == {one.target for one in CASES}


def test_refusals_of_random_arguments_are_listed_and_the_compilers_are_few():
    """Last: prints what the others met (pytest -rP)."""
    for (name, reason), count in sorted(REFUSED.items()):
        print(f"{count:5} {name}: {reason}")
    compilers = sum(count for (_, reason), count in REFUSED.items() if reason.startswith(COMPILER))
    print(f"{sum(PLAYED.values())} cases, {sum(REFUSED.values())} refused, {compilers} of them by the compiler")
    assert compilers <= max(3, 0.02 * sum(PLAYED.values()))
