"""The distribution ttsim-ttnn: what it installs, and that it does not overwrite the vendor's packages."""
import importlib.util
import pathlib
import shutil
import subprocess
import sys

FOLDER = pathlib.Path(__file__).parents[2] / "distributions" / "ttnn"


def test_refusal(tmp_path):
    spec = importlib.util.spec_from_file_location("vendor_check", FOLDER / "vendor_check.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.refusal([str(tmp_path)]) == ""
    for name in ("ttsim-ttnn", "metal-libs"):
        info = tmp_path / f"{name.replace('-', '_')}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "RECORD").write_text("ttnn/__init__.py,,\n")
    assert "'metal-libs' is installed" in module.refusal([str(tmp_path)])


def test_installs(tmp_path):
    done = subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation", "--target",
                           str(tmp_path), str(FOLDER)], capture_output=True, text=True, timeout=120)
    for left in ("build", "ttsim_ttnn.egg-info"):  # setuptools builds in the source folder
        shutil.rmtree(FOLDER / left, ignore_errors=True)
    assert done.returncode == 0, done.stderr
    assert {"ttnn", "tt_lib", "libs"} <= {one.name for one in tmp_path.iterdir()}
    assert (tmp_path / "tt_lib" / "tensor" / "ops.py").is_file()
