"""Reads a report folder with ttnn-visualizer's own queries: python read_visualizer.py FOLDER [PERFORMANCE]. With a folder of
ops_perf_results.csv also links both. Needs ttnn-visualizer."""
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
if len(sys.argv) > 2:
    from ttnn_visualizer.agent.handles import ReportRegistry, load_report
    from ttnn_visualizer.agent.linking import operation_link

    registry = ReportRegistry()
    link = operation_link(registry, load_report(registry, sys.argv[1], sys.argv[2])["handle"]).as_response()
    print(f"{link['status']}: {link.get('matched_rows')} rows")
