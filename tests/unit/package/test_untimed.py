"""No test asserts how long something takes: a loaded machine would fail it.

Clocks are read in `tests/patience.py` alone; what is measured is in `tests/bench`. What must happen is waited
for a minute or longer. A wait that is to run out, because nothing must happen, is shorter than a second;
longer ones that are part of a test's story have a name.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.uncompiled import ROOT

TESTS = ROOT / "tests"
CLOCKS = {f"{name}{unit}" for name in ("monotonic", "perf_counter", "process_time") for unit in ("", "_ns")}
CLOCKS |= {"thread_time", "thread_time_ns", "getrusage", "timeit", "clock_gettime", "clock_gettime_ns"}
DATES = {"time", "now", "utcnow", "time_ns"}  # the date is read for what has one, never to measure
WAITS = {"wait", "join", "result", "settimeout", "wait_for", "communicate", "create_connection", "acquire"}
WAITS |= {"flush"}
TIMED = WAITS | {"urlopen", "run", "connect", "HTTPConnection", "get", "check_output", "check_call"}
TIMED |= {"list_topics", "committed", "CallableFlowInvoke", "HTTPAsyncRequest", "KafkaProducer", "KafkaRead"}
TIMED |= {
    "TCPIPClientOutput",
    "TCPIPClientReceive",
    "HTTPRequest",
    "SOAPRequest",
    "RESTRequest",
    "EmailOutput",
}
MODULES_OWN = {"timeout", "select"}  # of asyncio and select; others have methods of these names
OPTIONS = {"--wait", "--timeout"}
STORY = {"age"}  # of something a test makes: no time that has passed
PATIENT = {"attempts", "time_left"}  # of tests/patience.py
SHORT_SECONDS, LONG_SECONDS = 1.0, 60.0
# Instruments are held against the own log of a server whose service times are known; a relay makes delays.
MEASURING = ("patience.py", "measure_corpus.py", "test_instruments.py", "synthetic_server.py", "relay.py")


def modules() -> list[Path]:
    found = [path for path in TESTS.rglob("*.py") if path.relative_to(TESTS).parts[0] != "bench"]
    return sorted(path for path in found if path.name not in MEASURING)


def name_of(call: ast.Call) -> str:
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def seconds_of(node: ast.expr) -> float | None:
    value = node.value if isinstance(node, ast.Constant) else None
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def waits_of(call: ast.Call) -> Iterator[float]:
    """Yield how long a call waits, where a number says so."""
    name = name_of(call)
    words = ast.unparse(call.func) if name in MODULES_OWN else ""
    given = list(call.args) if name in WAITS or words == "asyncio.timeout" else []
    given += call.args[3:] if words == "select.select" else []
    given += call.args[:1] if name in PATIENT else []
    named = ("wait", "timeout") if name in TIMED else ("wait",)
    named += ("seconds",) if name in {*PATIENT, "until"} else ()
    given += [each.value for each in call.keywords if each.arg in named]
    for node in given:
        seconds = seconds_of(node)
        if seconds is not None:
            yield seconds


def options_of(node: ast.AST) -> Iterator[float]:
    """Yield how long commands wait, where an option of theirs is followed by a number."""
    words = node.args if isinstance(node, ast.Call) else ()
    words = node.elts if isinstance(node, ast.List | ast.Tuple) else words
    values = [each.value if isinstance(each, ast.Constant) else None for each in words]
    for option, value in itertools.pairwise(values):
        if option in OPTIONS and isinstance(value, str):
            yield float(value)


def looks_of(loop: ast.For) -> float | None:
    """Return how long a loop looks for something: it pauses, and ends early when that is there."""
    counts = loop.iter
    if not (isinstance(counts, ast.Call) and name_of(counts) == "range" and len(counts.args) == 1):
        return None
    inside = [each for each in ast.walk(loop) if each is not loop]
    pauses = [each for each in inside if isinstance(each, ast.Call) and name_of(each) == "sleep"]
    number, pause = seconds_of(counts.args[0]), seconds_of(pauses[0].args[0]) if pauses else None
    if number is None or not pause or not any(isinstance(each, ast.Break | ast.Return) for each in inside):
        return None
    return number * pause


def measures(node: ast.AST) -> bool:
    """Return whether the time since something is kept or compared: the date now, less one that was kept."""
    values = [node.value] if isinstance(node, ast.Assign) else []
    values += [node.left, *node.comparators] if isinstance(node, ast.Compare) else []
    for each in itertools.chain.from_iterable(ast.walk(value) for value in values):
        if isinstance(each, ast.BinOp) and isinstance(each.op, ast.Sub) and is_date(each.left):
            names = {part.id for part in ast.walk(each.right) if isinstance(part, ast.Name)}
            return any(not name.isupper() and name not in STORY for name in names)
    return False


def is_date(node: ast.AST) -> bool:
    """Return whether an expression reads the date: `time.time()`, `datetime.now(UTC)`."""
    return isinstance(node, ast.Call) and name_of(node) in DATES and (not node.args or name_of(node) == "now")


def ends_by_date(node: ast.AST) -> bool:
    """Return whether a loop goes on until some time: `while time.time() < end`."""
    return isinstance(node, ast.While) and any(
        is_date(side)
        for each in ast.walk(node.test)
        if isinstance(each, ast.Compare)
        for side in (each.left, *each.comparators)
    )


def complaints(text: str, name: str) -> Iterator[str]:
    """Yield what is timed in a module's text."""
    for node in ast.walk(ast.parse(text)):
        where = f"{name}:{getattr(node, 'lineno', 0)}"
        if isinstance(node, ast.ImportFrom) and node.module == "time":
            if any(each.asname and each.name in CLOCKS for each in node.names):
                yield f"{where} gives a clock another name"
        if measures(node):
            yield f"{where} measures: count, or use tests/patience.py"
        if ends_by_date(node):
            yield f"{where} loops until some time: use attempts() of tests/patience.py"
        looks = looks_of(node) if isinstance(node, ast.For) else None
        if looks is not None and looks < LONG_SECONDS:
            yield f"{where} looks for {looks:g} s: use until() of tests/patience.py"
        for seconds in options_of(node):
            if SHORT_SECONDS <= seconds < LONG_SECONDS:
                yield f"{where} has a command wait {seconds:g} s: {LONG_SECONDS:g} or more, or none"
        if isinstance(node, ast.Call):
            yield from complaints_of_call(node, where)


