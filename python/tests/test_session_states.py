"""Calls to ttsim.Session in any order, right and wrong ones, against a model of what its queues hold.

TTSIM_SESSION_EXAMPLES says how many sequences of calls are tried (scripts/fuzz session SECONDS)."""
import os
import pathlib
import unicodedata

import numpy
import pytest
import ttsim
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

ADD = pathlib.Path(__file__).resolve().parents[2] / "tests/runtime/one_add.yaml"  # y = a + b, 2 entries each
SLOTS = 2
EXAMPLES = os.environ.get("TTSIM_SESSION_EXAMPLES")
REFUSED = (ttsim.InputError, ttsim.UnsupportedError, ttsim.HangError)

names = st.one_of(st.sampled_from(["a", "b", "y", "sum", "g", "p", "", "\x1b[31m", "a\x00", "\udcff"]), st.text(max_size=8))
numbers = st.one_of(st.integers(-3, 5), st.sampled_from([2**31, 2**63 - 1, -2**63]))
cycles = st.one_of(st.none(), st.integers(0, 10_000), st.sampled_from([2**63, 2**64 - 1]))
wrong_numbers = st.sampled_from([float("nan"), float("inf"), -1.5, "1", None, 2**64, -2**64, [], b""])
values = st.sampled_from([0.0, 1.0, -2.0, 0.5, float("nan"), float("inf"), 3e38])
shapes = st.lists(st.integers(0, 65), max_size=5).map(tuple)


def commands_terminals(c):
    """Control characters, line separators, and what turns the direction of text."""
    turns = ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
    return c not in "\n\t" and (unicodedata.category(c) in ("Cc", "Zl", "Zp") or unicodedata.bidirectional(c) in turns)


class Calls(RuleBasedStateMachine):
    @initialize(engine=st.sampled_from(["functional", "full", "golden"]), threads=st.sampled_from([0, 1]))
    def begin(self, engine, threads):
        self.engine = engine
        self.session = ttsim.Session(ADD, chip="wormhole_b0", engine=engine, threads=threads)
        self.pushed = {"a": [], "b": []}
        self.runs = self.popped = 0

    def sums(self):
        """Entries of y as soon as the chip had time: of as many inputs as came, and as far as there is room."""
        return min(min(self.runs, len(self.pushed["a"]), len(self.pushed["b"])) - self.popped, SLOTS)

    # --- right calls ---
    @rule(queue=st.sampled_from(["a", "b"]), value=values)
    def push(self, queue, value):
        room = self.session.room(queue)
        try:
            self.session.push(queue, numpy.full((32, 32), value, numpy.float32), cycles=0)
        except ttsim.HangError:
            assert room == 0
        else:  # also where the chip took an entry in between
            self.pushed[queue].append(value)
            assert room > 0 or len(self.pushed["a"]) > 0 < len(self.pushed["b"]) or self.engine == "golden"

    @precondition(lambda self: self.runs < 12)
    @rule()
    def run(self):
        try:
            self.session.run("p")
        except ttsim.InputError:
            assert self.engine == "golden"  # computes at once, and wants its inputs there
        else:
            self.runs += 1
            assert self.session.ready("y") == self.sums()  # programs are over, or wait for inputs

    @precondition(lambda self: self.sums() > 0)
    @rule()
    def take(self):
        got = self.session.get("y")
        a, b = (self.pushed[queue][self.popped] for queue in "ab")
        with numpy.errstate(all="ignore"):
            wanted = numpy.float32(a) + numpy.float32(b)
        if numpy.isfinite(wanted) and abs(wanted) < 1e30:
            assert (got == wanted).all()
        self.session.pop("y", cycles=0)
        self.popped += 1

    # --- wrong calls: an error of its own kind, and nothing happened ---
    @rule(name=names, number=numbers, limit=cycles, which=st.sampled_from(["get", "pop", "ready", "room", "read", "run"]))
    def wrong(self, name, number, limit, which):
        if which == "run" and name == "p" or name == "y" and which in ("get", "pop"):
            return
        if limit is None and which in ("get", "pop"):
            limit = 0
        calls = {"get": lambda: self.session.get(name, number, limit), "pop": lambda: self.session.pop(name, number, limit),
                 "ready": lambda: self.session.ready(name), "room": lambda: self.session.room(name),
                 "read": lambda: self.session.read(name, number), "run": lambda: self.session.run(name, x=number)}
        try:
            calls[which]()
        except (*REFUSED, TypeError, UnicodeEncodeError) as error:
            assert not isinstance(error, ttsim.InternalError)
            assert not any(commands_terminals(c) for c in str(error)), "a terminal may show it"
        else:
            assert which in ("ready", "room") or number == 0 and which == "pop", (which, name, number)

    @rule(number=wrong_numbers, which=st.sampled_from(["get", "pop", "cycles", "slot", "parameter"]))
    def no_whole_number(self, number, which):
        calls = {"get": lambda: self.session.get("y", number, 0), "pop": lambda: self.session.pop("y", number, 0),
                 "cycles": lambda: self.session.get("a", 0, number), "slot": lambda: self.session.read("a", number),
                 "parameter": lambda: self.session.run("p", p_x=number)}
        with pytest.raises((TypeError, *REFUSED)):
            calls[which]()

    @rule(queue=st.sampled_from(["a", "b", "y"]), shape=shapes)
    def wrong_shape(self, queue, shape):
        if queue != "y" and tuple(shape)[-2:] == (32, 32) and all(n == 1 for n in shape[:-2]):
            return
        with pytest.raises((ValueError, *REFUSED)):
            self.session.push(queue, numpy.zeros(shape, numpy.float32), cycles=0)

    @invariant()
    def counts_agree(self):
        if not hasattr(self, "session"):
            return
        for queue in "ab":  # the host pushes into these
            assert 0 <= self.session.room(queue) <= SLOTS
        assert 0 <= self.session.ready("y") <= self.sums()


TestCalls = Calls.TestCase
TestCalls.settings = settings(max_examples=int(EXAMPLES or 30), stateful_step_count=30, deadline=None,
                              derandomize=EXAMPLES is None, suppress_health_check=list(HealthCheck))
