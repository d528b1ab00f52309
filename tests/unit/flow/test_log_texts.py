"""Log lines of flows quote no message data: what an exception says is added only if that is asked for."""

from __future__ import annotations

import ast
import json
import logging
from pathlib import Path
from typing import Any

import pytest

import penstock.flow
from penstock.flow.broker.logs import LogFormatter
from penstock.flow.running.reporting import named, report
from penstock.model import constants as mq
from penstock.model.errors import error

SECRET = "4711-secret"
FLOW = Path(penstock.flow.__file__).parent


def record(message: str, *arguments: Any, **extra: Any) -> logging.LogRecord:
    made = logging.LogRecord("penstock.x", logging.WARNING, "f.py", 1, message, arguments, None)
    for name, value in extra.items():
        setattr(made, name, value)
    return made


def test_an_exception_in_a_line_of_another_room_is_named_and_not_quoted() -> None:
    failed = record("consumer_ended cause=%s", error(mq.MQRC_Q_FULL, SECRET))
    assert "consumer_ended cause=2053 MQRC_Q_FULL" in LogFormatter().format(failed)
    assert SECRET not in LogFormatter(as_json=True).format(failed)
    assert SECRET in LogFormatter(with_data=True).format(failed)
    assert "cause=ValueError" in LogFormatter().format(record("ended cause=%s", ValueError(SECRET)))
    assert "50% done" in LogFormatter().format(record("50% done"))


def test_the_facts_of_a_line_of_another_room_are_apart_in_json() -> None:
    line = record("worker_started group=%s process=%d", "a b", 7)
    told = json.loads(LogFormatter(as_json=True).format(line))
    assert (told["event"], told["group"], told["process"]) == ("worker_started", "a b", 7)
    assert LogFormatter().format(line).endswith("WARNING worker_started group=a b process=7")
    for other in (record("%s has ended", "it"), record("ended why=%s, and more", "x")):
        assert list(json.loads(LogFormatter(as_json=True).format(other))) == ["time", "level", "event"]


def test_a_reported_failure_has_its_text_apart(caplog: pytest.LogCaptureFixture) -> None:
    report(logging.WARNING, "flow_ended", SECRET, flow="orders", **named(error(mq.MQRC_Q_FULL, SECRET)))
    (told,) = caplog.records
    assert "flow_ended flow=orders reason=2053 name=MQRC_Q_FULL" in LogFormatter().format(told)
    assert SECRET not in LogFormatter().format(told)
    assert SECRET in LogFormatter(with_data=True).format(told)
    assert named(OSError(SECRET)) == {"error": "OSError"}


def caught(tree: ast.AST) -> set[str]:
    """Return the names that exceptions are caught by."""
    return {each.name for each in ast.walk(tree) if isinstance(each, ast.ExceptHandler) and each.name}


def test_no_line_of_room_flow_has_the_text_of_an_exception() -> None:
    for path in FLOW.rglob("*.py"):
        tree = ast.parse(path.read_bytes())
        names = caught(tree)
        for call in ast.walk(tree):
            if isinstance(call, ast.Call) and ast.unparse(call.func).startswith("logger."):
                used = {
                    each.id for part in call.args for each in ast.walk(part) if isinstance(each, ast.Name)
                }
                assert not used & names, f"{path}, line {call.lineno}: `report` keeps the text apart"
