"""Surfaces of the options declared in the schemas; scripts/generate-options writes them."""
