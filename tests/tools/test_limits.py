#!/usr/bin/env python3
"""What limits of memory, threads, descriptors and file sizes do to the programs: an error that says so, no abort."""
import http.client
import os
import pathlib
import re
import resource
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TTSIM = os.environ.get("TTSIM", str(ROOT / "build/release/bin/ttsim"))
TTPERF = os.environ.get("TTPERF", str(ROOT / "build/release/bin/ttperf"))
TTSMI = os.environ.get("TTSMI", str(ROOT / "build/release/bin/tt-smi"))
TTSIM_OPT = os.environ.get("TTSIM_OPT", str(ROOT / "build/release/bin/ttsim-opt"))
NETLIST = str(ROOT / "examples/eltwise_chain.yaml")
NOBODY = 65534
MACHINE_LIMIT = 71
MIB = 1 << 20


def limited(command, limits, **options):
    """Runs it under {resource: limit}; as root a limit of threads counts for another user alone."""

    def before():
        if resource.RLIMIT_NPROC in limits and os.geteuid() == 0:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
        for what, most in limits.items():
            resource.setrlimit(what, (most, resource.getrlimit(what)[1]))

    return subprocess.run(command, preexec_fn=before, capture_output=True, text=True, errors="replace", timeout=120,
                          stdin=subprocess.DEVNULL, check=False, **options)


class Limits(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.made = pathlib.Path(folder.name)
        cls.trace = cls.made / "run.ttperf"
        subprocess.run([TTSIM, "run", NETLIST, "--trace", cls.trace], capture_output=True, check=True)
        cls.out = cls.made / "out"
        cls.out.mkdir()

    def in_order(self, done, codes):
        """One of these exit codes, an error that says what to do, and nothing half written."""
        shown = f"{done.args[0]}: exit {done.returncode}\n{done.stdout[-300:]}\n{done.stderr[-600:]}"
        self.assertIn(done.returncode, codes, shown)
        if done.returncode != 0:
            self.assertRegex(done.stderr, r"error|unsupported", shown)
            self.assertNotRegex(done.stderr, "internal|terminate", shown)
        self.assertEqual([file.name for file in self.out.iterdir() if file.name.startswith(".")], [], shown)

    def test_every_amount_of_memory_ends_in_order(self):
        commands = [
            [TTSIM, "run", NETLIST, "--threads", "2", "--json", self.out / "r.json", "--trace", self.out / "r.ttperf",
             "--dump-io", self.out / "io"],
            [TTSIM, "run", NETLIST, "--mode", "functional", "--check", "ops"],
            [TTSIM, "explain", NETLIST],
            [TTSIM, "devices"],
            [TTPERF, self.trace],
            [TTSMI, "--help"],
            [TTSIM_OPT, "--help"],
        ]
        for command in commands:
            kept, fits = 0, False
            # finer steps where the run is under way: an allocation fails at another place in each
            for mib in [*range(16, 60, 8), *range(60, 120, 4), *range(120, 400, 20), 3000]:
                done = limited(command, {resource.RLIMIT_AS: mib * MIB})
                if done.returncode == 127:  # not one line of ours ran
                    self.assertRegex(done.stderr, "shared librar|cannot|allocate", str(command))
                    continue
                self.in_order(done, (0, MACHINE_LIMIT))
                kept += done.returncode == MACHINE_LIMIT
                fits = done.returncode == 0
                if fits and mib > 200:
                    break
                if done.returncode == MACHINE_LIMIT:
                    self.assertRegex(done.stderr, "out of memory|a resource limit was reached")
            self.assertTrue(fits, command)
            if command[1] == "run":
                self.assertGreater(kept, 2, command)

    def test_no_number_of_threads_changes_a_run(self):
        command = [TTSIM, "run", NETLIST, "--threads", "6"]
        usual = subprocess.run(command, capture_output=True, text=True, check=True)
        for most in range(6):
            done = limited(command, {resource.RLIMIT_NPROC: most}, cwd="/")
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, usual.stdout, ""), most)

    def test_any_number_of_descriptors_ends_in_order(self):
        for most in range(3, 16):
            done = limited([TTSIM, "run", NETLIST, "--json", self.out / "d.json"], {resource.RLIMIT_NOFILE: most})
            if done.returncode != 127:
                self.in_order(done, (0, 2, MACHINE_LIMIT))

    def test_a_file_that_may_not_grow_is_left_as_it_was(self):
        old = self.out / "old.json"
        old.write_text("{}")
        commands = [
            [TTSIM, "run", NETLIST, "--json", old],
            [TTSIM, "run", NETLIST, "--trace", self.out / "f.ttperf"],
            [TTSIM, "run", NETLIST, "--dump-io", self.out / "f.io"],
            [TTSIM, "export", self.trace, "--perfetto", self.out / "f.json"],
            [TTSIM, "export", self.trace, "--visualizer", self.out / "f.visualizer"],
        ]
        for command in commands:
            done = limited(command, {resource.RLIMIT_FSIZE: 300})
            self.in_order(done, (2,))
        self.assertEqual(old.read_text(), "{}")
        self.assertEqual([file.name for file in self.out.iterdir() if file.name.startswith("f.")], [])


