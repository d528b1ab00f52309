"""`qm.peek` looks at messages and changes nothing; `act_as` gives a connection another user's authority."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import pytest

import penstock
from penstock.tools import message_acts
from tests.patience import until
from tests.uncompiled import ROOT

if TYPE_CHECKING:
    from tests.served import Served

pytestmark = pytest.mark.installed


def test_given_messages_when_peeked_then_places_lead_on_in_both_directions(served: Served) -> None:
    with served.local() as qm:
        qm.mqsc("DEFINE QLOCAL(PEEKED) REPLACE")
        for number in range(5):
            qm.put("PEEKED", f"message {number}", priority=number % 2)
        first = qm.peek("PEEKED", count=3, body_bytes=7)
        assert [bytes(row.message.body or b"") for row in first] == [b"message"] * 3
        assert [row.length for row in first] == [9] * 3
        rest = qm.peek("PEEKED", after=(first[-1].lane, first[-1].place))
        texts = [bytes(row.message.body or b"").decode()[-1] for row in rest]
        assert texts == ["2", "4"]  # priority 1 came first: 1, 3, then 0
        last = qm.peek("PEEKED", count=4, backwards=True)
        assert [bytes(row.message.body or b"").decode()[-1] for row in last] == ["4", "2", "0", "3"]
        assert qm.peek("PEEKED", after=(last[-1].lane, last[-1].place), backwards=True)[0].place == 2


def test_given_held_and_expired_messages_when_peeked_then_all_are_seen_and_stay(served: Served) -> None:
    with served.local() as qm, served.local() as other:
        qm.mqsc("DEFINE QLOCAL(PEEKED) REPLACE")
        qm.mqsc("CLEAR QLOCAL(PEEKED)")
        qm.put("PEEKED", b"held")
        with other.unit_of_work():
            other.get("PEEKED")
            qm.put("PEEKED", b"free", properties={"colour": "red"})

            def looked() -> bool:
                """Look at an expired message twice, before a scan for such messages comes by."""
                qm.put("PEEKED", b"short", expiry=0.05)
                time.sleep(0.1)
                rows, again = qm.peek("PEEKED"), qm.peek("PEEKED")
                assert [row.holder for row in rows[:2]] == ["a unit of work", ""]
                assert rows[1].message.properties == {"colour": "red"}
                tokens = [[row.message.token for row in each] for each in (rows, again)]
                return rows[-1].holder == "expired" and tokens[0] == tokens[1]

            until(looked)


def test_given_a_person_without_browse_when_an_administrator_acts_as_him_then_2035(served: Served) -> None:
    with penstock.connect("QM1", home=served.home, act_as="app") as qm:
        qm.put("APP.Q", b"mine")
        assert qm.peek("APP.Q")[-1].message.user_id.strip() == "app"
        with pytest.raises(penstock.MQError) as refused:
            qm.peek("SECRET")
        assert refused.value.reason == 2035
        assert "SECRET" not in [each.queue for each in qm.queues()]


@pytest.mark.parametrize("wrong", [(1,), "ab", (1, "x"), 7])
def test_a_place_that_is_none_is_refused(served: Served, wrong: object) -> None:
    with served.local() as qm, pytest.raises(penstock.MQError) as refused:
        qm.peek("APP.Q", after=wrong)  # type: ignore[arg-type]
    assert refused.value.reason == 2046


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can run programs as other users")
def test_given_a_client_of_the_network_when_it_acts_as_another_then_it_stays_itself(served: Served) -> None:
    with served.connect(act_as="root") as qm:
        with pytest.raises(penstock.MQError) as refused:
            qm.put("SECRET", b"")
        assert refused.value.reason == 2035


def test_a_traced_client_channel_has_the_calls_of_its_clients_and_of_nobody_else(served: Served) -> None:
    with served.local() as qm, served.connect() as client:
        qm.mqsc("DEFINE QLOCAL(APP.TRACED)", check=True)
        assert qm.trace("CHANNEL", "APP.SVRCONN", seconds=60.0) == []
        client.put("APP.TRACED", b"12345")
        qm.put("APP.TRACED", b"by the administrator")
        client.get("APP.TRACED")
        found = qm.trace("CHANNEL", "APP.SVRCONN", seconds=-1.0)
        assert [(each["event"], each["name"], each["bytes"]) for each in found] == [
            ("put", "APP.TRACED", 5),
            ("get", "APP.TRACED", 5),
        ]


def test_the_roles_on_the_page_about_the_console_may_do_what_it_says(served: Served) -> None:
    page = (ROOT / "docs" / "reference" / "console.md").read_text().partition("## Roles")[2]
    script = page.partition("```mqsc\n")[2].partition("```")[0]
    script = script.replace("GROUP('viewers')", "PRINCIPAL('vera')").replace(
        "GROUP('operators')", "PRINCIPAL('olga')"
    )
    with served.local() as qm:
        qm.mqsc("DEFINE QLOCAL(ROLES.FROM)\nDEFINE QLOCAL(ROLES.TO)\n" + script, check=True)
        qm.put("ROLES.FROM", b"1")
    with penstock.connect("QM1", home=served.home, act_as="vera") as vera:
        assert [row.depth for row in vera.queues("ROLES.FROM")] == [1]
        with pytest.raises(penstock.MQError) as refused:
            vera.peek("ROLES.FROM")
        assert refused.value.reason == 2035
    with penstock.connect("QM1", home=served.home, act_as="olga") as olga:
        wanted = message_acts.Wanted()
        plan = message_acts.plan(olga, "ROLES.FROM", wanted)
        done = message_acts.carry_out(olga, message_acts.MOVE, plan, wanted, "ROLES.TO")
        assert not done.failed, str(done.failed)
        assert done.done == 1
        assert olga.mqsc("ALTER QLOCAL(ROLES.TO) MAXDEPTH(1)")[-1].failed
        olga.put("ROLES.TO", b"2")
        wanted = message_acts.Wanted()
        plan = message_acts.plan(olga, "ROLES.TO", wanted)
        assert message_acts.carry_out(olga, message_acts.PURGE, plan, wanted).done == 2
