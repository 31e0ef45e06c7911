#!/usr/bin/env python3
"""torch_ttnn: run_transformers; --help shows the options. Needs torch_ttnn, installed or on PYTHONPATH (build/python)."""
from torch_ttnn.tools.run_transformers import main

if __name__ == "__main__":
    raise SystemExit(main())
