"""Clause 7: a client that comes back takes what it had, though the server has not seen the old link end."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

import penstock
from penstock.client import connection_pool as sharing
from penstock.client import dialling
from penstock.client.connect import make_target
from penstock.client.core.steps import Make, Pause, Steps
from penstock.client.recovery import token_of
from penstock.model import constants as mq
from tests.conformance.client.relay import Relay
from tests.patience import attempts

pytestmark = pytest.mark.installed
OTHER = """
DEFINE CHANNEL(OTHER.SVRCONN) CHLTYPE(SVRCONN) MCAUSER('other')
SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('other') AUTHADD(CONNECT)
"""


@pytest.fixture
def relay(server: Any) -> Iterator[Relay]:
    made = Relay(server.port)
    yield made
    made.close()


@pytest.fixture
def address(server: Any, relay: Relay) -> str:
    return str(server.address).replace(f":{server.port}/", f":{relay.port}/")


def broken_links() -> set[Any]:
    """Return the links of this process that are in the books though they are broken."""
    return {link for link in sharing._conversations if link.failure is not None}


def subscribed(qm: Any, name: str) -> Any:
    """Subscribe as soon as the connection that was told to stop has let go."""
    for _ in attempts():
        try:
            return qm.subscribe("news/#", durable=name)
        except penstock.MQError as failure:
            if failure.reason != 2429:
                raise
            time.sleep(0.01)
    return None


def test_a_durable_subscription_is_resumed(relay: Relay, address: str) -> None:
    with penstock.connect(address, reconnect=True, reconnect_timeout=60) as qm:
        subscription = qm.subscribe("news/#", durable="s7")
        qm.publish("news/a", b"before", persistent=True)

        relay.cut()

        found = subscription.get(wait=60.0)
        assert found is not None
        assert found.body == b"before"
        subscription.close(remove=True)


def test_one_that_was_only_to_be_created_is_resumed_too(relay: Relay, address: str) -> None:
    options = mq.MQSO_CREATE | mq.MQSO_DURABLE
    with penstock.connect(address, reconnect=True, reconnect_timeout=60) as qm:
        subscription = qm.subscribe("news/#", name="s8", options=options)

        relay.cut()

        assert subscription.get(wait=0.1) is None
        subscription.close(remove=True)


def test_a_queue_that_was_open_for_exclusive_input_is_opened_again(relay: Relay, address: str) -> None:
    with penstock.connect(address, reconnect=True, reconnect_timeout=60) as qm:
        handle = qm.open("Q", mq.MQOO_INPUT_EXCLUSIVE | mq.MQOO_OUTPUT)

        relay.cut()

        assert handle.get(quiet=True) is None
        handle.put(b"again")
        assert handle.get().body == b"again"


def test_the_unit_of_the_old_link_is_backed_out_at_once(relay: Relay, address: str) -> None:
    with penstock.connect(address, reconnect=True, reconnect_timeout=60) as qm:
        qm.put("Q", b"back soon", persistent=True)
        qm.begin()
        qm.get("Q")

        relay.cut()

        with pytest.raises(penstock.MQError, match="2003"):
            qm.get("Q")
        found = qm.get("Q")
        assert found is not None
        assert found.body == b"back soon"
        assert found.backout_count == 1


def test_a_link_that_broke_while_handles_were_opened_is_the_one_to_replace(
    relay: Relay, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    replaced, tokens = [], []
    enter = sharing.enter

    def noted(target: Any, share: bool, replaces: bytes = b"") -> Any:
        link, conversation = enter(target, share, replaces)
        replaced.append(replaces)
        tokens.append(token_of(link.terms))
        return link, conversation

    with penstock.connect(address, reconnect=True, reconnect_timeout=60, share=False) as qm:
        handle = qm.open("Q", mq.MQOO_INPUT_EXCLUSIVE)
        reopen = handle.reopen

        def broken_once() -> Steps[None]:
            handle.reopen = reopen
            yield from reopen()
            relay.cut()
            qm.status()

        handle.reopen = broken_once
        monkeypatch.setattr(sharing, "enter", noted)
        first = token_of(qm.link.terms)
        before = broken_links()

        relay.cut()

        assert handle.get(quiet=True) is None
        assert replaced == [first, tokens[0]]
        assert broken_links() <= before


def test_a_shared_link_that_breaks_while_coming_back_is_forgotten(relay: Relay, address: str) -> None:
    with penstock.connect(address, reconnect=True, reconnect_timeout=60) as qm:
        handle = qm.open("Q", mq.MQOO_INPUT_SHARED)
        reopen = handle.reopen

        def broken_once() -> Steps[None]:
            handle.reopen = reopen
            relay.cut()
            yield from reopen()

        handle.reopen = broken_once
        before = broken_links()
        relay.cut()

        assert handle.get(quiet=True) is None
        assert broken_links() <= before


def signal_arrives() -> None:
    raise KeyboardInterrupt


def test_ctrl_c_while_coming_back_leaves_nothing_half_open(relay: Relay, address: str) -> None:
    with penstock.connect(address, reconnect=True, reconnect_timeout=60) as qm:
        handle = qm.open("Q", mq.MQOO_INPUT_SHARED | mq.MQOO_OUTPUT)
        reopen = handle.reopen

        def interrupted() -> Steps[None]:
            handle.reopen = reopen
            yield Make(signal_arrives)

        handle.reopen = interrupted
        relay.cut()
        with pytest.raises(KeyboardInterrupt):
            handle.get(quiet=True)

        handle.put(b"all is open again")
        assert handle.get().body == b"all is open again"


def test_a_task_cancelled_while_coming_back_leaves_nothing_half_open(relay: Relay, address: str) -> None:
    async def run() -> bytes:
        async with await penstock.aio.connect(address, reconnect=True, reconnect_timeout=60) as qm:
            handle: Any = await qm.open("Q", mq.MQOO_INPUT_SHARED | mq.MQOO_OUTPUT)
            reopen = handle.reopen

            def cancelled() -> Steps[None]:
                handle.reopen = reopen
                task = asyncio.current_task()
                assert task is not None
                task.cancel()
                yield Pause(60.0)

            handle.reopen = cancelled
            relay.cut()
            with pytest.raises(asyncio.CancelledError):
                await handle.get(quiet=True)

            await handle.put(b"all is open again")
            return bytes((await handle.get()).body)

    assert asyncio.run(run()) == b"all is open again"


def test_no_other_link_prepares_a_unit(relay: Relay, address: str) -> None:
    with penstock.connect(address, reconnect=True, reconnect_timeout=60) as qm:
        qm.begin()
        qm.put("Q", b"half", persistent=True)
        report = qm.recovery.report

        def slow(subject: Any, scope: Any) -> None:
            report(subject, scope)
            qm.recovery.report = report
            relay.cut()
            other = threading.Thread(target=qm.get, args=("Q",))  # which brings the connection back
            other.start()
            other.join(60)

        qm.recovery.report = slow
        with pytest.raises(penstock.MQError, match="2003"):
            qm.prepare("x-1")
        assert qm.prepared() == []
        assert qm.get("Q") is None


def test_a_channel_with_one_instance_takes_the_client_again(server: Any, relay: Relay, address: str) -> None:
    with penstock.connect("QM1") as admin:
        admin.mqsc("ALTER CHANNEL(TEST.SVRCONN) CHLTYPE(SVRCONN) MAXINST(1)")
    with penstock.connect(address, reconnect=True, reconnect_timeout=60) as qm:
        relay.cut()

        assert qm.get("Q") is None
        qm.put("Q", b"in again")
        assert qm.get("Q") is not None


def test_asyncio_resumes_and_calls_go_on(relay: Relay, address: str) -> None:
    async def run() -> None:
        async with await penstock.aio.connect(address, reconnect=True, reconnect_timeout=60) as qm:
            subscription = await qm.subscribe("news/#", durable="s9")

            relay.cut()
            await asyncio.sleep(0.1)

            assert (await qm.status()).channels.links == 1
            await qm.publish("news/b", b"after")
            found = await subscription.get(wait=60.0)
            assert found is not None
            assert found.body == b"after"
            await subscription.close(remove=True)

    asyncio.run(run())


def test_a_token_of_somebody_else_takes_nothing(server: Any) -> None:
    """Another user's link is not ended, even by one who knows its token."""
    with penstock.connect("QM1") as admin:
        assert not any(reply.failed for reply in admin.mqsc(OTHER))
    with penstock.connect(server.address, share=False) as qm:
        token = qm.link.terms.facts["token"]
        target = make_target(server.address.replace("TEST.", "OTHER."), None, None, None, 10.0, None)
        dialling.dial(target, token).close()

        qm.put("Q", b"still here")
        assert qm.get("Q") is not None


def test_a_subscription_that_somebody_else_took_is_lost_alone(server: Any) -> None:
    with penstock.connect(server.address, reconnect=True, reconnect_timeout=60) as qm:
        subscription = qm.subscribe("news/#", durable="s10")
        with penstock.connect("QM1") as admin:
            shown = [reply.attributes or {} for reply in admin.mqsc("DISPLAY CONN(*) CHANNEL")]
            ours = [each["CONN"] for each in shown if each.get("CHANNEL") == "TEST.SVRCONN"]
            admin.mqsc(f"STOP CONN({ours[0]})")
            thief = subscribed(admin, "s10")

            with pytest.raises(penstock.MQError, match="2429"):
                subscription.get(wait=0.5)
            qm.put("Q", b"the rest goes on")
            assert qm.get("Q") is not None
            thief.close(remove=True)
