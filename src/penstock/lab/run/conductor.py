"""The conductor: runs tests step by step, stores the measurements, reports progress.

It skips finished steps, so a stopped or killed run continues where it was. Nothing is printed or computed
while a window is open. A failed step is stored with its reason, and the run continues.
"""

from __future__ import annotations

import re
import threading
import time
from typing import TYPE_CHECKING, Any

from penstock.lab.catalogue.availability import RUNS, state
from penstock.lab.load.crew import RoleFailed
from penstock.lab.load.ramp import Step as RampStep
from penstock.lab.load.server_process import ServerFailed
from penstock.lab.run.steps import planned, steps_of
from penstock.lab.run.window import Window
from penstock.model.errors import MQError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from penstock.lab.catalogue.test_file import Test
    from penstock.lab.load.system_under_test import Subject
    from penstock.lab.run.folder import RunFolder
    from penstock.lab.run.steps import Step
    from penstock.lab.run.window import Bench

FAILURES = (RoleFailed, ServerFailed, MQError, OSError, RuntimeError, ValueError, AssertionError)


_PATH = re.compile(r"(?<![\w.])/(?:[^\s/'\"]+/)+")  # paths are private: a run's folder contains none


class Conductor:
    """Runs tests into a folder."""

    def __init__(
        self, folder: RunFolder, bench: Bench, commit: str, tell: Callable[[str], None], sitting: int = 0
    ) -> None:
        self.folder = folder
        self.bench = bench
        self.stopping = threading.Event()
        self._commit = commit
        self._tell = tell
        self._sitting = sitting
        self._finished = folder.finished()
        self._place = len(self._finished)
        self._done = self._all = 0
        self._began = 0.0

    def run(self, tests: Sequence[Test]) -> bool:
        """Run all tests that can run; say whether all was done, or it was stopped."""
        running = [test for test in tests if state(test)[0] == RUNS]
        self._all = sum(planned(test, self.bench.tier) for test in running)
        self._began = time.monotonic()
        for test in running:
            if self.stopping.is_set():
                break
            self._test(test)
        self.folder.fold()
        return not self.stopping.is_set()

    def summary(self) -> str:
        """Return how many steps there are, and how many of them failed."""
        failed = sum(each["state"] == "failed" for each in self._finished.values())
        return f"{len(self._finished)} steps" + (f", {failed} failed" if failed else "")

    def _test(self, test: Test) -> None:
        steps = steps_of(test, self.bench.tier)
        expected, taken = planned(test, self.bench.tier), 0
        subject: Subject | None = None
        context = None
        try:
            step = next(steps, None)
            while step is not None and not self.stopping.is_set():
                if step.identity(self.bench.tier, self._commit) not in self._finished and context is None:
                    context = self.bench.subject(step.load)
                    subject = context.__enter__()
                outcome = self._step(step, subject)
                taken += 1
                self._done += taken <= expected
                try:
                    step = steps.send(outcome)
                except StopIteration:
                    step = None
        except FAILURES as failure:
            self._tell(f"{test.test}: {failure}")
        finally:
            self._done += max(0, expected - taken)
            if context is not None:
                context.__exit__(None, None, None)

    def _step(self, step: Step, subject: Subject | None) -> RampStep | None:
        identity = step.identity(self.bench.tier, self._commit)
        if identity not in self._finished:
            begun = time.time()
            try:
                window = self.bench.run(step.load, subject)
            except FAILURES as failure:
                window = Window(state="failed", why=_PATH.sub("", str(failure))[-500:])
            self._finished[identity] = self._keep(identity, step, window, begun)
            self._tell(self._line(step, window))
        found = self._finished[identity]
        if found["state"] == "failed":
            return None
        x = found["x"] if isinstance(found["x"], int) else 0
        return RampStep(x, found["rate"], found["response_s"], found["offered"])

    def _keep(self, identity: str, step: Step, window: Window, begun: float) -> dict[str, Any]:
        self._place += 1
        tier = self.bench.tier
        row = {
            "step_id": identity, "test": step.test.test, "variant": _text(step.variant),
            "x_name": step.test.x_name, "x": _number(step.x), "round": step.round, "place": self._place,
            "sitting": self._sitting, "begun": begun, "warm_s": tier.warm_s, "window_s": tier.window_s,
            "state": window.state, "why": window.why, "measured": window.measured, "unit": window.unit,
            "offered": window.offered, "messages": window.messages, "foreign_percent": window.foreign_percent,
            "kind": step.kind,
        }  # fmt: skip
        tables = {"steps": [row]}
        for name in ("samples", "times", "processes", "facts"):
            tables[name] = [{"step_id": identity, **each} for each in getattr(window, name)]
        summary = {
            "test": step.test.test, "x": step.x, "round": step.round, "state": window.state,
            "rate": window.rate, "response_s": window.response_s, "offered": window.offered,
        }  # fmt: skip
        self.folder.write_step(identity, summary, tables)
        return summary

    def _line(self, step: Step, window: Window) -> str:
        elapsed = time.monotonic() - self._began
        done = self._done + 1
        left = elapsed / done * max(0, self._all - done)
        at = ", ".join(f"{key} {value}" for key, value in step.point.items())
        if window.state == "failed":
            found = f"failed: {window.why.strip().splitlines()[-1] if window.why.strip() else ''}"
        elif window.measured == "probe":
            found = ", ".join(f"{fact['name']} {fact['value']:,.4g}" for fact in window.facts[:3])
        else:
            found = f"{window.rate:,.0f} {window.unit}/s, {window.response_s * 1000:,.2f} ms"
        return f"[{done}/{self._all}, {_span(left)} left] {step.test.test} ({at}): {found}"


def _text(variant: dict[str, Any]) -> str:
    return ", ".join(f"{key}={value}" for key, value in variant.items())


def _number(x: Any) -> float | None:
    return float(x) if isinstance(x, (int, float)) and not isinstance(x, bool) else None


def _span(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"
