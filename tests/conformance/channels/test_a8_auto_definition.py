"""A8: CHAD(ENABLED): unknown channels define themselves, and give a first caller no more than the model."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

import pytest

import penstock
from penstock.model.pcf import decode_pcf
from tests.channel_pairs import Pair, bodies, refusal, run, status, until_state

pytestmark = pytest.mark.installed


@pytest.fixture(autouse=True)
def enabled(pair: Pair) -> Iterator[None]:
    run(pair.qmb, "ALTER QMGR CHAD(ENABLED) CHADEV(ENABLED)")
    yield
    run(
        pair.qmb,
        "ALTER QMGR CHAD(DISABLED) CHADEV(DISABLED)\n"
        "ALTER CHANNEL(SYSTEM.AUTO.SVRCONN) CHLTYPE(SVRCONN) MCAUSER(' ') SSLCIPH(' ')\n"
        "ALTER CHANNEL(SYSTEM.AUTO.RECEIVER) CHLTYPE(RCVR) MCAUSER(' ')\n"
        "CLEAR QLOCAL(SYSTEM.ADMIN.CHANNEL.EVENT)",
    )


def connect(pair: Pair, channel: str) -> penstock.ClientQueueManager:
    return penstock.connect(f"mq://127.0.0.1:{pair.ports['QMB']}/QMB?channel={channel}", user="somebody")


def allow(pair: Pair) -> None:
    """Let clients of the model in, as `app`."""
    run(
        pair.qmb,
        "ALTER CHANNEL(SYSTEM.AUTO.SVRCONN) CHLTYPE(SVRCONN) MCAUSER('app')\n"
        "SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('app') AUTHADD(CONNECT)",
    )


def shown(pair: Pair, name: str) -> dict[str, object]:
    return {
        key: value
        for reply in pair.qmb.mqsc(f"DISPLAY CHANNEL({name}) CHLTYPE MCAUSER DESCR")
        for key, value in (reply.attributes or {}).items()
    }


def test_a_client_defines_a_svrconn_with_the_user_of_the_model(pair: Pair) -> None:
    allow(pair)
    with connect(pair, "NEW.SVRCONN"):
        assert status(pair.qmb, "NEW.SVRCONN")["MCAUSER"] == "app"
    found = shown(pair, "NEW.SVRCONN")
    assert (found["CHLTYPE"], found["MCAUSER"]) == ("SVRCONN", "app")
    told = decode_pcf(bytes(pair.qmb.get("SYSTEM.ADMIN.CHANNEL.EVENT", wait=60).body))
    assert told.reason == 2233


def test_whom_the_rules_keep_out_defines_nothing(pair: Pair) -> None:
    allow(pair)
    run(pair.qmb, "SET CHLAUTH('SHUT.*') TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(NOACCESS)")
    with pytest.raises(penstock.MQError) as caught:
        connect(pair, "SHUT.SVRCONN")
    assert caught.value.reason == 2035
    assert shown(pair, "SHUT.SVRCONN") == {}


@pytest.mark.parametrize("name", ["odd name", "LONGER.THAN.TWENTY.CHARACTERS", "x'y", ""])
def test_names_that_no_channel_can_have_define_nothing(pair: Pair, name: str) -> None:
    allow(pair)
    before = len(run(pair.qmb, "DISPLAY CHANNEL(*)"))
    with pytest.raises(penstock.MQError):
        connect(pair, quote(name))
    assert len(run(pair.qmb, "DISPLAY CHANNEL(*)")) == before


def test_the_tls_of_the_model_holds_for_the_first_client(pair: Pair) -> None:
    allow(pair)
    run(
        pair.qmb,
        "ALTER CHANNEL(SYSTEM.AUTO.SVRCONN) CHLTYPE(SVRCONN) SSLCIPH(ANY_TLS12_OR_HIGHER)",
    )
    with pytest.raises(penstock.MQError) as caught:
        connect(pair, "PLAIN.SVRCONN")
    assert caught.value.reason in (2035, 2393)
    assert shown(pair, "PLAIN.SVRCONN") == {}


def test_the_first_link_of_a_receiver_has_the_user_of_the_model(pair: Pair) -> None:
    run(pair.qmb, "ALTER CHANNEL(SYSTEM.AUTO.RECEIVER) CHLTYPE(RCVR) MCAUSER('nobody2')")
    pair.link("MODEL.USER", trigger=False)
    run(pair.qmb, "DELETE CHANNEL(MODEL.USER)")
    pair.qma.put("MODEL.USER.R", b"not allowed", persistent=True)
    run(pair.qma, "START CHANNEL(MODEL.USER)")
    assert bodies(pair.qmb, "DLQ", 1)[0].endswith(b"not allowed")
    assert until_state(pair.qmb, "MODEL.USER", "RUNNING")["MCAUSER"] == "nobody2"


def test_a_message_channel_is_no_clients_channel(pair: Pair) -> None:
    allow(pair)
    pair.link("TAKEN", trigger=False)
    with pytest.raises(penstock.MQError):
        connect(pair, "TAKEN")
    assert refusal(pair.qmb, "START CHANNEL(NOT.DEFINED)").failed
