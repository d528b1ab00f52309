"""Security of message channels: TLS both ways, CHLAUTH rules, and that clients and partners stay apart."""

from __future__ import annotations

import socket

import pytest
import trustme

import penstock
from penstock.channel import frames
from penstock.channel.terms import Terms
from penstock.model.pcf import decode_pcf
from penstock.protocol import numbers as protocol
from penstock.protocol._frames import Outgoing
from tests.channel_pairs import Pair, bodies, run, status, until_state
from tests.patience import until
from tests.served import Served

pytestmark = pytest.mark.installed

TLS = "SSLCIPH(ANY_TLS12_OR_HIGHER)"
QUICK = "SHORTTMR(0) SHORTRTY(999999999)"


@pytest.fixture(scope="module")
def authority(pair: Pair) -> trustme.CA:
    """Certificates for both queue managers: QMA is of Acme, QMB of Beta."""
    made = trustme.CA()
    for served, organization in ((pair.a, "Acme"), (pair.b, "Beta")):
        certify(served, made, organization)
    return made


def certify(served: Served, authority: trustme.CA, organization: str) -> None:
    folder = served.folder / "ssl"
    folder.mkdir(exist_ok=True)
    own = authority.issue_cert(
        "127.0.0.1", common_name=served.name, organization_name=organization, organization_unit_name="Queues"
    )
    label = f"ibmwebspheremq{served.name.lower()}.pem"
    own.private_key_and_cert_chain_pem.write_to_path(str(folder / label))
    authority.cert_pem.write_to_path(str(folder / "trusted.pem"))


def moves(pair: Pair, name: str) -> None:
    pair.qma.put(f"{name}.R", b"moved", persistent=True)
    assert bodies(pair.qmb, f"{name}.T", 1) == [b"moved"]


def refused(pair: Pair, name: str, why: str) -> None:
    """Put a message that cannot go, and find why in the log of the receiving end."""
    pair.qma.put(f"{name}.R", b"stays", persistent=True)
    until(lambda: any(name in line and why in line for line in pair.b.log().splitlines()))
    until_state(pair.qma, name, "RETRYING")
    run(pair.qma, f"STOP CHANNEL({name})")
    until_state(pair.qma, name, "STOPPED")  # it may have dialled again


def test_both_ends_show_certificates(pair: Pair, authority: trustme.CA) -> None:
    pair.link("TLS", f"{TLS} SSLPEER('O=Beta')", f"{TLS} SSLCAUTH(REQUIRED) SSLPEER('O=Acme')")
    moves(pair, "TLS")
    row = status(pair.qma, "TLS")
    assert row["SECPROT"] in ("TLSV12", "TLSV13")
    assert "O=Beta" in row["SSLPEER"]
    assert "O=Acme" in status(pair.qmb, "TLS")["SSLPEER"]


def test_one_cipher_of_tls_12(pair: Pair, authority: trustme.CA) -> None:
    cipher = "SSLCIPH(ECDHE_ECDSA_AES_256_GCM_SHA384)"
    pair.link("TLS12", cipher, cipher)
    moves(pair, "TLS12")
    assert status(pair.qma, "TLS12")["SSLCIPH"] == "ECDHE-ECDSA-AES256-GCM-SHA384"


def test_a_partner_of_another_name_is_not_believed(pair: Pair, authority: trustme.CA) -> None:
    pair.link("OTHER.PEER", f"{TLS} SSLPEER('O=Somebody') {QUICK}", TLS)
    pair.qma.put("OTHER.PEER.R", b"x", persistent=True)
    row = until(lambda: (r := status(pair.qma, "OTHER.PEER")) and "does not fit SSLPEER" in r["LSTERR"] and r)
    assert "O=Beta" in row["LSTERR"]
    run(pair.qma, "STOP CHANNEL(OTHER.PEER)")


@pytest.mark.parametrize("end", ["QMA", "QMB"])
def test_both_ends_say_that_a_certificate_is_refused_until_it_is_replaced(
    pair: Pair, authority: trustme.CA, end: str
) -> None:
    name = f"REFUSED.{end}"
    bad, judge = (pair.a, pair.b) if end == "QMA" else (pair.b, pair.a)
    pair.link(name, f"{TLS} {QUICK}", f"{TLS} SSLCAUTH(REQUIRED)")
    own = bad.folder / "ssl" / f"ibmwebspheremq{end.lower()}.pem"
    good = own.read_bytes()
    stranger = trustme.CA().issue_cert("127.0.0.1", common_name=end)
    stranger.private_key_and_cert_chain_pem.write_to_path(str(own))

    pair.qma.put(f"{name}.R", b"waits", persistent=True)

    until(lambda: "certificate verify failed" in judge.log())
    until(lambda: "its error log has the cause" in bad.log())
    assert status(pair.qma, name)["STATUS"] in ("RETRYING", "STARTING", "BINDING")
    assert "no handshake within" not in bad.log() + judge.log()
    own.write_bytes(good)
    run(pair.qma, "REFRESH SECURITY")
    assert bodies(pair.qmb, f"{name}.T", 1) == [b"waits"]


