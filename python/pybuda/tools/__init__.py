"""Tools, which can also be run as scripts."""
