"""A publication to very many subscriptions is made in steps: all get it or none, in the publisher's order.

What breaks without it: with 100,000 subscriptions, which a few users may make, each publish stops all clients
of the server. Here a step is five copies.
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

import penstock
from penstock.model import constants as mq
from penstock.model.errors import MQError
from penstock.qmgr.pubsub import fan_out, publishing
from penstock.qmgr.pubsub.fan_out import FanOut
from tests.processes.serve.test_calm_loop import served_while

pytestmark = pytest.mark.installed
MANY = 23
TOPIC = ("", penstock.Open.OUTPUT)
FULL = (
    "DEFINE TOPIC(MANY) TOPICSTR('many') USEDLQ(NO) PMSGDLV(ALLDUR) NPMSGDLV(ALLAVAIL)",
    "DEFINE QLOCAL(FULL) MAXDEPTH(1)",
    "DEFINE SUB(FULL) TOPICSTR('many') DEST(FULL)",
)


@pytest.fixture(autouse=True)
def small_steps(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Make every publication to more than ten take steps; return the sizes of the steps."""
    sizes: list[int] = []
    step = FanOut._next_part

    def counted(self: FanOut) -> list[Any]:
        part = step(self)
        sizes.append(len(part))
        return part

    monkeypatch.setattr(publishing, "LONG_COST", 10)
    monkeypatch.setattr(fan_out, "PART_COST", 5)
    monkeypatch.setattr(FanOut, "_next_part", counted)
    return sizes


def taken(subscriptions: list[Any]) -> list[list[bytes]]:
    """Return what each subscription has got."""
    found = []
    for each in subscriptions:
        bodies = []
        while (message := each.get()) is not None:
            bodies.append(message.body)
        found.append(bodies)
    return found


def connected(home: Path) -> Any:
    return penstock.connect("QM1", home=home, share=False)


@pytest.mark.parametrize("persistent", [True, False])
def test_all_get_all_publications_in_their_order(
    tmp_path: Path, small_steps: list[int], persistent: bool
) -> None:
    def drive(server: Any, address: str) -> None:
        with connected(tmp_path) as qm:
            kept = [qm.subscribe("many") for _ in range(MANY)]
            kept += [qm.subscribe("#"), qm.subscribe("many", user_data="own")]
            headed = qm.subscribe("many", properties="RFH2")
            for number in range(10):
                receipt = qm.publish("many", b"%d" % number, persistent=persistent)
                assert headed.get(wait=60.0).msg_id == receipt.msg_id
            qm.publish("many", b"10", persistent=persistent, options=penstock.Put.ASYNC_RESPONSE)
            with qm.open(*TOPIC, object_type=mq.MQOT_TOPIC, object_string="many") as handle:
                handle.put(b"11", persistent=persistent, properties={"a": 1})
            assert taken(kept) == [[b"%d" % number for number in range(12)]] * len(kept)
        assert max(small_steps) <= 5
        assert len(small_steps) >= 12 * MANY // 5

    served_while(tmp_path, drive)


def test_a_unit_of_work_has_all_copies_or_none(tmp_path: Path, small_steps: list[int]) -> None:
    def drive(server: Any, address: str) -> None:
        with connected(tmp_path) as qm, connected(tmp_path) as other:
            kept = [other.subscribe("many") for _ in range(MANY)]
            with qm.unit_of_work():
                qm.publish("many", b"1", persistent=True)
                qm.publish("many", b"2", persistent=False)
                assert taken(kept) == [[]] * MANY
            assert taken(kept) == [[b"1", b"2"]] * MANY
            qm.begin()
            qm.publish("many", b"3", persistent=True)
            qm.backout()
            assert taken(kept) == [[]] * MANY
        assert small_steps

    served_while(tmp_path, drive)


def test_a_retained_publication_reaches_those_who_come_while_it_is_made(
    tmp_path: Path, small_steps: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    late: list[Any] = []

    def drive(server: Any, address: str) -> None:
        with connected(tmp_path) as qm, connected(tmp_path) as other:
            kept = [qm.subscribe("many") for _ in range(MANY)]
            step = FanOut._step

            def come(self: FanOut, now: float) -> bool:
                over = step(self, now)
                if not late:
                    late.append(None)
                    threading.Thread(target=lambda: late.append(other.subscribe("many"))).start()
                return over

            monkeypatch.setattr(FanOut, "_step", come)
            qm.publish("many", b"kept", retain=True)
            while len(late) < 2:
                pass
            assert late[1].get(wait=60.0).body == b"kept"
            assert late[1].get() is None
            assert taken(kept) == [[b"kept"]] * MANY
            with other.subscribe("many") as later:
                assert later.get(wait=60.0).body == b"kept"

    served_while(tmp_path, drive)


def test_none_has_it_when_one_must_have_it_and_cannot(tmp_path: Path, small_steps: list[int]) -> None:
    def drive(server: Any, address: str) -> None:
        with connected(tmp_path) as qm:
            for text in FULL:
                assert qm.mqsc(text)[0].ok, text
            kept = [qm.subscribe("many") for _ in range(MANY)]
            qm.publish("many", b"fills it", persistent=True)
            assert taken(kept) == [[b"fills it"]] * MANY
            with qm.unit_of_work():
                qm.put("APP.Q", b"of the unit", persistent=True)
                for _ in range(2):
                    with pytest.raises(MQError) as failed:
                        qm.publish("many", b"too much", persistent=True)
                    assert failed.value.reason == mq.MQRC_PUBLICATION_FAILURE
            with pytest.raises(MQError):
                qm.publish("many", b"too much", persistent=True)
            assert taken(kept) == [[]] * MANY
            assert qm.get("APP.Q").body == b"of the unit"
            qm.publish("many", b"need not", persistent=False)
            assert taken(kept) == [[b"need not"]] * MANY
            assert qm.mqsc("DISPLAY QSTATUS(FULL) CURDEPTH UNCOM")[0].attributes["CURDEPTH"] == 1

    served_while(tmp_path, drive)
