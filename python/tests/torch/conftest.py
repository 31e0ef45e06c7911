"""Networks of python/models, and what the tests share."""
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2]))
