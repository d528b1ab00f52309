"""`penstock esql test --json`: what pytest found out, as one JSON object instead of pytest's own report."""

from __future__ import annotations

from contextlib import redirect_stdout
from sys import stderr
from typing import Any

import pytest

from penstock.cli.printing import show_json
from penstock.esql.pytest_plugin import coverage_of


class Outcomes:
    """A pytest plugin that notes how each test ended; a file that cannot be read counts as a test."""

    def __init__(self) -> None:
        self.tests: dict[str, dict[str, Any]] = {}
        self.coverage: list[dict[str, Any]] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note a test; what failed while setting up or tearing down has failed."""
        known = self.tests.get(report.nodeid)
        if known is None or known["outcome"] == "passed":
            self._note(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note a file that cannot be read."""
        if report.failed:
            self._note(report)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Note which ESQL lines ran."""
        self.coverage = coverage_of(session.config)

    def _note(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        text = report.longreprtext if report.failed else ""
        self.tests[report.nodeid] = {"name": report.nodeid, "outcome": report.outcome, "text": text}


def run_as_json(arguments: list[str]) -> int:
    """Run pytest, print the outcome and return pytest's exit code; what tests print goes to stderr."""
    outcomes = Outcomes()
    with redirect_stdout(stderr):
        code = int(pytest.main([*arguments, "-p", "no:terminal"], plugins=[outcomes]))
    tests = list(outcomes.tests.values())
    counts = {
        word: sum(each["outcome"] == word for each in tests) for word in ("passed", "failed", "skipped")
    }
    show_json({"tests": tests, **counts, "coverage": outcomes.coverage})
    return code
