"""A3: a message on a transmission queue, and what survives the journey."""

from __future__ import annotations

import pytest

from tests.channel_pairs import Pair, bodies, run

pytestmark = pytest.mark.installed


def test_descriptor_properties_and_context_survive(pair: Pair) -> None:
    pair.link("KEPT")
    correl = b"c".ljust(24)
    properties = {"colour": "red", "traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}
    sent = pair.qma.put(
        "KEPT.R", b"data", persistent=True, priority=7, correl_id=correl, properties=properties
    )
    got = pair.qmb.get("KEPT.T", wait=60)
    assert (got.msg_id, got.correl_id, got.priority, got.persistent) == (sent.msg_id, correl, 7, True)
    assert dict(got.properties) == properties
    assert got.put_time == pytest.approx(sent.put_time)


def test_a_program_reads_mqxqh_and_its_own_mqxqh_is_sent(pair: Pair) -> None:
    pair.link("XQH", trigger=False)
    pair.qma.put("XQH.R", b"wrapped", persistent=True)
    seen = pair.qma.get("XQH.X", wait=60)
    assert bytes(seen.body).startswith(b"XQH ")
    assert seen.descriptor.format.strip() == "MQXMIT"
    pair.qma.put("XQH.X", bytes(seen.body), format="MQXMIT", persistent=True)
    run(pair.qma, "START CHANNEL(XQH)")
    assert bodies(pair.qmb, "XQH.T", 1) == [b"wrapped"]


def test_what_has_no_header_is_a_dead_letter_and_the_channel_goes_on(pair: Pair) -> None:
    pair.link("NOXQH", trigger=False)
    pair.qma.put("NOXQH.X", b"no header", persistent=True)
    pair.qma.put("NOXQH.R", b"good", persistent=True)
    run(pair.qma, "START CHANNEL(NOXQH)")
    assert bodies(pair.qmb, "NOXQH.T", 1) == [b"good"]
    assert bytes(pair.qma.get("DLQ", wait=60).body).endswith(b"no header")


def test_expiry_is_what_remains(pair: Pair) -> None:
    pair.link("EXPIRY")
    pair.qma.put("EXPIRY.R", b"x", expiry=3600)
    got = pair.qmb.get("EXPIRY.T", wait=60)
    assert 0 < got.remaining <= 3600


def test_large_messages_arrive(pair: Pair) -> None:
    pair.link("LARGE")
    body = bytes(range(256)) * (3 << 12)  # 3 MB
    pair.qma.put("LARGE.R", body, persistent=True)
    pair.qma.put("LARGE.R", body)
    assert bytes(pair.qmb.get("LARGE.T", wait=60).body) == body
    assert bytes(pair.qmb.get("LARGE.T", wait=60).body) == body
