"""Clause 17: a command is separate from its words. Other interfaces (PCF, REST) call the same functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import penstock
from penstock.admin import machinery
from penstock.admin.commands import alter, clear, define, delete, display
from penstock.admin.commands.display import Wish
from penstock.admin.commands.set_authrec import set_authrec
from penstock.admin.commands.set_chlauth import set_chlauth
from penstock.admin.commands.values import checked_values
from penstock.admin.context import Context
from penstock.admin.machinery import Request, Runtime
from penstock.admin.replies import Reply
from penstock.model.errors import MQError
from tests.unit.admin.engine_double import NOW

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def context(engine: Any) -> Context:
    return Context(engine, NOW, Runtime())


def done(pieces: Any) -> list[Reply]:
    return [piece for piece in pieces if isinstance(piece, Reply)]


def test_an_object_is_made_shown_changed_cleared_and_removed(context: Context, engine: Any) -> None:
    values = checked_values("QLOCAL", {"MAXDEPTH": 7, "DESCR": "no words"})

    replies = done(define.define(context, "QLOCAL", "Q1", values))
    replies += done(define.define(context, "QLOCAL", "Q2", {}, like="Q1"))
    replies += done(alter.alter(context, "QLOCAL", "Q1", checked_values("QLOCAL", {"MAXDEPTH": 8})))
    replies += done(clear.clear_queue(context, "Q1"))
    (shown,) = done(display.display(context, "QUEUE", ("QLOCAL",), Wish("Q1", False, {"MAXDEPTH"})))
    replies += done(delete.delete(context, "QLOCAL", "Q1"))

    assert [reply.id for reply in replies] == ["AMQ8006I", "AMQ8006I", "AMQ8008I", "AMQ8022I", "AMQ8007I"]
    assert shown.attributes == {"QUEUE": "Q1", "TYPE": "QLOCAL", "MAXDEPTH": 8}
    assert engine.objects.find("QUEUE", "Q1") is None
    assert engine.objects.find("QUEUE", "Q2").attributes["DESCR"] == "no words"


@pytest.mark.parametrize(("given", "reason"), [({"MAXDEPHT": 1}, 3229), ({"MAXDEPTH": -1}, 4005)])
def test_attributes_without_words_are_checked_too(given: dict[str, Any], reason: int) -> None:
    with pytest.raises(MQError) as refused:
        checked_values("QLOCAL", given)

    assert refused.value.reason == reason


def test_what_a_definition_needs_is_asked_without_words_too(context: Context) -> None:
    with pytest.raises(MQError, match="CHLTYPE"):
        done(define.define(context, "CHANNEL", "C", {}))
    with pytest.raises(MQError, match="ADDRESS"):
        done(set_chlauth(context, "C", "ADDRESSMAP", {}))


def test_names_types_and_patterns_are_checked_without_words_too(context: Context) -> None:
    wrong: list[Callable[[], Any]] = [
        lambda: define.define(context, "QLOCAL", "no name", {}),
        lambda: define.define(context, "CHANNEL", "C", {}, subtype="SIDEWAYS"),
        lambda: set_chlauth(context, "C" * 21, "ADDRESSMAP", {"ADDRESS": "*", "USERSRC": "CHANNEL"}),
        lambda: set_chlauth(context, "C", "BLOCKADDR", {"ADDRLIST": ("10.0.0.1",)}),
        lambda: set_chlauth(context, "C", "ADDRESSMAP", {"ADDRESS": "10.0.0.1-", "USERSRC": "CHANNEL"}),
        lambda: set_chlauth(context, "C", "SIDEWAYS", {}),
        lambda: set_chlauth(context, "C", "ADDRESSMAP", {"ADDRESS": "*"}, action="SHRUG"),
    ]
    for command in wrong:
        with pytest.raises(MQError):
            done(command())


def test_records_and_what_runs_are_commanded_by_the_same_functions(context: Context, engine: Any) -> None:
    rule = checked_values("CHLAUTH", {"ADDRESS": "10.*", "USERSRC": "NOACCESS"}, "ADDRESSMAP")
    (authorised,) = done(set_authrec(context, "Q*", "QUEUE", [("GROUP", "staff")], adding=frozenset({"GET"})))
    (mapped,) = done(set_chlauth(context, "*", "ADDRESSMAP", rule))
    (unknown,) = done(machinery.carry_out(context, Request("START", "SERVICE", "NONE")))

    assert not authorised.failed
    assert not mapped.failed
    assert unknown.id == "AMQ8147E"


def test_authority_is_asked_by_the_command_itself(qm: penstock.QueueManager) -> None:
    class Nobody:
        administrator = False

        def refusal(self, *question: Any) -> str:
            return "nobody may"

    connection = qm.connection
    connection.permissions = Nobody()
    context = Context(qm.engine, NOW, Runtime(), connection)
    with pytest.raises(MQError) as refused:
        done(define.define(context, "QLOCAL", "Q1", {}))
    connection.permissions = None

    assert refused.value.reason == 2035
    assert "Q1" not in qm.engine.queues
