"""MQHeader: MQMD and other headers added, changed, removed, carried forward."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock.flow import CompiledFlow, Flow, Node, nodes
from penstock.tree import Path
from tests.flow_fixtures import bodies

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.flow import Assembly, NodeContext

BATCHES = pytest.mark.parametrize("batch", [1, 100])


def changed(*before: Node, **properties: Any) -> Flow:
    flow = Flow("changed")
    place = flow.add(nodes.MQInput("IN", domain="XMLNSC")).out
    header = nodes.MQHeader(**properties)
    for each in (*before, header, nodes.MQOutput("OUT", context="setAll")):
        flow.add(each)
        place >> each.in_
        place = each.out
    header.failure >> flow.add(nodes.MQOutput("FAILED")).in_
    return flow


class Bare(Node):
    """Removes MQMD."""

    def process(self, assembly: Assembly, at: NodeContext) -> None:
        message = assembly.message.copy()
        message.delete(Path("MQMD"))
        at.send("out", assembly.sending(message))


@BATCHES
def test_modify_sets_the_fields_given(qm: Any, run: Callable[..., Any], batch: int) -> None:
    qm.put("IN", b"<a/>", priority=1, correl_id=b"c" * 24)
    fields = {"Priority": 7, "ReplyToQ": "ANSWERS", "MsgType": 1}
    run(changed(MQMD="modify", fields={"MQMD": fields}), batch=batch)
    got = qm.get("OUT")
    assert (got.body, got.priority, got.reply_to, got.msg_type) == (b"<a/>", 7, "ANSWERS", 1)
    assert got.correl_id == b"c" * 24


@BATCHES
def test_a_dead_letter_header_is_added_and_removed(qm: Any, run: Callable[..., Any], batch: int) -> None:
    qm.put("IN", b"<a/>", format="MQSTR")
    fields = {"Reason": 2053, "DestQName": "ORDERS", "DestQMgrName": "QM1"}
    run(changed(MQDLH="add", fields={"MQDLH": fields}), batch=batch)
    letter = qm.get("OUT")
    assert letter.format == "MQDEAD"
    assert letter.body[:4] == b"DLH "
    assert letter.body.endswith(b"<a/>")
    assert b"ORDERS" in letter.body
    qm.put("IN", letter.body, format="MQDEAD", ccsid=letter.descriptor.ccsid)
    run(changed(MQDLH="delete"), batch=batch)
    got = qm.get("OUT")
    assert (got.body, got.format) == (b"<a/>", "MQSTR")


@BATCHES
def test_a_descriptor_is_added_where_there_is_none(qm: Any, run: Callable[..., Any], batch: int) -> None:
    qm.put("IN", b"<a/>", priority=3)
    run(changed(Bare(), MQMD="add", fields={"MQMD": {"Priority": 5}}), batch=batch)
    got = qm.get("OUT")
    assert (got.body, got.priority) == (b"<a/>", 5)


@BATCHES
def test_delete_of_the_descriptor_leaves_the_defaults(qm: Any, run: Callable[..., Any], batch: int) -> None:
    qm.put("IN", b"<a/>", correl_id=b"c" * 24)
    run(changed(MQMD="delete"), batch=batch)
    got = qm.get("OUT")
    assert (got.body, got.correl_id) == (b"<a/>", bytes(24))


@BATCHES
def test_carry_forward_changes_nothing(qm: Any, run: Callable[..., Any], batch: int) -> None:
    qm.put("IN", b"<a/>", correl_id=b"c" * 24)
    run(changed(MQMD="carryForward"), batch=batch)
    assert qm.get("OUT").correl_id == b"c" * 24


@BATCHES
def test_modify_of_a_header_that_is_not_there_fails(qm: Any, run: Callable[..., Any], batch: int) -> None:
    qm.put("IN", b"<a/>")
    run(changed(MQDLH="modify", fields={"MQDLH": {"Reason": 1}}), batch=batch)
    assert bodies(qm, "FAILED") == [b"<a/>"]


@pytest.mark.parametrize(
    ("properties", "problem"),
    [
        ({"MQXX": "add"}, "'MQXX' is not one of MQMD"),
        ({"MQMD": "drop"}, "action 'drop' for MQMD is not one of"),
        ({"fields": {"MQMD": {"Priority": 1}}}, "fields of MQMD need the action"),
    ],
)
def test_properties_are_checked_when_the_flow_is_built(properties: dict[str, Any], problem: str) -> None:
    with pytest.raises(Exception, match=problem):
        CompiledFlow(changed(**properties))


@pytest.mark.parametrize(
    ("header", "field"), [("MQMD", "Priorty"), ("MQDLH", "Reazon"), ("MQCIH", "Facilty")]
)
def test_a_field_that_no_header_has_is_found_before_it_runs(header: str, field: str) -> None:
    with pytest.raises(Exception, match=f"{header} has no field '{field}'; did you mean"):
        CompiledFlow(changed(actions={header: "add"}, fields={header: {field: 1}}))
