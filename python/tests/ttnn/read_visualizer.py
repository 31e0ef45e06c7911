"""Reads a report folder with ttnn-visualizer's own queries: python read_visualizer.py FOLDER. Needs ttnn-visualizer."""
import pathlib
import sqlite3
import sys
from types import SimpleNamespace

from ttnn_visualizer.queries import DatabaseQueries

path = pathlib.Path(sys.argv[1]) / "db.sqlite"
try:
    queries = DatabaseQueries(SimpleNamespace(profiler_path=str(path), remote_connection=None), sqlite3.connect(path))
except TypeError:
    queries = DatabaseQueries(connection=sqlite3.connect(path))
operations = list(queries.query_operations())
counts = [len(list(query())) for query in (queries.query_devices, queries.query_tensors, queries.query_buffers,
                                           queries.query_input_tensors, queries.query_output_tensors,
                                           queries.query_operation_arguments)]
print([one.name for one in operations], counts)
print(sorted((one.core_x, one.core_y, one.page_size) for one in queries.query_buffer_pages() if one.page_size != 0))
