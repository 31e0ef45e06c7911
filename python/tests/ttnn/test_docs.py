"""docs/ttnn.md: its program prints what the page shows, and its table is that of the code."""
import contextlib
import io
import pathlib
import re

import pytest
from ttsim.eager.op_table import table

pytestmark = pytest.mark.docs
PAGE = (pathlib.Path(__file__).parents[3] / "docs" / "ttnn.md").read_text()


def test_program():
    program = re.search(r"```python\n(.*?)```", PAGE, re.S).group(1)
    shown = re.search(r"\nprints\n\n<!--.*?-->\n\n((?:    .*\n)+)", PAGE).group(1)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(program, {})
    assert printed.getvalue() == re.sub("^    ", "", shown, flags=re.M)


def test_table():
    shown = re.search(r"<!-- ops: begin -->\n\n(.*)<!-- ops: end -->", PAGE, re.S).group(1)
    assert shown == table()


def test_stubs():
    import ttnn
    from ttnn.stubs import stubs
    folder = pathlib.Path(ttnn.__file__).parent
    for name, text in stubs().items():  # python -m ttnn.stubs python/ttnn
        assert (folder / name).read_text(encoding="utf-8") == text
