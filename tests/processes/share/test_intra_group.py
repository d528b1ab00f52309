"""Intra-group queuing: puts to queues of other members, without channels."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from penstock.model import constants as mq
from penstock.model.errors import MQError
from tests.patience import until
from tests.shared_groups import Members, members


@pytest.fixture
def both(facility: str, tmp_path: Path) -> Iterator[Members]:
    """Two members with intra-group queuing; QM2 has a private queue OWN."""
    with members(facility, tmp_path, "QM1", "QM2") as group:
        group.queue_inside()
        group.here["QM2"].mqsc("DEFINE QLOCAL(OWN) DEFPSIST(YES)", check=True)
        yield group


def error_log(qm: Any) -> str:
    path = qm.host.folder.errors / "AMQERR01.LOG"
    return str(path.read_text()) if path.exists() else ""


def test_a_put_to_a_queue_of_another_member_arrives(both: Members) -> None:
    one, two = both.here["QM1"], both.here["QM2"]
    sent = one.put("OWN", b"body", qmgr="QM2", persistent=True, correl_id=b"c" * 24, reply_to="BACK")
    found = two.get("OWN", wait=60)
    assert (found.body, found.msg_id, found.correl_id) == (b"body", sent.msg_id, b"c" * 24)
    assert (found.reply_to_qmgr, found.persistent) == ("QM1", True)
    one.put("OWN", b"quick", qmgr="QM2", persistent=False)
    assert two.get("OWN", wait=60).body == b"quick"
    assert "AMQ9544W" not in error_log(one)  # its agent gets it


def test_a_unit_of_many_arrives_in_order_or_not_at_all(both: Members) -> None:
    one, two = both.here["QM1"], both.here["QM2"]
    with one.unit_of_work():
        for number in range(120):
            one.put("OWN", b"%d" % number, qmgr="QM2")
    one.begin()
    one.put("OWN", b"never", qmgr="QM2")
    one.backout()
    assert [two.get("OWN", wait=60).body for _ in range(120)] == [b"%d" % i for i in range(120)]
    assert two.get("OWN") is None


def test_remote_definitions_and_replies_go_the_same_way(both: Members) -> None:
    one, two = both.here["QM1"], both.here["QM2"]
    one.mqsc("DEFINE QREMOTE(AWAY) RNAME(OWN) RQMNAME(QM2)\nDEFINE QLOCAL(BACK)", check=True)
    one.put("AWAY", b"request", reply_to="BACK")
    request = two.get("OWN", wait=60)
    two.put(request.reply_to, b"reply", qmgr=request.reply_to_qmgr)
    assert one.get("BACK", wait=60).body == b"reply"


def test_a_channel_is_used_where_a_definition_names_its_queue(both: Members) -> None:
    one = both.here["QM1"]
    one.mqsc("DEFINE QLOCAL(TO.QM2) USAGE(XMITQ)\nDEFINE QREMOTE(AWAY) RNAME(OWN) RQMNAME(QM2) XMITQ(TO.QM2)")
    one.put("AWAY", b"x")
    assert one.mqsc("DISPLAY QLOCAL(TO.QM2) CURDEPTH")[0].attributes["CURDEPTH"] == 1


def test_what_cannot_be_put_is_a_dead_letter_or_stays(both: Members) -> None:
    one, two = both.here["QM1"], both.here["QM2"]
    two.mqsc("DEFINE QLOCAL(DEAD)\nALTER QMGR DEADQ(DEAD)", check=True)
    one.put("NOWHERE", b"lost", qmgr="QM2", persistent=True)
    assert two.get("DEAD", wait=60).body.endswith(b"lost")
    two.mqsc("ALTER QMGR DEADQ(' ')", check=True)
    one.put("OWN", b"before", qmgr="QM2")
    one.put("NOWHERE", b"stays", qmgr="QM2", persistent=True)
    one.put("NOWHERE", b"goes", qmgr="QM2", persistent=False)
    assert two.get("OWN", wait=60).body == b"before"
    until(lambda: "CSQE031W" in error_log(two))
    two.mqsc("DEFINE QLOCAL(NOWHERE)", check=True)
    found = two.get("NOWHERE", wait=60)
    assert (found.body, found.backout_count) == (b"stays", 0)


def test_messages_wait_for_a_member_that_is_away(both: Members) -> None:
    one, two = both.here["QM1"], both.here.pop("QM2")
    two.host.abandon()
    both.until_recovered("QM2")
    one.put("OWN", b"later", qmgr="QM2", persistent=True)
    both.start("QM2")
    assert both.here["QM2"].get("OWN", wait=60).body == b"later"


def test_nothing_is_queued_for_a_member_without_it(both: Members) -> None:
    one, two = both.here["QM1"], both.here["QM2"]
    two.mqsc("ALTER QMGR IGQ(DISABLED)", check=True)
    until(lambda: "QM2" not in one.host.sharing.sharing.queuing)
    with pytest.raises(MQError, match="2087"):
        one.put("OWN", b"x", qmgr="QM2")
    one.mqsc("ALTER QMGR IGQ(DISABLED)", check=True)
    with pytest.raises(MQError, match="2087"):
        two.put("OWN", b"x", qmgr="QM1")


def test_the_agent_puts_with_the_authority_that_igqaut_names(both: Members) -> None:
    one, two = both.here["QM1"], both.here["QM2"]
    two.mqsc("DEFINE QLOCAL(DEAD)\nALTER QMGR DEADQ(DEAD) IGQUSER('nobody') IGQAUT(ONLYIGQ)", check=True)
    one.put("OWN", b"refused", qmgr="QM2")
    assert two.get("DEAD", wait=60).body.endswith(b"refused")
    two.mqsc("ALTER QMGR IGQAUT(ALTIGQ) IGQUSER(' ')", check=True)
    one.put("OWN", b"taken", qmgr="QM2")
    assert two.get("OWN", wait=60).body == b"taken"


def test_the_shared_transmission_queue_needs_its_index(both: Members) -> None:
    one = both.here["QM1"]
    for change in ("INDXTYPE(NONE)", "USAGE(NORMAL)"):
        (reply,) = one.mqsc(f"ALTER QLOCAL(SYSTEM.QSG.TRANSMIT.QUEUE) {change}")
        assert reply.failed
        assert "SYSTEM.QSG.TRANSMIT.QUEUE needs" in reply.text
    assert one.mqsc("DISPLAY QMGR IGQ IGQAUT IGQUSER")[0].attributes["IGQ"] == "ENABLED"


def test_a_transmission_queue_that_another_member_reads_is_served(both: Members) -> None:
    """Before, the putter's log said that no program has it open."""
    one, two = both.here["QM1"], both.here["QM2"]
    text = "DEFINE QLOCAL(OUT.X) QSGDISP(SHARED) CFSTRUCT(APPL1) USAGE(XMITQ)"
    one.mqsc(f"{text}\nDEFINE QREMOTE(OUT.R) RNAME(THERE) RQMNAME(OUT) XMITQ(OUT.X)", check=True)
    until(lambda: "OUT.X" in two.engine.queues)
    with two.open("OUT.X", mq.MQOO_INPUT_SHARED):
        until(lambda: one.engine.queues["OUT.X"].member_inputs)
        one.put("OUT.R", b"body")
        assert "AMQ9544W" not in error_log(one)
    until(lambda: not one.engine.queues["OUT.X"].member_inputs)
    one.put("OUT.R", b"body")
    until(lambda: "AMQ9544W" in error_log(one))
