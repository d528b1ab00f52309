"""Bodies that no message refers to: a member is killed, or PostgreSQL crashes, and their space comes back.

A large body is stored before the round with its row is sent. A member that dies in between leaves it behind;
a crash of PostgreSQL takes the rows of non-persistent messages, and not what was stored for them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from penstock.model.errors import MQError
from penstock.share import orphaned_bodies
from tests.patience import until
from tests.postgresql import Server, restartable_server
from tests.shared_groups import Members, members

pytestmark = pytest.mark.crash
KINDS = {
    "SMDS": "OFFLOAD(SMDS) DSGROUP('{}/smds/*/APPL1') DSBLOCK(64K)",
    "DB2": "OFFLOAD(DB2)",
    "OBJECT": "OFFLOAD(OBJECT) DSGROUP('file://{}/objects/*')",
}
ORPHANS = 5
BLOCKS = 2  # of 64 KB that a body of 100,000 bytes takes


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with restartable_server() as found:
        yield found


@pytest.fixture
def group(server: Server, tmp_path: Path) -> Iterator[Members]:
    with members(server.url, tmp_path, "QM1") as found:
        yield found


def share_queue(group: Members, tmp_path: Path, kind: str) -> Any:
    """Define ORDERS, whose large bodies go to a place; return QM1."""
    one = group.here["QM1"]
    one.mqsc(f"DEFINE CFSTRUCT(APPL1) RECOVER(YES) {KINDS[kind].format(tmp_path)}", check=True)
    group.share("ORDERS")
    return one


def die_storing(group: Members, name: str) -> None:
    """Have a member in another process put a large message, and die with the bodies of a unit stored."""
    worker = group.run(name, "shared_member.py")
    assert worker.stdin is not None
    assert worker.stdout is not None
    worker.stdin.write(f"large 1\ndie-storing {ORPHANS}\n")
    worker.stdin.flush()
    assert [worker.stdout.readline() for _ in range(3)] == ["ready\n", "done large\n", f"stored {ORPHANS}\n"]
    worker.wait()
    group.kill(name)
    group.until_recovered(name)


def blocks_used(qm: Any) -> list[int]:
    replies = qm.mqsc("DISPLAY USAGE TYPE(SMDS)")
    return [reply.attributes["USEDBLOCKS"] for reply in replies if reply.attributes]


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def stored(group: Members, tmp_path: Path) -> int:
    """Return how many bodies are in the table and in the object store."""
    ((rows,),) = group.rows("select count(*) from body")
    return int(rows) + len(files(tmp_path / "objects"))


@pytest.mark.parametrize("kind", ["DB2", "OBJECT"])
def test_a_peer_removes_what_a_killed_member_had_stored_for_a_unit(
    group: Members, tmp_path: Path, kind: str
) -> None:
    """What a message refers to stays, a file that was half written goes."""
    one = share_queue(group, tmp_path, kind)
    die_storing(group, "QM2")
    if kind == "OBJECT":
        (tmp_path / "objects" / "QM2" / "APPL1" / "1" / "99.new").write_bytes(b"half")
        group.rows("update member set swept = 0 returning 1")
    until(lambda: stored(group, tmp_path) == 1)
    until(lambda: "CSQE016I" in (one.host.folder.errors / "AMQERR01.LOG").read_text())
    assert one.get("ORDERS").body == b"0" * 100_000
    until(lambda: stored(group, tmp_path) == 0)  # though its owner does not run
    assert group.rows("select count(*) from released") == [(0,)]


def test_a_data_set_has_the_space_again_when_its_member_is_back(group: Members, tmp_path: Path) -> None:
    """Before anything is put there: what others got meanwhile is collected, too."""
    one = share_queue(group, tmp_path, "SMDS")
    die_storing(group, "QM2")
    two = group.start("QM2")
    until(lambda: blocks_used(two) == [BLOCKS])
    assert one.get("ORDERS").body == b"0" * 100_000
    until(lambda: blocks_used(two) == [0])
    two.put("ORDERS", b"x" * 100_000)
    assert blocks_used(two) == [BLOCKS]


@pytest.mark.parametrize("kind", KINDS)
def test_a_crash_of_the_server_gives_back_the_space_of_what_it_took(
    group: Members, server: Server, tmp_path: Path, kind: str
) -> None:
    one = share_queue(group, tmp_path, kind)
    for number in range(ORPHANS):
        one.put("ORDERS", b"%d" % number * 100_000, persistent=number == 0)
    server.stop_at_once()
    server.start()
    until(lambda: one.host.sharing.facility.incarnation == 2 and one.host.sharing.connected)
    if kind == "SMDS":
        until(lambda: blocks_used(one) == [BLOCKS])
    else:
        until(lambda: stored(group, tmp_path) == 1)
    one.put("ORDERS", b"x" * 100_000, persistent=True)
    assert [one.get("ORDERS").body[:1] for _ in range(2)] == [b"0", b"x"]
    assert one.get("ORDERS") is None


def test_bodies_of_units_under_way_are_not_taken_for_orphans(group: Members, tmp_path: Path) -> None:
    """A look at everything between the store of a body and its row, and while a unit holds the message."""
    one = share_queue(group, tmp_path, "DB2")
    two = group.start("QM2")
    bodies = two.host.sharing.commands.bodies
    store = bodies.store

    def store_and_look(puts: list[Any]) -> None:
        store(puts)
        group.rows("update member set swept = 0 returning 1")
        one.host.sharing.commands.orphans.remove()

    bodies.store = store_and_look
    two.put("ORDERS", b"x" * 100_000)
    with one.unit_of_work():
        assert one.get("ORDERS").body == b"x" * 100_000
        two.host.abandon()
        group.until_recovered("QM2")
        until(lambda: group.rows("select swept from member where name = 'QM2'") == [(1,)])
    until(lambda: stored(group, tmp_path) == 0)


def test_a_store_that_is_away_is_tried_again(
    group: Members, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(orphaned_bodies, "PAUSE_SECONDS", 0.0)
    one = share_queue(group, tmp_path, "OBJECT")
    folder = tmp_path / "objects" / "QM2"
    folder.parent.mkdir()
    tried = []
    at = one.host.sharing.commands.bodies.objects("APPL1")
    of_lives = at.of_lives

    def away(owner: str, last: int) -> Any:
        tried.append(owner)
        if len(tried) < 3:
            raise MQError(2561, "the store is away")
        return of_lives(owner, last)

    monkeypatch.setattr(at, "of_lives", away)
    die_storing(group, "QM2")
    until(lambda: len(tried) >= 3)
    until(lambda: stored(group, tmp_path) == 1)
