"""Tools: `python -m torch_ttnn.tools.NAME`. The scripts in tools/ of the repository start them under the names of the public
project."""
