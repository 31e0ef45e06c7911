"""docs/torch_ttnn.md and its tutorial: programs print what the pages show, and the table is that of the code."""
import contextlib
import io
import pathlib
import re

import pytest
from torch_ttnn.tools.conversions import table

pytestmark = pytest.mark.docs
DOCS = pathlib.Path(__file__).parents[3] / "docs"
PAGE = (DOCS / "torch_ttnn.md").read_text()


@pytest.mark.parametrize("page", ["torch_ttnn.md", "tutorials/compile-with-torch.md"])
def test_program(page):
    text = (DOCS / page).read_text()
    program = re.search(r"```python\n(.*?)```", text, re.S).group(1).replace("device_id=0", "device_id=5")  # 0 is in use
    shown = re.search(r"\nprints\n\n<!--.*?-->\n\n((?:    .*\n)+)", text).group(1)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(program, {"__name__": "docs"})
    cycles = r"(?<=last )\d+|(?<=first )\d+|\d+(?= cycles)"  # they depend on the number of the device
    assert re.sub(cycles, "N", printed.getvalue()) == re.sub(cycles, "N", re.sub("^    ", "", shown, flags=re.M))


def test_table():
    shown = re.search(r"<!-- conversions: begin -->\n\n(.*)\n<!-- conversions: end -->", PAGE, re.S).group(1)
    assert shown == table()
