"""Prepares the loading of the extension module; imported before it.

TensorFlow publishes its own protobuf to every library that is loaded after it. The extension has another version, so
after TensorFlow it is loaded with its own libraries first in its search order."""
import os
import sys

before = sys.getdlopenflags() if hasattr(sys, "getdlopenflags") else 0
if "tensorflow" in sys.modules and hasattr(os, "RTLD_DEEPBIND"):
    sys.setdlopenflags(before | os.RTLD_DEEPBIND)


def done() -> None:
    """Restores the flags of later modules."""
    if hasattr(sys, "setdlopenflags"):
        sys.setdlopenflags(before)
