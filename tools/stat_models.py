#!/usr/bin/env python3
"""torch_ttnn: stat_models; --help shows the options. Needs torch_ttnn, installed or on PYTHONPATH (build/python)."""
from torch_ttnn.tools.stat_models import main

if __name__ == "__main__":
    raise SystemExit(main())
