"""The pytest fixture `esql`: compile files, run a module on a message, compare trees, count ESQL lines.

    def test_billing(esql):
        billing = esql("esql/billing.esql", module="Billing")
        outcome = billing.run("<order><total>5</total></order>")
        billing.same(outcome.output, "<bill><total>5</total></bill>")

`--esql-coverage` shows at the end which ESQL lines ran. `penstock esql test` loads this, or a conftest with
`pytest_plugins = ["penstock.testing.pytest_plugin"]`; nothing else imports it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from penstock.esql.compiler.compile import compile_sources
from penstock.esql.coverage import LineCoverage, report
from penstock.esql.files import find_files, read_source
from penstock.esql.recordings import read_recording
from penstock.esql.source import Source
from penstock.esql.testing import Outcome, differences, run_module
from penstock.tree import Message, parse

if TYPE_CHECKING:
    from penstock.esql.library import Library, Module

_OPTION = "--esql-coverage"


class ModuleUnderTest:
    """A compiled module, as tests use it."""

    def __init__(self, module: Module, coverage: LineCoverage | None) -> None:
        self.module = module
        self.coverage = coverage

    def run(self, message: Message | bytes | str | Path | None = None, **options: Any) -> Outcome:
        """Run the module on a tree, on bytes or text of `domain`, or on a recorded message (a Path)."""
        given: Any = message
        if isinstance(message, Path):
            recording = read_recording(message)
            given = recording.message
            options.setdefault("environment", recording.environment)
            options.setdefault("local_environment", recording.local_environment)
        if self.coverage is None:
            return run_module(self.module, given, **options)
        with self.coverage:
            return run_module(self.module, given, **options)

    @staticmethod
    def same(actual: Message, expected: Message | bytes | str | Path, domain: str = "XMLNSC") -> None:
        """Fail with every difference if two trees are not the same."""
        if isinstance(expected, Path):
            expected = read_recording(expected).message
        elif not isinstance(expected, Message):
            expected = parse(expected.encode() if isinstance(expected, str) else expected, domain)
        found = differences(actual, expected)
        assert not found, "\n".join(found)


class Esql:
    """The value of the fixture: call it with files, folders or ESQL text."""

    def __init__(self, libraries: list[Library], coverage: LineCoverage | None) -> None:
        self.libraries = libraries
        self.coverage = coverage

    def __call__(self, *paths: str | Path, module: str, text: str = "") -> ModuleUnderTest:
        """Compile files (or `text`) together and return one of their modules."""
        sources = [read_source(path) for path in find_files([Path(each) for each in paths])]
        if text:
            sources.append(Source("text.esql", text))
        library = compile_sources(sources)
        self.libraries.append(library)
        return ModuleUnderTest(library.module(module), self.coverage)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that shows which ESQL lines ran."""
    parser.addoption(_OPTION, action="store_true", help="show which ESQL lines the tests ran")


_SEEN = pytest.StashKey[tuple[list[Any], "LineCoverage | None"]]()


@pytest.fixture
def esql(request: pytest.FixtureRequest) -> Esql:
    """Compile and run ESQL modules."""
    config = request.config
    if _SEEN not in config.stash:
        config.stash[_SEEN] = ([], LineCoverage() if config.getoption(_OPTION) else None)
    libraries, coverage = config.stash[_SEEN]
    return Esql(libraries, coverage)


def coverage_of(config: pytest.Config) -> list[dict[str, Any]]:
    """Return for each ESQL file how many lines it has, how many ran, and which did not."""
    libraries, coverage = config.stash.get(_SEEN, ([], None))
    found: dict[str, dict[str, Any]] = {}
    if coverage is None:
        return []
    for library in libraries:
        for file, lines, ran, missing in report(library, coverage):
            found.setdefault(file, {"file": file, "lines": lines, "ran": ran, "not_run": list(missing)})
    return list(found.values())


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Show the ESQL lines that did not run."""
    rows = coverage_of(config)
    if rows:
        terminalreporter.section("ESQL coverage")
    for each in rows:
        lines, ran = each["lines"], each["ran"]
        share = 100 * ran // lines if lines else 100
        left = ", ".join(map(str, each["not_run"])) or "-"
        terminalreporter.write_line(f"{each['file']}  {ran} of {lines} lines  {share}%  not run: {left}")
