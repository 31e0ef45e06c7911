"""The programs of tutorials, and what they print."""
import contextlib
import io
import pathlib
import re
import warnings

import pybuda
import pytest

pytestmark = pytest.mark.docs
TUTORIALS = pathlib.Path(__file__).resolve().parents[3] / "docs/tutorials"
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", ["run-a-pybuda-program.md", "train-a-model.md"])
def test_the_programs_of_the_page_print_what_it_shows(page):
    pybuda.pybuda_reset()
    names, printed, compared = {}, None, 0
    for kind, body in _BLOCK.findall((TUTORIALS / page).read_text(encoding="utf-8")):
        if kind == "python":
            out = io.StringIO()
            with contextlib.redirect_stdout(out), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                exec(compile(body, page, "exec"), names)
            printed = out.getvalue()
        else:
            assert printed == body
            compared += 1
    assert compared == 2
    pybuda.pybuda_reset()