def test_plain_to_a_tls_channel_and_the_reverse_are_refused(pair: Pair, authority: trustme.CA) -> None:
    run(pair.qmb, "ALTER QMGR SSLEV(ENABLED)")
    pair.link("PLAIN.TLS", QUICK, TLS)
    refused(pair, "PLAIN.TLS", "asks for TLS")
    pair.link("TLS.PLAIN", f"{TLS} {QUICK}")
    refused(pair, "TLS.PLAIN", "has no SSLCIPH and takes no TLS")
    run(pair.qmb, "ALTER QMGR SSLEV(DISABLED)")
    told = []
    while (message := pair.qmb.get("SYSTEM.ADMIN.CHANNEL.EVENT", wait=0.1)) is not None:
        told.append(decode_pcf(bytes(message.body)).reason)
    assert 2371 in told


def test_qmgrmap_decides_by_the_partners_name(pair: Pair) -> None:
    pair.link("MAPPED", QUICK)
    run(
        pair.qmb,
        "SET CHLAUTH(MAPPED) TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(NOACCESS)\n"
        "SET CHLAUTH(MAPPED) TYPE(QMGRMAP) QMNAME(QMZ) USERSRC(CHANNEL)",
    )
    refused(pair, "MAPPED", "closed by CHLAUTH(MAPPED) TYPE(ADDRESSMAP)")
    run(
        pair.qmb,
        "SET CHLAUTH(MAPPED) TYPE(QMGRMAP) QMNAME('QMA*') USERSRC(MAP) MCAUSER('carrier')\n"
        "SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('carrier') AUTHADD(CONNECT,SETALL)\n"
        "SET AUTHREC PROFILE(MAPPED.T) OBJTYPE(QUEUE) PRINCIPAL('carrier') AUTHADD(PUT,SETALL)",
    )
    run(pair.qma, "START CHANNEL(MAPPED)")
    assert bodies(pair.qmb, "MAPPED.T", 1) == [b"stays"]
    assert status(pair.qmb, "MAPPED")["MCAUSER"] == "carrier"


def test_sslpeermap_is_stronger_than_the_name(pair: Pair, authority: trustme.CA) -> None:
    pair.link("BY.PEER", f"{TLS} {QUICK}", TLS)
    run(
        pair.qmb,
        "SET CHLAUTH(BY.PEER) TYPE(QMGRMAP) QMNAME(QMA) USERSRC(NOACCESS)\n"
        "SET CHLAUTH(BY.PEER) TYPE(SSLPEERMAP) SSLPEER('O=Acme') USERSRC(CHANNEL)",
    )
    moves(pair, "BY.PEER")


def test_clients_and_partners_stay_apart(pair: Pair) -> None:
    pair.link("APART")
    moves(pair, "APART")
    for channel in ("APART", "SYSTEM.DEF.RECEIVER"):
        with pytest.raises(penstock.MQError) as caught:
            penstock.connect(f"mq://127.0.0.1:{pair.ports['QMB']}/QMB?channel={channel}")
        assert caught.value.reason in (2035, 2540)
    run(
        pair.qmb,
        "DEFINE CHANNEL(FOR.CLIENTS) CHLTYPE(SVRCONN)\n"
        "SET CHLAUTH(FOR.CLIENTS) TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(MAP) MCAUSER('app')",
    )
    run(
        pair.qma,
        "DEFINE QLOCAL(FOR.CLIENTS.X) USAGE(XMITQ)\nDEFINE CHANNEL(FOR.CLIENTS) CHLTYPE(SDR)"
        f" XMITQ(FOR.CLIENTS.X) CONNAME('{pair.address('QMB')}')\nSTART CHANNEL(FOR.CLIENTS)",
    )
    until_state(pair.qma, "FOR.CLIENTS", "RETRYING")
    run(pair.qma, "STOP CHANNEL(FOR.CLIENTS)")


def said(pair: Pair, facts: dict[str, object]) -> bytes:
    """Greet QMB as a queue manager and return what it answers, up to its first pause or its end."""
    frame = frames.greeting(protocol.HELLO, {"role": "sender", "from": "QMX", **Terms().facts(), **facts})
    out = Outgoing()
    out.frame(frame.kind, frame.flags, 0, frame.request, frame.unit, frame.payload)
    with socket.create_connection(("127.0.0.1", pair.ports["QMB"]), timeout=60) as line:
        for piece in out.take():
            line.sendall(piece)
        return line.recv(1 << 16)


def test_strangers_who_greet_as_queue_managers_learn_and_spoil_nothing(pair: Pair) -> None:
    pair.link("STRANGERS", QUICK)
    run(pair.qmb, "DEFINE CHANNEL(CLIENTS.ONLY) CHLTYPE(SVRCONN)")
    moves(pair, "STRANGERS")
    assert b"is SVRCONN here" in said(pair, {"channel": "CLIENTS.ONLY", "qmid": "QMX_1"})
    for lie in (
        {"channel": "STRANGERS", "qmid": "x" * 9000},
        {"channel": "STRANGERS", "qmid": 5},
        {"channel": "STRANGERS\0X", "qmid": "QMX_1"},
        {"channel": ["STRANGERS"], "qmid": "QMX_1"},
        {"channel": "STRANGERS", "qmid": "QMX_1", "role": "boss"},
        {"channel": "STRANGERS", "qmid": "QMX_1", "wrap": "many"},
    ):
        assert b"committed" not in said(pair, lie)
    assert "Traceback" not in pair.b.log()
    moves(pair, "STRANGERS")
