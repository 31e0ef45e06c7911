"""docs/frameworks.md says what the tests and the packages say."""
import importlib.metadata
import pathlib
import re
import tomllib

import pytest
import test_modules

ROOT = pathlib.Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs/frameworks.md").read_text()
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["scikit-build"]["metadata"]["optional-dependencies"]["extras"]


def test_each_row_of_the_table_of_modules_has_a_test():
    rows = re.findall(r"^\| [^|]+ \| `(\w+Module)` \|.*\| `(\w+)` \|$", PAGE, re.MULTILINE)
    assert len(rows) == 8
    for _, name in rows:
        assert callable(getattr(test_modules, name))


@pytest.mark.parametrize("extra", ["tensorflow", "jax", "torch"])
def test_versions_are_those_of_the_extras_and_of_this_environment(extra):
    row = next(line for line in PAGE.splitlines() if line.startswith(f"| `ttsim[{extra}]`"))
    for requirement in EXTRAS[extra]:
        name, version = requirement.split("==")
        assert f"{name} {version}" in row
        assert importlib.metadata.version(name).split("+")[0] == version


def test_tflite_has_the_packages_of_tensorflow():
    assert EXTRAS["tflite"] == EXTRAS["tensorflow"]
