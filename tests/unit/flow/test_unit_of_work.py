"""Units of work over queues and databases: what a database refuses leaves none open and ends no listener."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock.flow import CompiledFlow, Flow, Project, nodes
from penstock.flow.running import deliveries
from penstock.flow.running.queue_listener import QueueListener
from penstock.flow.running.unit_runner import UnitRunner
from penstock.model.errors import MessageFailed, error
from penstock.model.message import Message
from tests.flow_fixtures import bodies

if TYPE_CHECKING:
    from pathlib import Path


class Refusing:
    """Databases that refuse what they are told to."""

    def __init__(self, *refused: str) -> None:
        self.refused = refused
        self.calls: list[str] = []

    def _asked(self, what: str) -> None:
        self.calls.append(what)
        if what in self.refused:
            raise error(8230, f"{what} is refused")

    def commit_all(self) -> None:
        self._asked("commit")

    def rollback_all(self) -> None:
        self._asked("rollback")

    def abandon_all(self) -> None:
        self._asked("abandon")


def compiled(tmp_path: Path, databases: Any) -> CompiledFlow:
    project = Project(tmp_path)
    project.use_databases(databases)
    flow = Flow("simple")
    start, out = flow.add(nodes.MQInput("IN")), flow.add(nodes.MQOutput("OUT"))
    start.out >> out.in_
    return CompiledFlow(flow, project)


def test_a_rollback_that_fails_does_not_leave_the_unit_open(qm: Any, tmp_path: Path) -> None:
    databases = Refusing("rollback")
    runner = UnitRunner(compiled(tmp_path, databases), "MQInput", qm)

    def work() -> None:
        runner.ports.put("OUT", Message(b"half"))
        raise error(2053, "the other queue is full")

    failure = runner.in_unit(work)
    assert isinstance(failure, MessageFailed)
    assert databases.calls == ["rollback", "abandon"]
    with qm.unit_of_work():  # a unit could not begin if one were open
        pass
    assert bodies(qm, "OUT") == []


def test_a_commit_that_a_database_refuses_is_the_messages_failure(qm: Any, tmp_path: Path) -> None:
    runner = UnitRunner(compiled(tmp_path, Refusing("commit")), "MQInput", qm)
    failure = runner.in_unit(lambda: runner.ports.put("OUT", Message(b"half")))
    assert failure is not None
    assert (failure.reason, failure.fields["nodelabel"]) == (8230, "MQInput")
    assert bodies(qm, "OUT") == []
    assert runner.tally.backed_out == 1


def test_what_is_remembered_of_messages_is_limited(
    qm: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deliveries, "REMEMBERED_MAX", 3)
    listener = QueueListener(compiled(tmp_path, None), "MQInput", qm)
    met = [Message(b"", msg_id=bytes([n]) * 24) for n in range(1, 6)]
    for message in met:
        message.backout_count = 1
    listener.deliveries.excuse_elsewhere(met)
    assert list(listener.deliveries.excused) == [each.msg_id for each in met[2:]]
