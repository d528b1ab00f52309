"""Serialised applications: one connection of the group at a time has a connection tag (2271)."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import penstock
from penstock.host.folders.folder import folder_of
from penstock.model.errors import MQError
from tests.patience import until
from tests.processes.share.conftest import Distant
from tests.relay import Relay
from tests.shared_groups import Members

IN_USE = 2271
compiled = pytest.mark.skipif(
    os.environ.get("PENSTOCK_UNCOMPILED", "0") != "0", reason="the frames know the compiled message"
)


def takes(qm: Any, tag: str = "PAYROLL") -> bool:
    """Return whether a connection gets the tag."""
    try:
        qm.take_connection_tag(tag)
    except MQError as failure:
        assert failure.reason == IN_USE
        return False
    return True


def another(pair: Members, name: str) -> Any:
    """Return one more connection of a member in this process."""
    return penstock.embed(name, home=pair.home)


def test_one_connection_of_the_group_has_a_tag(pair: Members) -> None:
    one, two = pair.here["QM1"], pair.here["QM2"]
    with another(pair, "QM1") as first:
        assert takes(first)
        assert takes(first)  # it has it
        assert not takes(one)
        assert not takes(two)
        assert takes(two, "OTHER")
    until(lambda: takes(two))
    assert not takes(one)


@pytest.mark.parametrize("tag", ["", "x" * 129])
def test_a_tag_has_1_to_128_bytes_and_needs_a_group(pair: Members, tmp_path: Path, tag: str) -> None:
    with pytest.raises(MQError, match="2046"):
        pair.here["QM1"].take_connection_tag(tag)
    with penstock.embed("ALONE", create=True, home=tmp_path, file_pages=256) as alone:
        with pytest.raises(MQError, match=r"2298.*in none"):
            alone.take_connection_tag("PAYROLL")


def test_who_gets_the_tag_of_a_dead_member_finds_its_messages_in_their_places(pair: Members) -> None:
    one = pair.here["QM1"]
    with one.unit_of_work():
        for number in range(4):
            one.put("ORDERS", b"%d" % number, persistent=True)
    worker = pair.run("QM3", "shared_member.py")
    assert worker.stdin is not None
    assert worker.stdout is not None
    assert worker.stdout.readline() == "ready\n"
    for command in ("tag PAYROLL", "hold 3"):
        worker.stdin.write(command + "\n")
        worker.stdin.flush()
        assert worker.stdout.readline().startswith("done")
    assert not takes(one)
    pair.kill("QM3")
    until(lambda: takes(one))
    assert [one.get("ORDERS").body for _ in range(4)] == [b"0", b"1", b"2", b"3"]


def test_a_connection_whose_tag_went_to_another_member_ends(pair: Members, distant: Distant) -> None:
    """It was cut off; before it comes back somebody else has the tag, and may rely on it."""
    one, other = pair.here["QM1"], distant.start("QM3")
    one.put("ORDERS", b"work", persistent=True)
    holder = another(pair, "QM3")
    assert takes(holder)
    assert takes(other, "OTHER")
    holder.begin()
    assert holder.get("ORDERS").body == b"work"
    distant.relay.refuses = True
    distant.relay.cut()
    until(lambda: takes(one))
    assert one.get("ORDERS", wait=60).body == b"work"
    distant.relay.refuses = False
    until(lambda: other.host.sharing.connected)
    with pytest.raises(MQError, match="2018"):
        holder.commit()
    holder.close()
    assert not takes(one, "OTHER")  # taken again: nobody had it meanwhile
    other.put("ORDERS", b"goes on")


@pytest.fixture
def served(pair: Members) -> Any:
    """QM2 as a server; gives its address."""
    from tests.journeys import serving
    from tests.processes.share.test_clients import CHANNEL

    pair.here["QM2"].mqsc(CHANNEL, check=True)
    with serving(folder_of("QM2", pair.home)) as port:
        yield port


@compiled
def test_a_tag_of_a_client_ends_with_its_connection(pair: Members, served: int) -> None:
    one = pair.here["QM1"]
    with penstock.connect(f"mq://127.0.0.1:{served}/QM2?channel=APP") as client:
        assert takes(client)
        assert not takes(one)
    until(lambda: takes(one))


@compiled
def test_a_client_that_reconnects_has_its_tag_again_before_its_next_call(pair: Members, served: int) -> None:
    one = pair.here["QM1"]
    relay = Relay(served)
    where = f"mq://127.0.0.1:{relay.port}/QM2?channel=APP"
    with penstock.connect(where, reconnect=True) as client:
        assert takes(client)
        relay.cut()
        assert client.get("ORDERS") is None
        assert not takes(one)
    until(lambda: takes(one))
    asyncio.run(_comes_back(where, relay, lambda: takes(one, "AIO")))
    relay.close()


async def _comes_back(where: str, relay: Relay, taken_elsewhere: Callable[[], bool]) -> None:
    async with await penstock.aio.connect(where, reconnect=True) as client:
        await client.take_connection_tag("AIO")
        relay.cut()
        assert await client.get("ORDERS") is None
        assert not await asyncio.to_thread(taken_elsewhere)
