"""python -m ttsim SCRIPT ARGUMENTS: runs a script with the packages pybuda, ttnn and tt_lib of ttsim on its path. They need
no installing, and are found before others of these names in this process only."""
from __future__ import annotations

import os
import runpy
import sys


def vendor_folder() -> str:
    """The folder with the packages that have the vendor's names."""
    here = os.path.dirname(os.path.abspath(__file__))
    inside = os.path.join(here, "vendor")
    return inside if os.path.isdir(inside) else os.path.dirname(here)


def main() -> None:
    """Runs the script that the first argument names."""
    if len(sys.argv) < 2:
        print("usage: python -m ttsim SCRIPT [ARGUMENTS]", file=sys.stderr)
        sys.exit(2)
    script = sys.argv[1]
    if not os.path.isfile(script):
        print(f"{script}: error: there is no such script", file=sys.stderr)
        sys.exit(2)
    sys.argv = sys.argv[1:]
    own = os.path.dirname(os.path.abspath(script))
    if sys.flags.safe_path:  # python -P: there is no entry for the current folder
        sys.path.insert(0, own)
    else:
        sys.path[0] = own
    sys.path.insert(1, vendor_folder())
    runpy.run_path(script, run_name="__main__")


if __name__ == "__main__":
    main()
