"""Bodies in an object store that speaks S3: moto, in this process (pip install moto[s3] flask flask-cors)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from penstock.model.errors import MQError
from tests.patience import until
from tests.shared_groups import members

pytest.importorskip("obstore", reason="obstore is not installed (extra `objects`)")
moto = pytest.importorskip("moto.server", reason="moto[s3], flask and flask-cors are not installed")
BUCKET = "messages"


@pytest.fixture
def s3(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """An empty bucket; gives the client that looks into it."""
    import boto3

    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    url = f"http://{host}:{port}"
    settings = {
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_REGION": "us-east-1",
        "AWS_ENDPOINT": url,
        "AWS_ALLOW_HTTP": "true",
    }
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    client = boto3.client("s3", endpoint_url=url, region_name="us-east-1")
    client.create_bucket(Bucket=BUCKET)
    yield client
    server.stop()


def names(s3: Any) -> list[str]:
    return [each["Key"] for each in s3.list_objects_v2(Bucket=BUCKET).get("Contents", [])]


def test_bodies_go_to_s3_and_come_back_at_the_other_member(facility: str, tmp_path: Path, s3: Any) -> None:
    """A get removes the object; one that is damaged or gone is 2561 and never delivered."""
    with members(facility, tmp_path, "QM1", "QM2") as group:
        one, two = group.here["QM1"], group.here["QM2"]
        words = f"RECOVER(YES) OFFLOAD(OBJECT) DSGROUP('s3://{BUCKET}/group/*')"
        one.mqsc(f"DEFINE CFSTRUCT(APPL1) {words}", check=True)
        one.mqsc("DEFINE QLOCAL(BIG) QSGDISP(SHARED) CFSTRUCT(APPL1) DEFPSIST(YES)", check=True)
        until(lambda: "BIG" in two.engine.queues)
        for number in range(3):
            one.put("BIG", bytes([number]) * 100_000)
        assert len(names(s3)) == 3
        assert all(name.startswith("group/QM1/APPL1/") for name in names(s3))
        assert two.get("BIG").body == bytes(100_000)
        until(lambda: len(names(s3)) == 2)
        first = names(s3)[0]
        s3.put_object(Bucket=BUCKET, Key=first, Body=b"\x01" * 99_999 + b"x")
        with pytest.raises(MQError, match=r"2561.*damaged"):
            two.get("BIG")
        s3.delete_object(Bucket=BUCKET, Key=first)
        with pytest.raises(MQError, match=r"2561.*not found"):
            two.get("BIG")
        s3.put_object(Bucket=BUCKET, Key=first, Body=b"\x01" * 100_000)
        assert [two.get("BIG").body[0] for _ in range(2)] == [1, 2]
        until(lambda: names(s3) == [])
