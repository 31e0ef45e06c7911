#!/usr/bin/env python3
"""torch_ttnn: generate_report; --help shows the options. Needs torch_ttnn, installed or on PYTHONPATH (build/python)."""
from torch_ttnn.tools.generate_report import main

if __name__ == "__main__":
    raise SystemExit(main())
