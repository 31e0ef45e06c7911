#!/usr/bin/env python3
"""torch_ttnn: collect_metrics; --help shows the options. Needs torch_ttnn, installed or on PYTHONPATH (build/python)."""
from torch_ttnn.tools.collect_metrics import main

if __name__ == "__main__":
    raise SystemExit(main())
