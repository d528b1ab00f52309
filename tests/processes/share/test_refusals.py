"""What the server refuses: a step fails by itself with a reason, its neighbours go on, nothing is lost."""

from __future__ import annotations

import threading
from typing import Any

import psycopg
import pytest

from penstock.model.errors import MQError
from penstock.share import rounds
from penstock.share.exchange import Exchange
from tests.shared_groups import Members


def refuse_puts(pair: Members, state: str, table: str = "p", when: str = "insert") -> None:
    """Have the server refuse puts whose body is "full", or all of it for another change."""
    test = "if new.body = 'full'::bytea then" if when == "insert" else "if true then"
    with psycopg.connect(pair.url, autocommit=True) as connection:
        connection.execute(f"set search_path to {pair.group.schema}")  # type: ignore[arg-type]
        connection.execute(
            f"create function refuse() returns trigger language plpgsql as $$ begin {test}"  # type: ignore[arg-type]
            f" raise exception 'could not extend file' using errcode = '{state}'; end if; return new; end $$"
        )
        connection.execute(
            f"create trigger refuse before {when} on {table} for each row execute function refuse()"  # type: ignore[arg-type]
        )


@pytest.mark.parametrize(("state", "reason"), [("53100", 2192), ("XX001", 2373), ("40P01", 2003)])
def test_a_refused_put_has_a_reason_and_the_member_stays_connected(
    pair: Members, state: str, reason: int
) -> None:
    one, two = pair.here["QM1"], pair.here["QM2"]
    refuse_puts(pair, state)
    one.put("ORDERS", b"work", persistent=True)
    life = two.host.sharing.facility.incarnation
    two.begin()
    assert two.get("ORDERS").body == b"work"
    two.put("ORDERS", b"full", persistent=True)
    with pytest.raises(MQError, match=str(reason)):
        two.commit()
    with pytest.raises(MQError, match=str(reason)):
        two.put("ORDERS", b"full", persistent=True)
    found = one.get("ORDERS", wait=60)
    assert (found.body, found.backout_count) == (b"work", 0)
    assert one.get("ORDERS") is None
    assert two.host.sharing.facility.incarnation == life


def test_a_refused_unit_leaves_the_others_of_its_round(pair: Members, monkeypatch: Any) -> None:
    """Units that are sent together are made again one by one when the server refuses them together."""
    from penstock.share import pipe as pipes

    two = pair.here["QM2"]
    refuse_puts(pair, "53100")
    held = threading.Event()
    first = threading.Event()
    sizes: list[int] = []

    def run_round(round_: Any) -> Any:
        if round_.commits:
            sizes.append(len(round_.commits))
            first.set()
            held.wait()
        return round_.run()

    monkeypatch.setattr(pipes, "run_round", run_round)
    told: dict[bytes, str] = {}

    def put(body: bytes) -> None:
        try:
            two.put("ORDERS", body, persistent=True)
            told[body] = "put"
        except MQError as failure:
            told[body] = str(failure.reason)

    bodies = [b"a", b"b", b"c", b"full", b"d"]
    threads = [threading.Thread(target=put, args=(body,)) for body in bodies]
    for thread in threads:
        thread.start()
    first.wait(60)
    inbox = two.host.sharing.facility._inbox
    for _ in range(1000):  # two pipes hold a round each at most, and the rest waits
        if sum(sizes) + len(inbox.wishes) == len(bodies):
            break
        first.wait(0)
        threading.Event().wait(0.01)
    held.set()
    for thread in threads:
        thread.join(60)
    assert told == {b"a": "put", b"b": "put", b"c": "put", b"full": "2192", b"d": "put"}
    assert sorted(pair.here["QM1"].get("ORDERS").body for _ in range(4)) == [b"a", b"b", b"c", b"d"]
    assert pair.here["QM1"].get("ORDERS") is None


def test_a_backout_that_cannot_be_counted_still_gives_the_message_back(pair: Members) -> None:
    one, two = pair.here["QM1"], pair.here["QM2"]
    one.put("ORDERS", b"work", persistent=True)
    refuse_puts(pair, "53100", when="update")
    two.begin()
    assert two.get("ORDERS") is not None
    two.backout()
    found = one.get("ORDERS", wait=60)
    assert (found.body, found.backout_count) == (b"work", 0)


def test_a_round_larger_than_all_buffers_does_not_stall(pair: Members) -> None:
    """Answers are read while statements are still being sent: before, large rounds waited for ever."""
    facility = pair.here["QM2"].host.sharing.facility
    pair.here["QM1"].put("ORDERS", b"work", persistent=True)
    with facility.session() as connection:
        exchange = Exchange(connection, rounds.STATEMENTS, 60.0)
        many = range(20_000)
        release = (facility.member, False, many, many, many, [True] * len(many))
        look = (facility.queue_number("ORDERS", "APPL1"), -1, 0, 10, 0.0)
        calls = [(rounds.RELEASE, release), (rounds.LOOK, look)] * 5
        answers = exchange.run(calls)
    assert [len(answer) for answer in answers] == [1] * 10
    assert [row[-1] for row in answers[-1]] == [b"work"]
