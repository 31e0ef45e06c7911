"""The programs of docs/training.md, and what they print."""
import contextlib
import io
import pathlib
import re
import warnings

import pytest

pytestmark = pytest.mark.docs
PAGE = pathlib.Path(__file__).resolve().parents[3] / "docs/training.md"
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_programs_of_the_page_print_what_it_shows():
    names, printed, compared = {}, None, 0
    for kind, body in _BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        if kind == "python":
            out = io.StringIO()
            with contextlib.redirect_stdout(out), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                exec(compile(body, "training.md", "exec"), names)
            printed = out.getvalue()
        else:
            assert printed == body
            compared += 1
    assert compared == 4
