"""A client channel definition table in JSON: what is read, the order of channels, what is refused."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import penstock
from penstock.client.address import parse_address
from penstock.client.channel_environment import choices_for, server_choices
from penstock.client.channel_table import Choices, Definition, parse_table


def channel(name: str = "APP.SVRCONN", qmgr: str = "QM1", **more: Any) -> dict[str, Any]:
    """Return one channel of a table."""
    connection = [{"host": f"{name.lower()}.example", "port": 1415}]
    client = {"connection": connection, "queueManager": qmgr}
    return {"name": name, "type": "clientConnection", "clientConnection": client, **more}


def table(*channels: dict[str, Any]) -> bytes:
    return json.dumps({"channel": list(channels)}).encode()


def weighted(weight: int, affinity: str = "none", **more: Any) -> dict[str, Any]:
    return {"connectionManagement": {"clientWeight": weight, "affinity": affinity, **more}}


def test_a_channel_has_its_hosts_cipher_and_peer() -> None:
    security = {"cipherSpecification": "ANY_TLS12_OR_HIGHER", "certificatePeerName": "CN=QM1"}
    found = parse_table(table(channel(transmissionSecurity=security)), "t.json").choices("QM1").order()
    address = found[0].address
    assert address.hosts == (("app.svrconn.example", 1415),)
    assert (address.channel, address.encrypted) == ("APP.SVRCONN", True)
    assert address.options == {"cipher": "ANY_TLS12_OR_HIGHER", "peer": "CN=QM1"}


def test_a_name_takes_its_channels_and_a_star_takes_any_queue_manager_of_the_group() -> None:
    found = parse_table(table(channel("A", "QM1"), channel("B", "GRP"), channel("C", "GRP")), "t.json")
    assert [each.name for each in found.choices("QM1").order()] == ["A"]
    assert not found.choices("QM1").any_member
    assert [each.name for each in found.choices("*GRP").order()] == ["B", "C"]
    assert found.choices("*GRP").any_member
    with pytest.raises(penstock.MQError, match="has no channel for queue manager QM2; it has GRP, QM1") as no:
        found.choices("QM2")
    assert no.value.reason == 2058


def test_weights_decide_how_often_a_channel_is_first() -> None:
    choices = Choices(
        tuple(Definition(name, "G", (("h", 1),), weight, "none") for name, weight in (("A", 1), ("B", 3))),
        True,
        random.Random(20261118),
    )
    first = Counter(choices.order()[0].name for _ in range(4000))
    assert 900 <= first["A"] <= 1100
    assert first["A"] + first["B"] == 4000


def test_weight_zero_comes_first_by_name() -> None:
    found = parse_table(
        table(*(channel(n, "G", **weighted(w)) for n, w in (("Z", 0), ("M", 9), ("B", 0)))), "t"
    )
    assert [each.name for each in found.choices("*G").order()] == ["B", "Z", "M"]


def test_a_process_keeps_a_preferred_order_until_a_channel_fails() -> None:
    rows = [channel(name, "G", **weighted(5, "preferred")) for name in "ABCDEF"]
    choices = parse_table(table(*rows), "t").choices("*G")
    order = choices.order()
    assert all(choices.order() == order for _ in range(50))
    choices.failed(order[0])
    assert choices.order() == [*order[1:], order[0]]


def test_without_affinity_every_connection_draws_anew() -> None:
    rows = [channel(name, "G", **weighted(5)) for name in "ABCDEF"]
    choices = parse_table(table(*rows), "t").choices("*G")
    assert len({tuple(each.name for each in choices.order()) for _ in range(50)}) > 10


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"AMQR\x01\x02", "binary form"),
        (b'{"channel": [', "not JSON"),
        (b"[]", "not JSON; the binary"),
        (b'{"channels": []}', "unknown keys: channels; did you mean channel"),
        (b'{"channel": {}}', "must be a list"),
        (b'{"channel": []}', "must be a list of channels"),
        (b'{"channel": [7]}', r"channel\[0\] must be an object"),
        (table({"type": "clientConnection"}), "has no name"),
        (table(channel(typ="x")), r"channel\[0\] has unknown keys: typ; did you mean type"),
        (table(channel(connectionManagement={"clientWieght": 1})), "clientWieght; did you mean clientWeight"),
        (table(channel(**weighted(100))), "clientWeight is from 0 to 99, not 100"),
        (table(channel(connectionManagement={"clientWeight": "5"})), "must be a whole number"),
        (table(channel(connectionManagement={"clientWeight": True})), "must be a whole number"),
        (table(channel(**weighted(1, "some"))), "affinity is one of preferred, none, not some"),
        (table(channel(**weighted(1, defaultReconnect="maybe"))), "defaultReconnect is one of"),
        (table(channel(exits={"security": {"name": "x"}})), "exits are not run"),
        (table({**channel(), "type": "svrconn"}), 'type must be "clientConnection"'),
        (table({**channel(), "clientConnection": {"connection": []}}), "needs a host and a port"),
        (
            table({**channel(), "clientConnection": {"connection": [{"host": "h", "port": 0}]}}),
            "needs a host",
        ),
        (table({**channel(), "name": 7}), "name must be text"),
    ],
)
def test_what_cannot_be_used_is_named(content: bytes, text: str) -> None:
    with pytest.raises(penstock.MQError, match=text) as refused:
        parse_table(content, "t.json")
    assert refused.value.reason == 2278


def test_mqserver_is_a_channel_with_a_connection_list() -> None:
    found = server_choices("APP.SVRCONN/TCP/a(1415), b", "*ANY").order()[0]
    assert (found.name, found.hosts) == ("APP.SVRCONN", (("a", 1415), ("b", 1414)))
    for wrong in (
        "APP.SVRCONN",
        "APP/LU62/a",
        "APP/TCP/",
        "/TCP/a(1414)",
        "APP/TCP/a(99999)",
        "APP/TCP/a(x)",
    ):
        with pytest.raises(penstock.MQError, match="MQSERVER") as refused:
            server_choices(wrong, "QM1")
        assert refused.value.reason == 2278


def test_the_environment_names_a_table_and_mqserver_comes_first(tmp_path: Path) -> None:
    file = tmp_path / "ccdt.json"
    file.write_bytes(table(channel("FROM.TABLE", "QM1")))
    for where in (
        {"MQCCDTURL": file.as_uri()},
        {"MQCCDTURL": str(file)},
        {"MQCHLLIB": str(tmp_path), "MQCHLTAB": "ccdt.json"},
        {"MQCHLTAB": str(file)},
    ):
        found = choices_for("QM1", None, where)
        assert found is not None
        assert found.order()[0].name == "FROM.TABLE"
    server = choices_for("QM1", None, {"MQSERVER": "S/TCP/h(1)", "MQCCDTURL": str(file)})
    assert server is not None
    assert server.order()[0].name == "S"
    assert choices_for("QM1", None, {}) is None
    with pytest.raises(penstock.MQError, match="only files are read"):
        choices_for("QM1", None, {"MQCCDTURL": "http://example.org/ccdt.json"})
    with pytest.raises(penstock.MQError, match="No such file"):
        choices_for("QM1", None, {"MQCHLLIB": str(tmp_path)})


def test_a_table_is_read_again_when_it_changes(tmp_path: Path) -> None:
    file = tmp_path / "ccdt.json"
    for name in ("FIRST", "SECOND.LONGER"):
        file.write_bytes(table(channel(name, "QM1")))
        found = choices_for("QM1", file, {})
        assert found is not None
        assert found.order()[0].name == name


def test_an_address_with_a_star_is_for_any_queue_manager() -> None:
    assert parse_address("mq://a:1414,b:1415,c/*").hosts == (("a", 1414), ("b", 1415), ("c", 1414))
    assert parse_address("mq://a,b/*GRP").qmgr == "*GRP"
    assert parse_address("mq://a,[::1]:1415,[::2]/QM1").hosts == (("a", 1414), ("::1", 1415), ("::2", 1414))
