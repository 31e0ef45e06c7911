"""Models that the vendor published netlists of, as graphs in text form, for scripts/quality."""
