"""Passes that replace aten ops by calls of ttnn."""
