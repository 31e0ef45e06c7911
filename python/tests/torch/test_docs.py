"""Programs that pages of the documentation show, and what they print."""
import contextlib
import io
import pathlib
import re
import warnings

import pytest
from ttsim.torch import table

pytestmark = pytest.mark.docs
DOCS = pathlib.Path(__file__).resolve().parents[3] / "docs"
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture
def same_table():
    """A page shows how a conversion is added."""
    before = dict(table._conversions)
    yield
    table._conversions.clear()
    table._conversions.update(before)


def test_the_programs_of_the_page_print_what_it_shows(same_table):
    text = (DOCS / "torch-frontend.md").read_text(encoding="utf-8")
    names, printed, compared = {}, None, 0
    for kind, body in _BLOCK.findall(text):
        if kind == "python":
            out = io.StringIO()
            with contextlib.redirect_stdout(out), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                exec(compile(body, "torch-frontend.md", "exec"), names)
            printed = out.getvalue()
        elif kind == "" and printed is not None:
            assert printed == body
            compared, printed = compared + 1, None
    assert compared == text.count("```python") > 3
