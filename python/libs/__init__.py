"""The name under which TT-Dispatch is imported: from libs import tt_lib."""
import sys

import tt_lib

sys.modules["libs.tt_lib"] = tt_lib
__all__ = ["tt_lib"]
