"""A run in which a test was skipped fails: 'scripts/setup python' installs what the tests need.

With TTSIM_TEST_PART=K/N (scripts/turn), folders with many tests run every N-th test from the K-th. Files that the last
commits changed run whole, and so do tests with the marker docs: every change of the compiler or model may change what
pages of docs/ show."""
import os
import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
SLOW_FOLDERS = ("pybuda", "ttnn", "torch", "torch_ttnn", "frameworks")

EXPECTED = ("TTSIM_LONG", "TTSIM_PERF_TOOLS", "Skipped: Slurm:")


def changed_lately():
    """The test files that the last ten commits or the working tree changed."""
    names = []
    for command in (["log", "-n", "10", "--name-only", "--format="], ["diff", "--name-only", "HEAD"]):
        done = subprocess.run(["git", *command, "--relative", "--", "."], cwd=HERE, capture_output=True, text=True, check=True)
        names += done.stdout.split()
    return {HERE / name for name in names}


def pytest_collection_modifyitems(config, items):
    """Leaves the tests out whose turn it is not."""
    if not (given := os.environ.get("TTSIM_TEST_PART")):
        return
    part, parts = map(int, given.split("/"))
    whole = changed_lately()
    kept, left_out = [], []
    for index, item in enumerate(items):
        always = item.path in whole or item.get_closest_marker("docs")
        slow = item.path.parent.name in SLOW_FOLDERS and not always
        (left_out if slow and index % parts != part else kept).append(item)
    items[:] = kept
    config.hook.pytest_deselected(items=left_out)


def unexpected_skips(reporter):
    """Reports of skipped tests, except those of long runs (TTSIM_LONG), of tools in an environment of their own
    (TTSIM_PERF_TOOLS), and of Slurm where it cannot start."""
    skipped = reporter.stats.get("skipped", [])
    return [report for report in skipped if not any(word in report.longrepr[-1] for word in EXPECTED)]


def pytest_terminal_summary(terminalreporter):
    """Names the skipped tests."""
    for report in unexpected_skips(terminalreporter):
        terminalreporter.write_line(f"skipped, which fails the run: {report.nodeid}: {report.longrepr[-1]}")


def pytest_sessionfinish(session, exitstatus):
    """Exits with 1 after a skipped test."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if exitstatus == 0 and reporter and unexpected_skips(reporter):
        session.exitstatus = 1
