"""The distributions ttsim-ttnn and ttsim-pybuda: what they install, that they do not overwrite the vendor's packages, and
that the extras of ttsim name them."""
import importlib.util
import pathlib
import shutil
import subprocess
import sys
import tomllib

import pytest

FOLDER = pathlib.Path(__file__).parents[2] / "distributions"
CONTENTS = {"ttnn": {"ttnn", "tt_lib", "libs"}, "pybuda": {"pybuda"}, "torch-ttnn": {"torch_ttnn", "torch_stat"}}


def loaded(name):
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_refusal(tmp_path):
    refusal = loaded("vendor_check").refusal
    assert refusal([str(tmp_path)], ("ttnn",), "ttsim-ttnn") == ""
    for name in ("ttsim-ttnn", "metal-libs"):
        info = tmp_path / f"{name.replace('-', '_')}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "RECORD").write_text("ttnn/__init__.py,,\n")
    assert "'metal-libs' is installed" in refusal([str(tmp_path)], ("ttnn",), "ttsim-ttnn")
    assert refusal([str(tmp_path)], ("pybuda",), "ttsim-pybuda") == ""


def pip(*words):
    return subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation", *map(str, words)],
                          capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("name", sorted(CONTENTS))
def test_installs(name, tmp_path):
    module = name.replace("-", "_")
    done = pip("--target", tmp_path, FOLDER / name)
    for left in ("build", f"ttsim_{module}.egg-info"):  # setuptools builds in the source folder
        shutil.rmtree(FOLDER / name / left, ignore_errors=True)
    assert done.returncode == 0, done.stderr
    found = {one.name for one in tmp_path.iterdir()}
    assert CONTENTS[name] <= found and f"ttsim_{module}-" in " ".join(found)
    own = {one.relative_to(tmp_path) for package in CONTENTS[name] for one in (tmp_path / package).rglob("*.py*") if one.suffix != ".pyc"}
    sources = FOLDER.parent
    assert own == {one.relative_to(sources) for package in CONTENTS[name] for one in (sources / package).rglob("*.py*") if one.suffix != ".pyc"}
    done = subprocess.run([sys.executable, "-P", "-c", f"import sys; sys.path.insert(0, {str(tmp_path)!r})\nimport {module}; print({module}.__file__)"],
                          capture_output=True, text=True, timeout=120)
    assert done.stdout.startswith(str(tmp_path)), done.stderr


def test_refuses_to_install_over_the_vendors(tmp_path):
    """In an environment in which another distribution has a package of this name."""
    subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", "--without-pip", tmp_path], check=True)
    site, = tmp_path.glob("lib/python*/site-packages")
    info = site / "pybuda-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: pybuda\nVersion: 1.0\n")
    (info / "RECORD").write_text("pybuda/__init__.py,,\n")
    done = subprocess.run([tmp_path / "bin" / "python", "setup.py", "--name"], cwd=FOLDER / "pybuda", capture_output=True, text=True,
                          env={"PYTHONPATH": str(pathlib.Path(importlib.util.find_spec("setuptools").origin).parents[1])})
    assert done.returncode == 1
    assert done.stderr.startswith("error: the distribution 'pybuda' is installed, whose packages this one would overwrite")


def test_extras():
    text = tomllib.loads((FOLDER.parents[1] / "pyproject.toml").read_text())
    settings = text["tool"]["scikit-build"]["metadata"]["optional-dependencies"]
    extras = loaded("extras").dynamic_metadata("optional-dependencies", settings)
    assert extras["pybuda"] == ["safetensors", f"ttsim-pybuda @ {(FOLDER / 'pybuda').as_uri()}"]
    assert extras["ttnn"] == [f"ttsim-ttnn @ {(FOLDER / 'ttnn').as_uri()}"]
    assert extras["test"] == ["pytest", "hypothesis"]
    packages = text["tool"]["scikit-build"]["wheel"]["packages"]
    assert [name for name in packages if not name.startswith("ttsim")] == []
