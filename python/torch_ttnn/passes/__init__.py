"""The passes from an aten graph to one of ttnn calls; pipeline.py has their order."""
