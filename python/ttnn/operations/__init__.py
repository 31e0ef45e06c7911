"""Groups of ops by their names in the vendor's library."""
from . import moreh  # noqa: F401
