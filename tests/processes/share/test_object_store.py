"""Bodies in an object store that speaks S3: moto's server, in this process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from penstock.model.errors import MQError
from penstock.share import object_bodies
from tests.patience import until
from tests.shared_groups import Members, members

BUCKET = "messages"


class Store:
    """An empty bucket, a client that looks into it, and a server that can be stopped and started."""

    def __init__(self) -> None:
        import boto3  # these two take seconds to import
        from moto.server import ThreadedMotoServer

        self.serve = ThreadedMotoServer
        self.port = 0
        self.start()
        self.url = f"http://127.0.0.1:{self.port}"
        keys = {"aws_access_key_id": "test", "aws_secret_access_key": "test", "region_name": "us-east-1"}
        self.client: Any = boto3.client("s3", endpoint_url=self.url, **keys)
        self.client.create_bucket(Bucket=BUCKET)

    def start(self) -> None:
        self.server = self.serve(ip_address="127.0.0.1", port=self.port, verbose=False)
        self.server.start()
        _, self.port = self.server.get_host_and_port()

    def names(self) -> list[str]:
        found = self.client.list_objects_v2(Bucket=BUCKET).get("Contents", [])
        return [each["Key"] for each in found]


@pytest.fixture(scope="module")
def store() -> Iterator[Store]:
    found = Store()
    yield found
    found.server.stop()


@pytest.fixture
def s3(store: Store, monkeypatch: pytest.MonkeyPatch) -> Store:
    """The store, which members find by their environment."""
    settings = {
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_REGION": "us-east-1",
        "AWS_ENDPOINT": store.url,
        "AWS_ALLOW_HTTP": "true",
    }
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    return store


@pytest.fixture
def group(facility: str, tmp_path: Path, s3: Store) -> Iterator[Members]:
    """Two members, and a queue whose large bodies are objects."""
    with members(facility, tmp_path, "QM1", "QM2") as found:
        one, two = found.here["QM1"], found.here["QM2"]
        words = f"RECOVER(YES) OFFLOAD(OBJECT) DSGROUP('s3://{BUCKET}/group/*')"
        one.mqsc(f"DEFINE CFSTRUCT(APPL1) {words}", check=True)
        one.mqsc("DEFINE QLOCAL(BIG) QSGDISP(SHARED) CFSTRUCT(APPL1) DEFPSIST(YES)", check=True)
        until(lambda: "BIG" in two.engine.queues)
        yield found


def test_bodies_go_to_s3_and_come_back_at_the_other_member(group: Members, s3: Store) -> None:
    """A get removes the object; one that is damaged or gone is 2561 and never delivered."""
    one, two = group.here["QM1"], group.here["QM2"]
    for number in range(3):
        one.put("BIG", bytes([number]) * 100_000)
    assert len(s3.names()) == 3
    assert all(name.startswith("group/QM1/APPL1/") for name in s3.names())
    assert two.get("BIG").body == bytes(100_000)
    until(lambda: len(s3.names()) == 2)
    first = s3.names()[0]
    s3.client.put_object(Bucket=BUCKET, Key=first, Body=b"\x01" * 99_999 + b"x")
    with pytest.raises(MQError, match=r"2561.*damaged"):
        two.get("BIG")
    s3.client.delete_object(Bucket=BUCKET, Key=first)
    with pytest.raises(MQError, match=r"2561.*not found"):
        two.get("BIG")
    s3.client.put_object(Bucket=BUCKET, Key=first, Body=b"\x01" * 100_000)
    assert [two.get("BIG").body[0] for _ in range(2)] == [1, 2]
    until(lambda: s3.names() == [])


def test_a_store_that_dies_in_the_middle_of_a_unit_costs_nobody_else_anything(
    group: Members, s3: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before, the object that could not be removed broke the member's connection, or stayed for ever."""
    one, two = group.here["QM1"], group.here["QM2"]
    put = object_bodies.RemoteStore.put

    def put_and_stop(store: object_bodies.RemoteStore, name: str, data: bytes) -> None:
        put(store, name, data)
        s3.server.stop()

    one.put("BIG", b"early" * 20_000)
    with two.unit_of_work():
        assert two.get("BIG").body[:5] == b"early"
        monkeypatch.setattr(object_bodies.RemoteStore, "put", put_and_stop)
        one.begin()
        one.put("BIG", b"a" * 100_000)
        one.put("BIG", b"b" * 100_000)
        with pytest.raises(MQError, match="2561"):
            one.commit()
    one.put("BIG", b"small")
    assert two.get("BIG").body == b"small"
    assert [qm.host.sharing.facility.incarnation for qm in (one, two)] == [1, 1]
    assert group.rows("select count(*) from released") == [(2,)]
    s3.start()
    until(lambda: s3.names() == [])
    until(lambda: group.rows("select count(*) from released") == [(0,)])


def test_objects_of_a_unit_that_never_ended_are_removed(group: Members, s3: Store) -> None:
    """Its member died with the object stored; the object of a message stays."""
    one, two = group.here["QM1"], group.here["QM2"]
    two.put("BIG", b"kept" * 25_000)
    two.host.abandon()
    group.until_recovered("QM2")
    s3.client.put_object(Bucket=BUCKET, Key="group/QM2/APPL1/1/99", Body=b"x" * 100_000)
    group.rows("update member set swept = 0 returning 1")
    until(lambda: len(s3.names()) == 1)
    assert one.get("BIG").body == b"kept" * 25_000
    until(lambda: s3.names() == [])
