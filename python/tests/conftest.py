"""A run in which a test was skipped fails: 'scripts/setup python' installs what the tests need."""


EXPECTED = ("TTSIM_LONG", "TTSIM_PERF_TOOLS", "Skipped: Slurm:")


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
