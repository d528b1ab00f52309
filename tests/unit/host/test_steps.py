"""A step of the engine: whoever enters by it cannot leave without what the step needs."""

from __future__ import annotations

import ast
import time
from pathlib import Path
from typing import Any

import pytest

import penstock
from penstock.host.session import Session
from penstock.host.waiting import Caller
from penstock.qmgr.putting import PutRequest
from penstock.qmgr.step import Step
from tests.uncompiled import ROOT

SOURCE = ROOT / "src" / "penstock"
HOME = SOURCE / "qmgr" / "step.py"
STEPS_OWN = ("position", "to_load")  # attributes that the step alone sets


def put_persistent(qm: Any, body: bytes) -> None:
    request = PutRequest(body, persistent=True)
    qm.engine.put1(qm.connection, qm.engine.resolve("Q"), request, None, time.time())


@pytest.fixture
def qm() -> Any:
    with penstock.embed("QM1", create=True) as qm:
        qm.mqsc("DEFINE QLOCAL(Q)")
        yield qm


def test_leaving_a_step_waits_for_the_disk(qm: Any) -> None:
    with qm.session.step():
        put_persistent(qm, b"kept")
        logged = qm.host.journal.end

    assert qm.host.journal.durable >= logged
    assert qm.get("Q").body == b"kept"  # which shows a message only when it is on disk


def test_a_step_does_not_wait_for_what_another_one_has_logged(qm: Any) -> None:
    with qm.gate:
        put_persistent(qm, b"somebody else's")
    waited: list[int] = []

    class Watching(Caller):
        def finish(self, position: int) -> None:
            waited.append(position)
            super().finish(position)

    watching = Session(qm.host, qm.connection, Watching(qm.host))
    with watching.step():
        pass

    assert waited == [0]


def test_a_step_that_raises_lets_the_next_one_in(qm: Any) -> None:
    def fail() -> None:
        with qm.session.step():
            put_persistent(qm, b"logged")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    qm.put("Q", b"next", persistent=True)
    assert [message.body for message in qm.get_many("Q", 10)] == [b"logged", b"next"]


def test_bodies_to_read_leave_with_the_step(qm: Any) -> None:
    message = penstock.Message(None)
    with qm.session.step() as step:
        qm.engine.step.load([message])

    assert step.to_load == [message]
    assert qm.engine.step.to_load is None


def test_beginning_forgets_what_the_step_before_needed() -> None:
    step = Step()
    step.wait_for(700)
    step.load([])
    step.begin()

    assert (step.end(), step.take_load()) == (0, None)


def test_nothing_is_left_to_load_between_steps() -> None:
    step = Step()
    step.begin()
    step.load([])
    step.end()

    assert step.take_load() is None


def names_assigned(path: Path) -> list[str]:
    """Return `owner.attribute` of every assignment in a module to what is the step's own."""
    found: list[str] = []
    text = path.read_text(encoding="utf-8")
    if not any(f".{name}" in text for name in STEPS_OWN):
        return found
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and node.attr in STEPS_OWN:
            owner = ast.unparse(node.value)
            if owner.rpartition(".")[2] in ("engine", "step", "core"):
                found.append(f"{owner}.{node.attr}")
    return found


def test_no_module_but_the_steps_own_sets_a_position() -> None:
    modules = [path for path in SOURCE.rglob("*.py") if path != HOME]
    assert len(modules) > 500
    assert {str(path): names for path in modules if (names := names_assigned(path))} == {}


def test_compiled_sources_set_no_position_either() -> None:
    texts = {path: path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.pyx")}
    wrong = [path for path, text in texts.items() if "engine.position" in text or "step.position =" in text]
    assert wrong == []
