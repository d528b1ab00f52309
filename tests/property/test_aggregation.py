"""Aggregations against a model of them: late, second and unknown replies, timers, and accidents at any call.

After an accident the flow goes on in what a power cut would have left: a copy of the queue manager's folder
taken at that moment. Whatever happened, each reply is in one place, and each trip ends once.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import penstock
from tests.aggregation_accidents import Accident
from tests.aggregation_fixtures import Trips, fan_in, fan_out, run
from tests.property.aggregation_model import Model, Trip

SECONDS = 1000.0
HELD_SECONDS = 500.0
CALLS_MAX = 40


class Crash(BaseException):
    """The process ends here."""


class Aggregations(RuleBasedStateMachine):
    @initialize(holds=st.booleans())
    def begin(self, holds: bool) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="aggregation-"))
        self.lives = 0
        self.texts = 0
        self.model = Model(holds)
        self.qm: Any = penstock.embed("QM1", create=True, home=self.folder / "0")
        self.back = fan_in(unknown_timeout=HELD_SECONDS if holds else 0)
        self.trips = Trips(self.qm, back=self.back)
        run(self.qm, self.trips.back, "Replies")  # the queues of records are there from now on

    # -- what happens ----------------------------------------------------------------------

    @rule(requests=st.integers(1, 4), timeout=st.booleans(), over=st.booleans(), at=st.integers(0, 12))
    def send(self, requests: int, timeout: bool, over: bool, at: int) -> None:
        flow = fan_out(("F",) * requests, timeout=SECONDS if timeout else 0)
        clock = (lambda: time.time() - 2 * SECONDS) if over else time.time
        self.qm.put("IN", b"trip", persistent=True)
        trips = Trips(self.qm, flow)
        self.suffer(at, lambda qm: run(qm, trips.out, "MQInput", 1, clock))
        if next(self.qm.browse("IN"), None) is not None:
            run(self.qm, trips.out, "MQInput", 1, clock)
        sent = [request.msg_id for request in Trips(self.qm).requests()]
        assert len(sent) == requests
        self.model.trips.append(Trip(sent, timeout, timeout and over))

    @precondition(lambda self: self.model.trips)
    @rule(which=st.randoms(use_true_random=False), count=st.integers(1, 4))
    def reply(self, which: Any, count: int) -> None:
        """Reply to any requests, answered or not, in trips that are over or not."""
        for _ in range(count):
            self.put(which.choice(which.choice(self.model.trips).requests))

    @rule()
    def reply_to_nobody(self) -> None:
        self.put(b"nobody".ljust(24, b"!"))

    @rule(batch=st.sampled_from([1, 3, 100]), at=st.integers(0, CALLS_MAX), afterwards=st.booleans())
    def collect(self, batch: int, at: int, afterwards: bool) -> None:
        waiting = len(self.model.coming)
        commits = self.suffer(at, lambda qm: run(qm, self.trips.back, "Replies", batch), afterwards)
        self.model.collect(None if commits is None else min(waiting, commits * batch))

    @rule(at=st.integers(0, CALLS_MAX), afterwards=st.booleans())
    def look(self, at: int, afterwards: bool) -> None:
        """Let the timers run at a time when everything is due."""
        clock = lambda: time.time() + SECONDS + 30  # noqa: E731
        commits = self.suffer(at, lambda qm: run(qm, self.trips.back, "AggregateReply", 1, clock), afterwards)
        held = len(self.model.held)
        self.model.examine(commits)
        if commits is None:
            for trip in self.model.due():
                self.model.end(trip, "LATE")
        else:
            self.end_as_seen(commits - held)

    # -- what must be ----------------------------------------------------------------------

    @invariant()
    def outputs_are_those_of_the_model(self) -> None:
        for queue, texts in self.model.outputs.items():
            found = [message.body.decode() for message in self.qm.browse(queue)]
            assert Counter(found) == Counter(texts), queue

    @invariant()
    def records_are_those_of_the_model(self) -> None:
        assert self.trips.kept() == self.model.kept()

    def teardown(self) -> None:
        if hasattr(self, "qm"):
            self.qm.close()
            shutil.rmtree(self.folder)

    # -- helpers ---------------------------------------------------------------------------

    def put(self, identifier: bytes) -> None:
        self.texts += 1
        text = f"r{self.texts}"
        self.qm.put("REPLIES", text.encode(), correl_id=identifier, persistent=True)
        self.model.coming.append((identifier, text))

    def suffer(self, at: int, work: Any, afterwards: bool = False) -> int | None:
        """Do some work with an accident; return how many units were committed, None when none happened."""
        life = self.folder / str(self.lives + 1)

        def strike() -> None:
            not_yet = shutil.ignore_patterns("*.NEW")  # log files that are being made beforehand
            shutil.copytree(self.folder / str(self.lives), life, ignore=not_yet)
            raise Crash

        accident = Accident(self.qm, at, strike, afterwards=afterwards)
        try:
            work(accident)
        except Crash:
            self.qm.close()
            self.lives += 1
            self.qm = penstock.embed("QM1", home=life)
            self.trips = Trips(self.qm, back=self.back)
            return accident.commits
        return None

    def end_as_seen(self, count: int) -> None:
        """Note which trips the timers ended before an accident: any of those that were due, in some order."""
        seen = Counter(message.body.decode() for message in self.qm.browse("LATE"))
        seen -= Counter(self.model.outputs["LATE"])
        ended = 0
        for trip in self.model.due():
            if seen[trip.line()]:
                seen[trip.line()] -= 1
                self.model.end(trip, "LATE")
                ended += 1
        assert ended == max(0, count)


TestAggregations = Aggregations.TestCase
TestAggregations.settings = settings(
    max_examples=20,
    stateful_step_count=12,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.explicit, Phase.reuse, Phase.generate),  # a step takes too long for shrinking
)
