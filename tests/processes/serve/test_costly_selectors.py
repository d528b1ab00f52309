"""Selectors that take long: a process of its own evaluates them, and the loop never does.

What breaks without it: a user with PUB and SUB stops all clients of a server, for seconds.
"""

from __future__ import annotations

import math
import os
import signal
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import penstock
from penstock.model.rfh2 import Rfh2
from tests.patience import until
from tests.served import SCRIPT, Served

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.installed
GRANTS = """
DEFINE TOPIC(APP.TOPIC) TOPICSTR('app') REPLACE
SET AUTHREC PROFILE(APP.TOPIC) OBJTYPE(TOPIC) PRINCIPAL('app') AUTHADD(PUB,SUB,RESUME)
DEFINE QALIAS(APP.ALIAS) TARGET(APP.TOPIC) TARGTYPE(TOPIC) REPLACE
"""
LINES = b"<Line><Sku>A-17</Sku><Qty>3</Qty></Line>" * 10_000
PRICE = "Body.Quote.Price > 100"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    running = Served(tmp_path_factory.mktemp("home"), script=SCRIPT + GRANTS)
    running.start()
    yield running
    running.stop()


def quote(price: int, lines: bytes = LINES) -> bytes:
    return b"<Quote>%s<Price>%d</Price></Quote>" % (lines, price)


def evaluators(served: Served) -> list[int]:
    """Return the processes that evaluate selectors for this queue manager."""
    models, found = str(served.folder).encode(), []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if b"penstock.host.selectors.selector_evaluator" in words and any(
                models in word for word in words
            ):
                found.append(int(entry.name))
    return found


def signal_all(processes: list[int], what: signal.Signals) -> None:
    for process in processes:
        os.kill(process, what)


def prices(subscription: Any, count: int) -> list[int]:
    """Return the prices of what a subscription has got, in order; there is no more than that."""
    bodies = [subscription.get(wait=60.0).body for _ in range(count)]
    assert subscription.get() is None
    return [int(body.rpartition(b"<Price>")[2].partition(b"<")[0]) for body in bodies]


def test_large_and_small_publications_stay_in_order_without_answers(served: Served) -> None:
    with served.connect(share=False) as qm, qm.subscribe("app/#", selector=PRICE) as dear:
        for number in range(90, 130):
            body = quote(number, LINES if number % 4 == 0 else b"")
            qm.publish("app/a", body, persistent=False, options=penstock.Put.ASYNC_RESPONSE)
        assert prices(dear, 29) == list(range(101, 130))
        assert evaluators(served)


def test_a_publication_whose_selectors_were_evaluated_first_counts_once(served: Served) -> None:
    with (
        served.connect(application="counts", share=False) as qm,
        qm.subscribe("app/#", selector=PRICE) as dear,
    ):
        qm.publish("app/a", quote(110))
        qm.put("APP.ALIAS", quote(120))
        with served.local() as admin:
            replies = admin.mqsc("DISPLAY CHSTATUS(APP.SVRCONN) ALL", check=True)
        rows = [reply.attributes for reply in replies if reply.attributes]
        assert [int(row["MSGS"]) for row in rows if row["RAPPLTAG"] == "counts"] == [2]
        assert prices(dear, 2) == [110, 120]


@pytest.mark.parametrize("persistent", [False, True])
def test_a_unit_with_large_publications_is_one(served: Served, persistent: bool) -> None:
    with served.connect(share=False) as qm, qm.subscribe("app/#", selector=PRICE) as dear:
        for end in (qm.backout, qm.commit):
            qm.begin()
            for number in (100, 101, 102):
                qm.publish("app/a", quote(number), persistent=persistent)
            qm.put_many("APP.ALIAS", [quote(103), quote(99), quote(104, b"")], persistent=persistent)
            messages = [penstock.Message(quote(number), persistent=persistent) for number in (105, 106)]
            qm.put_messages([("APP.ALIAS", message, "", 0) for message in messages])
            assert dear.get(options=penstock.Get.NO_SYNCPOINT) is None
            end()
        assert prices(dear, 6) == [101, 102, 103, 104, 105, 106]


