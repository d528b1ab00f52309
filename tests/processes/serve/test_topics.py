"""Topics over sockets: what subscribers keep, what ends with them, what reaches them, and who may."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import penstock
from penstock.model.rfh2 import Rfh2
from tests.patience import until
from tests.served import SCRIPT, Served

if TYPE_CHECKING:
    from collections.abc import Iterator


pytestmark = pytest.mark.installed
TOPICS = """
DEFINE TOPIC(APP.TOPIC) TOPICSTR('app') REPLACE
SET AUTHREC PROFILE(APP.TOPIC) OBJTYPE(TOPIC) PRINCIPAL('app') AUTHADD(PUB,SUB,RESUME)
DEFINE TOPIC(ADMINS.TOPIC) TOPICSTR('admins') REPLACE
"""
MANY = 100


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    running = Served(tmp_path, script=SCRIPT + TOPICS)
    running.start()
    yield running
    running.stop()


def test_a_durable_subscriber_loses_nothing_when_the_server_is_killed(served: Served) -> None:
    with served.connect(share=False) as qm:
        subscription = qm.subscribe("app/#", durable="keeper")
        for number in range(10):
            qm.publish("app/a", b"%d" % number, persistent=True)
        first = [subscription.get(wait=60.0) for _ in range(3)]
        served.kill()
    served.start()
    with served.connect(share=False) as qm:
        qm.publish("app/a", b"10", persistent=True)
        with qm.subscribe(durable="keeper") as subscription:
            rest = list(subscription.messages(wait=0.5))
    assert [int(message.body) for message in (*first, *rest) if message is not None] == list(range(11))


def test_a_subscription_that_is_not_durable_ends_with_its_connection(served: Served) -> None:
    staying = served.connect(share=False)
    leaving = served.connect(share=False)
    leaving.subscribe("app/a")
    leaving.subscribe("app/+", durable="stays").close()
    kept = staying.subscribe("app/a")
    leaving.close()
    with served.local() as admin:
        until(lambda: len(subscribers(admin)) == 2)
    staying.publish("app/a", b"m")
    assert kept.get(wait=60.0) is not None
    staying.close()


def subscribers(admin: penstock.ClientQueueManager) -> list[object]:
    return [
        reply
        for reply in admin.mqsc("DISPLAY SUB(*) TOPICSTR")
        if reply.attributes.get("TOPICSTR", "").startswith("app")
    ]


def test_many_subscriptions_on_one_connection(served: Served) -> None:
    with served.connect(share=False) as qm:
        held = [qm.subscribe("app/#") for _ in range(MANY)]
        qm.publish("app/a", b"to all")
        got = [subscription.get(wait=60.0) for subscription in held]
        assert [message.body for message in got if message is not None] == [b"to all"] * MANY
        assert all(subscription.get() is None for subscription in held)


def test_wildcards_selectors_and_filters_choose_at_the_server(served: Served) -> None:
    with served.connect(share=False) as qm:
        asked = {
            "levels": qm.subscribe("app/+/b"),
            "characters": qm.subscribe("app/?/*", wildcard="char"),
            "properties": qm.subscribe("app/#", selector="size > 10"),
            "content": qm.subscribe("app/#", selector="Body.Quote.Price > 100"),
        }
        qm.publish("app/a/b", b'{"Quote": {"Price": 99}}', properties={"size": 11})
        qm.publish("app/a/c", b"<Quote><Price>101</Price></Quote>", properties={"size": 10})
        found = {
            name: [message.properties["MQTopicString"] for message in subscription.messages()]
            for name, subscription in asked.items()
        }
    assert found == {
        "levels": ["app/a/b"],
        "characters": ["app/a/b", "app/a/c"],
        "properties": ["app/a/b"],
        "content": ["app/a/c"],
    }


def test_who_has_no_right_to_a_topic_neither_publishes_nor_subscribes(served: Served) -> None:
    with served.connect(share=False) as qm:
        for call in (
            lambda: qm.publish("admins/a", b"m"),
            lambda: qm.publish("admins/a", b"m", retain=True),
            lambda: qm.subscribe("admins/#"),
            lambda: qm.subscribe("#"),
        ):
            with pytest.raises(penstock.MQError) as caught:
                call()
            assert caught.value.reason == 2035
        qm.publish("app/a", b"m")


def test_others_work_while_the_reader_of_a_long_display_stops(served: Served) -> None:
    """Rows come while more are to follow: of 30,000 the server makes few before they are read."""
    topics = 30_000
    with served.local() as admin, served.local() as other:
        for start in range(0, topics, 250):
            names = "".join(f"<Topic>app/{n % 100}/{n}</Topic>" for n in range(start, start + 250))
            folder = f"<psc><Command>Publish</Command>{names}</psc>"
            other.put("SYSTEM.BROKER.CONTROL.QUEUE", Rfh2((folder,)).pack(), format="MQHRF2")
        shown = "DISPLAY PUBSUB TPCOUNT"
        until(lambda: other.mqsc(shown)[0].attributes["TPCOUNT"] > topics)
        rows = 0
        memory = before = resident(served)
        for piece in admin.mqsc_script(["DISPLAY TPSTATUS('app/#')"]):
            if getattr(piece, "attributes", None):
                rows += 1
            if rows % 1000 == 0:
                other.publish("app/beside", b"")
                memory = max(memory, resident(served))
    assert topics + 101 <= rows <= topics + 102
    assert memory - before < 30 << 20  # all rows together would be some 60 MB


def resident(served: Served) -> int:
    """Return the bytes of memory that the server has."""
    assert served.process is not None
    pages = Path(f"/proc/{served.process.pid}/statm").read_text().split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def test_expressions_as_filters_compile_beside_the_loop(served: Served) -> None:
    wanted = "CARDINALITY(Body.Order.Item[]) > 1"
    with served.connect(share=False) as qm, served.connect(share=False) as other:
        with (
            qm.subscribe("app/#", selector=wanted) as sub,
            other.subscribe("app/#", selector=wanted) as second,
        ):
            for items in ("<Item/>", "<Item/><Item/>"):
                other.publish("app/a", f"<Order>{items}</Order>".encode())
            for each in (sub, second):
                assert each.get(wait=60.0).body.count(b"Item") == 2
                assert each.get() is None
            sub.alter(selector="CARDINALITY(Body.Order.Item[]) = 1")
            other.publish("app/a", b"<Order><Item/></Order>")
            assert sub.get(wait=60.0) is not None
        for _ in range(2):
            with pytest.raises(penstock.MQError) as refused:
                qm.subscribe("app/#", selector=f"{wanted} AND (")
            assert refused.value.reason == 2459