class Served:
    """'ttsim report --serve', with a page of one line and at most so many descriptors."""

    def __init__(self, case, descriptors=1024):
        folder = tempfile.TemporaryDirectory()
        case.addCleanup(folder.cleanup)
        base = pathlib.Path(folder.name)
        shutil.copytree(ROOT / "configs", base / "configs")
        (base / "report.html").write_text("page @TTSIM_PAGE_DATA@")
        self.runs = base / "runs"
        self.runs.mkdir()
        (self.runs / "chain.yaml").write_text(pathlib.Path(NETLIST).read_text())
        self.process = subprocess.Popen(
            [TTSIM, "report", "--serve", self.runs, "--port", "0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, env=dict(os.environ, TTSIM_CONFIG_DIR=str(base / "configs")),
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, 4096)))
        case.addCleanup(self.end)
        self.port = int(re.search(r":(\d+)/", self.process.stdout.readline())[1])

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=20)

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=20)

    def get(self, path="/"):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.request("GET", path)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, text

    def processor_seconds(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Serving(unittest.TestCase):
    def test_idle_connections_do_not_block_the_page(self):
        served = Served(self)
        silent = [served.connect() for _ in range(300)]
        for one in silent[::3]:
            one.send(b"GET / HT")
        status, text = served.get()
        self.assertEqual(status, 200)
        self.assertIn("chain.yaml", text)
        self.assertEqual(served.get("/run/chain.yaml")[0], 200)
        self.assertLess(len(os.listdir(f"/proc/{served.process.pid}/fd")), 60)
        for one in silent:
            one.close()
        self.assertEqual(served.get()[0], 200)

    def test_without_descriptors_it_rests_and_goes_on_when_it_has_some(self):
        served = Served(self)
        used = len(os.listdir(f"/proc/{served.process.pid}/fd"))
        resource.prlimit(served.process.pid, resource.RLIMIT_NOFILE, (used, 4096))
        waiting = [served.connect() for _ in range(20)]
        before = served.processor_seconds()
        time.sleep(1.5)
        self.assertLess(served.processor_seconds() - before, 0.3)
        resource.prlimit(served.process.pid, resource.RLIMIT_NOFILE, (1024, 4096))
        for one in waiting:
            one.send(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            self.assertTrue(one.recv(12).startswith(b"HTTP/1.1 200"))
            one.close()
        self.assertEqual(served.get()[0], 200)

    def test_a_silent_caller_is_cut_off(self):
        served = Served(self)
        one = served.connect()
        one.send(b"GET / HTTP/1.1\r\nHost: localhost\r\n")
        ready, _, _ = select.select([one], [], [], 14)
        self.assertTrue(ready, "it is still connected after 14 s")
        self.assertEqual(one.recv(100), b"")
        one.close()


if __name__ == "__main__":
    unittest.main()
