"""No test asserts how long something takes: a loaded machine would fail it.

Clocks are read in `tests/patience.py` alone; what is measured is in `tests/bench`. What must happen is waited
for a minute or longer. A wait that is to run out, because nothing must happen, is shorter than a second;
longer ones that are part of a test's story have a name.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.uncompiled import ROOT

TESTS = ROOT / "tests"
CLOCKS = {f"{name}{unit}" for name in ("monotonic", "perf_counter", "process_time") for unit in ("", "_ns")}
CLOCKS |= {"thread_time", "thread_time_ns", "getrusage", "timeit"}
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
    given = list(call.args) if name_of(call) in WAITS else []
    named = ("wait", "timeout") if name_of(call) in TIMED else ("wait",)
    given += [each.value for each in call.keywords if each.arg in named]
    for node in given:
        seconds = seconds_of(node)
        if seconds is not None:
            yield seconds


def complaints(text: str, name: str) -> Iterator[str]:
    """Yield what is timed in a module's text."""
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Call):
            continue
        where = f"{name}:{node.lineno}"
        if name_of(node) in CLOCKS:
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
    ],
)
def test_what_is_timed_is_found(line: str) -> None:
    assert len(list(complaints(line, "a test"))) == 1


@pytest.mark.parametrize(
    "line", ["process.wait(60)", "qm.get('Q', wait=0.1)", "', '.join(names)", "lock.acquire()"]
)
def test_what_is_not_timed_is_left_alone(line: str) -> None:
    assert list(complaints(line, "a test")) == []
