"""python -m ttsim SCRIPT: packages of the vendor's names without installing them."""
import subprocess
import sys


def test_script(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("import sys, ttnn, tt_lib\nfrom libs import tt_lib as same\nassert same is tt_lib\n"
                      "print(__name__, sys.argv, ttnn.TILE_SIZE)\nsys.exit(3)\n")
    done = subprocess.run([sys.executable, "-m", "ttsim", str(script), "a", "--b"], capture_output=True, text=True)
    assert done.returncode == 3, done.stderr
    assert done.stdout == f"__main__ {[str(script), 'a', '--b']} 32\n"
    done = subprocess.run([sys.executable, "-m", "ttsim", str(tmp_path / "none.py")], capture_output=True, text=True)
    assert done.returncode == 2 and "there is no such script" in done.stderr
