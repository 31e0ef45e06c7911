"""docs/torch_ttnn.md: its program prints what the page shows, and its table is that of the code."""
import contextlib
import io
import pathlib
import re

from torch_ttnn.tools.conversions import table

PAGE = (pathlib.Path(__file__).parents[3] / "docs" / "torch_ttnn.md").read_text()


def test_program():
    program = re.search(r"```python\n(.*?)```", PAGE, re.S).group(1).replace("device_id=0", "device_id=5")  # 0 is in use
    shown = re.search(r"\nprints\n\n<!--.*?-->\n\n((?:    .*\n)+)", PAGE).group(1)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(program, {"__name__": "docs"})
    assert printed.getvalue() == re.sub("^    ", "", shown, flags=re.M)


def test_table():
    shown = re.search(r"<!-- conversions: begin -->\n\n(.*)\n<!-- conversions: end -->", PAGE, re.S).group(1)
    assert shown == table()