def test_every_way_of_publishing_asks_once_and_delivers_once(served: Served) -> None:
    with served.connect(share=False) as qm, qm.subscribe("app/#", selector=PRICE) as dear:
        qm.put("APP.ALIAS", quote(101))
        with qm.open("APP.ALIAS", penstock.Open.OUTPUT) as handle:
            handle.put(quote(102))
        qm.put_many("APP.ALIAS", [quote(number) for number in (103, 99, 104)], persistent=True)
        qm.put_many("APP.ALIAS", [quote(105), quote(106)], persistent=False)
        qm.publish("app/b", quote(107), properties={"colour": "red"}, level=9)
        qm.publish("app/b", quote(108), properties={"weight": math.nan})
        assert prices(dear, 8) == list(range(101, 109))


def test_what_is_retained_is_chosen_by_its_body(served: Served) -> None:
    with served.connect(share=False) as qm:
        for number in range(99, 104):
            qm.publish(f"app/kept/{number}", quote(number), retain=True, persistent=False)
        qm.publish("app/kept/small", quote(200, b""), retain=True, persistent=False)
        with qm.subscribe("app/kept/#", selector=PRICE) as dear:
            assert sorted(prices(dear, 4)) == [101, 102, 103, 200]
        with served.local() as admin:
            command = f"DEFINE SUB(S) TOPICSTR('app/kept/#') DEST(APP.Q) SELECTOR('{PRICE}')"
            assert admin.mqsc(command)[0].ok
            assert len(qm.get_many("APP.Q", 10, wait=60.0)) == 4
            assert admin.mqsc("DELETE SUB(S)")[0].ok
            assert admin.mqsc("CLEAR TOPICSTR('app/kept/#') CLRTYPE(RETAINED)")[0].ok


def test_commands_of_queued_publish_subscribe_choose_by_the_body(served: Served) -> None:
    def command(name: str, more: str, body: bytes = b"") -> bytes:
        folder = f"<psc><Command>{name}</Command><Topic>queued</Topic>{more}</psc>"
        return Rfh2((folder,)).pack() + body

    control = "SYSTEM.BROKER.CONTROL.QUEUE"
    register = f"<QName>APP.Q</QName><Filter>{PRICE.replace('>', '&gt;')}</Filter>"
    with served.local() as qm:
        qm.put(control, command("Publish", "<PubOpt>RetainPub</PubOpt>", quote(101)), format="MQHRF2")
        qm.put(control, command("RegSub", register), format="MQHRF2")
        assert len(qm.get_many("APP.Q", 10, wait=60.0)) == 1
        for number in (100, 102, 103):
            qm.put(control, command("Publish", "", quote(number)), format="MQHRF2")
        found = [qm.get("APP.Q", wait=60.0) for _ in range(2)]
        assert [b"<Price>102" in found[0].body, b"<Price>103" in found[1].body] == [True, True]
        qm.put(control, command("DeregSub", "<QName>APP.Q</QName>"), format="MQHRF2")
        until(lambda: qm.get("APP.Q") is None)


def test_others_make_round_trips_while_selectors_are_evaluated(served: Served) -> None:
    with served.connect(share=False) as qm, qm.subscribe("app/#", selector=PRICE) as dear:
        qm.publish("app/a", quote(101))
        stopped = evaluators(served)
        signal_all(stopped, signal.SIGSTOP)  # an evaluation without end
        publisher = threading.Thread(target=qm.publish, args=("app/a", quote(102)))
        publisher.start()
        try:
            with served.local() as other:
                for number in range(20):
                    other.put("APP.Q", b"%d" % number, persistent=False)
                    assert other.get("APP.Q").body == b"%d" % number
            assert publisher.is_alive()
        finally:
            signal_all(stopped, signal.SIGCONT)
        publisher.join()
        assert prices(dear, 2) == [101, 102]


def test_a_publication_is_delivered_although_the_process_is_killed(served: Served) -> None:
    with served.connect(share=False) as qm, qm.subscribe("app/#", selector=PRICE) as dear:
        qm.publish("app/a", quote(101))
        signal_all(evaluators(served), signal.SIGKILL)
        qm.publish("app/a", quote(102))
        qm.publish("app/a", quote(103))
        assert prices(dear, 3) == [101, 102, 103]


def test_no_process_is_left_after_a_stop(served: Served) -> None:
    with served.connect(share=False) as qm, qm.subscribe("app/#", selector=PRICE):
        qm.publish("app/a", quote(101))
    assert evaluators(served)
    served.stop()
    until(lambda: not evaluators(served))
    served.start()
