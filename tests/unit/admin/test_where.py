"""WHERE: every operator, and what it cannot be asked."""

from __future__ import annotations

import pytest

from penstock.admin.mqsc import run
from tests.unit.admin.engine_double import NOW, EngineDouble

SCRIPT = """
DEFINE QLOCAL(A) MAXDEPTH(10) DESCR('apple') GET(DISABLED)
DEFINE QLOCAL(B) MAXDEPTH(20) DESCR('banana')
DEFINE QLOCAL(C) MAXDEPTH(30) MAXFSIZE(100)
DEFINE NAMELIST(N1) NAMES(A,B)
DEFINE NAMELIST(N2) NAMES(B,CAB)
"""


@pytest.fixture
def engine() -> EngineDouble:
    engine = EngineDouble()
    run(engine, SCRIPT, NOW)
    engine.depths["B"] = 7
    return engine


def found(engine: EngineDouble, command: str) -> str:
    names = [reply.attributes for reply in run(engine, command, NOW) if reply.attributes]
    return "".join(
        str(next(iter(row.values())))
        for row in names
        if not str(next(iter(row.values()))).startswith("SYSTEM")
    )


@pytest.mark.parametrize(
    ("condition", "names"),
    [
        ("MAXDEPTH LT 20", "A"),
        ("MAXDEPTH GT 20", "C"),
        ("MAXDEPTH EQ 20", "B"),
        ("MAXDEPTH NE 20", "AC"),
        ("MAXDEPTH LE 20", "AB"),
        ("MAXDEPTH GE 20", "BC"),
        ("DESCR LK 'ban*'", "B"),
        ("DESCR NL 'ban*'", "AC"),
        ("DESCR EQ 'apple'", "A"),
        ("DESCR GT 'apple'", "B"),
        ("GET EQ DISABLED", "A"),
        ("GET NE DISABLED", "BC"),
        ("CURDEPTH GT 0", "B"),
        ("MAXFSIZE EQ DEFAULT", "AB"),
        ("MAXFSIZE GT 50", "C"),
    ],
)
def test_operators_on_queues(engine, condition, names):
    assert found(engine, f"DISPLAY QLOCAL(*) WHERE({condition})") == names


@pytest.mark.parametrize(
    ("condition", "names"),
    [("NAMES CT A", "N1"), ("NAMES EX A", "N2"), ("NAMES CTG 'CA*'", "N2"), ("NAMES EXG 'CA*'", "N1")],
)
def test_operators_on_lists(engine, condition, names):
    assert found(engine, f"DISPLAY NAMELIST(N*) WHERE({condition})") == names


def test_the_attribute_asked_about_is_shown(engine):
    (reply,) = run(engine, "DISPLAY QLOCAL(*) WHERE(DESCR EQ 'apple')", NOW)
    assert dict(reply.attributes) == {"QUEUE": "A", "TYPE": "QLOCAL", "DESCR": "apple"}


def test_kinds_without_the_attribute_do_not_match(engine):
    run(engine, "DEFINE QALIAS(AL) TARGET(A)", NOW)
    assert found(engine, "DISPLAY QUEUE(A*) WHERE(MAXDEPTH GE 0)") == "A"


def test_nothing_found_is_not_found(engine):
    (reply,) = run(engine, "DISPLAY QLOCAL(*) WHERE(MAXDEPTH EQ 31)", NOW)
    assert (reply.id, reply.failed) == ("AMQ8147E", True)


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ("MAXDEPHT EQ 1", "did you mean MAXDEPTH"),
        ("MAXDEPTH IS 1", "operators are"),
        ("MAXDEPTH LK 1", "texts"),
        ("MAXDEPTH CT 1", "lists"),
        ("GET EQ PERHAPS", "ENABLED, DISABLED"),
        ("MAXDEPTH EQ", "three words"),
    ],
)
def test_what_cannot_be_asked_is_a_syntax_error(engine, condition, words):
    first = run(engine, f"DISPLAY QLOCAL(*) WHERE({condition})", NOW)[0]
    assert first.id == "AMQ8405I"
    assert words in first.text
