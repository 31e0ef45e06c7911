"""Models with published netlists of the vendor, as graphs in text form, for scripts/quality."""
