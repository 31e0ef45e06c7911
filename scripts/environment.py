"""The Python environment that a script needs. A script that is started by a Python without its packages runs again by
the one of the environment, so that all are started alike: scripts/gradients."""
import __main__
import importlib.util
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PACKAGES = str(ROOT / "build/python")


def use(*packages, folder="build/venv", setup="python"):
    """Adds the packages of the build to the path, and makes sure that `packages` can be imported.

    Where one is missing, the environment in `folder` runs the script. Exits with the remedy if it lacks one as well."""
    if PACKAGES not in sys.path:
        sys.path.append(PACKAGES)
    missing = [name for name in packages if importlib.util.find_spec(name) is None]
    if not missing:
        return
    script = pathlib.Path(__main__.__file__)
    python = ROOT / folder / "bin/python"
    if python.exists() and not os.path.samefile(sys.prefix, ROOT / folder):
        os.execv(python, [str(python), str(script), *sys.argv[1:]])
    if {"-h", "--help"} & set(sys.argv[1:]):
        print(__main__.__doc__)
        sys.exit(0)
    sys.exit(f"{script.name}: {', '.join(missing)} missing: 'scripts/setup {setup}' creates {folder}, and 'scripts/build' "
             "adds ttsim's own packages")
