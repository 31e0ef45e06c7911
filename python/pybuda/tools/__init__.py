"""Tools that are also scripts."""
