import os
import sys

import lit.formats

here = os.path.dirname(__file__)
config.name = "ttsim"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".yaml", ".test", ".tg"]
config.excludes = ["inputs"]
config.test_source_root = here
config.test_exec_root = lit_config.params["OUT"]
config.substitutions += [
    # %exits 2 COMMAND: succeeds when COMMAND exits with 2
    ("%exits", f"{sys.executable} {os.path.join(here, 'exits.py')}"),
    # %same A B: compares two reports except for measured times
    ("%same", f"{sys.executable} {os.path.join(here, 'same_report.py')}"),
    ("%python", sys.executable),
    ("%ttsim", lit_config.params["TTSIM"]),
    ("%ttperf", lit_config.params["TTPERF"]),
    ("%smi", os.path.join(os.path.dirname(lit_config.params["TTSIM"]), "tt-smi")),
    ("%opt", lit_config.params["OPT"]),
    ("%examples", os.path.join(lit_config.params["ROOT"], "examples")),
    ("FileCheck", lit_config.params["FILECHECK"]),
]