def complaints_of_call(node: ast.Call, where: str) -> Iterator[str]:
    """Yield what is timed in a call."""
    if name_of(node) in CLOCKS or ast.unparse(node.func) == "os.times":
        yield f"{where} reads a clock ({name_of(node)}): count, or use tests/patience.py"
    for seconds in waits_of(node):
        if SHORT_SECONDS <= seconds < LONG_SECONDS:
            yield f"{where} waits {seconds:g} s: wait {LONG_SECONDS:g} or more, or less than a second"
    for keyword in node.keywords:
        if keyword.arg == "deadline" and name_of(node) == "settings":
            if not (isinstance(keyword.value, ast.Constant) and keyword.value.value is None):
                yield f"{where} gives Hypothesis a deadline"


def test_no_test_asserts_how_long_something_takes() -> None:
    found = [each for path in modules() for each in complaints(path.read_text(), str(path.relative_to(ROOT)))]
    assert found == []


@pytest.mark.parametrize(
    "line",
    [
        "assert time.monotonic() - begun < 5",
        "begun = time.perf_counter_ns()",
        "process.wait(20)",
        "future.result(timeout=5)",
        "nodes.KafkaProducer('orders', servers=cluster, timeout=30)",
        "message = qm.get('Q', wait=5.0)",
        "settings(max_examples=3, deadline=500)",
        "from time import monotonic as now",
        "assert time.time() - begun < 5",
        "taken = time.time() - begun",
        "taken = round(time.time() - begun, 1)",
        "assert (datetime.now(UTC) - begun).total_seconds() < 5",
        "begun = os.times()",
        "begun = time.clock_gettime(time.CLOCK_MONOTONIC)",
        "while time.time() < end:\n    there()",
        "for _ in range(100):\n    if there():\n        break\n    time.sleep(0.01)",
        "select.select([file], [], [], 10)",
        "run('subscribe', 'a', '--wait', '5')",
        "until(there, seconds=5)",
        "for _ in attempts(20): pass",
    ],
)
def test_what_is_timed_is_found(line: str) -> None:
    assert len(list(complaints(line, "a test"))) == 1


@pytest.mark.parametrize(
    "line",
    [
        "process.wait(60)",
        "qm.get('Q', wait=0.1)",
        "', '.join(names)",
        "lock.acquire()",
        "host.housekeeping(time.time() - 60)",
        "for _ in range(5):\n    put()\n    time.sleep(0.1)",
        "run('subscribe', 'a', '--wait', '0')",
    ],
)
def test_what_is_not_timed_is_left_alone(line: str) -> None:
    assert list(complaints(line, "a test")) == []
