"""TLS with certificates on both sides, and every way in which it fails."""

from __future__ import annotations

import asyncio
import gc
import socket
from typing import TYPE_CHECKING

import pytest
import trustme

import penstock
from penstock.client.address import parse_address
from penstock.client.encryption import secure
from penstock.model import cipher_specs
from tests.served import SCRIPT, Served

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

pytestmark = pytest.mark.installed
CHANNELS = """
DEFINE CHANNEL(TLS.ANY) CHLTYPE(SVRCONN) SSLCIPH(ANY_TLS12_OR_HIGHER) SSLCAUTH(OPTIONAL)
DEFINE CHANNEL(TLS.BOTH) CHLTYPE(SVRCONN) SSLCIPH(ANY_TLS12_OR_HIGHER) SSLCAUTH(REQUIRED)
DEFINE CHANNEL(TLS.PEER) CHLTYPE(SVRCONN) SSLCIPH(ANY_TLS12_OR_HIGHER) SSLPEER('O=Acme*')
DEFINE CHANNEL(TLS.OLD) CHLTYPE(SVRCONN) SSLCIPH(ECDHE_ECDSA_AES_256_GCM_SHA384) SSLCAUTH(OPTIONAL)
DEFINE CHANNEL(TLS.MAP) CHLTYPE(SVRCONN) SSLCIPH(ANY_TLS12_OR_HIGHER)
SET CHLAUTH('TLS.*') TYPE(ADDRESSMAP) ADDRESS('127.0.0.1') USERSRC(MAP) MCAUSER('app')
SET CHLAUTH(TLS.MAP) TYPE(SSLPEERMAP) SSLPEER('OU=Accounts') USERSRC(MAP) MCAUSER('app')
SET CHLAUTH(TLS.MAP) TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(NOACCESS)
"""


class Encrypted:
    """A queue manager with a certificate, and people with and without one."""

    def __init__(
        self, folder: Path, key: trustme.KeyType = trustme.KeyType.ECDSA, specs: Sequence[str] = ()
    ) -> None:
        self.authority = trustme.CA(key_type=key)
        self.specs = list(specs)
        more = "".join(
            f"DEFINE CHANNEL(SPEC.{number}) CHLTYPE(SVRCONN) SSLCIPH({name}) SSLCAUTH(OPTIONAL)\n"
            for number, name in enumerate(specs)
        )
        rule = "SET CHLAUTH('SPEC.*') TYPE(ADDRESSMAP) ADDRESS('127.0.0.1') USERSRC(MAP) MCAUSER('app')\n"
        self.served = Served(folder / "home", script=SCRIPT + CHANNELS + more + rule)
        ssl_folder = self.served.folder / "ssl"
        ssl_folder.mkdir()
        own = self.authority.issue_cert("127.0.0.1", "localhost", key_type=key)
        own.private_key_and_cert_chain_pem.write_to_path(str(ssl_folder / "ibmwebspheremqqm1.pem"))
        self.authority.cert_pem.write_to_path(str(ssl_folder / "trusted.pem"))
        self.ca = folder / "ca.pem"
        self.authority.cert_pem.write_to_path(str(self.ca))
        self.folder = folder
        self.served.start()

    def certificate(self, organization: str, unit: str, authority: trustme.CA | None = None) -> Path:
        path = self.folder / f"{organization}-{unit}-{authority is None}.pem"
        issued = (authority or self.authority).issue_cert(
            "app@example.org", common_name="app", organization_name=organization, organization_unit_name=unit
        )
        issued.private_key_and_cert_chain_pem.write_to_path(str(path))
        return path

    def connect(
        self, channel: str, certificate: Path | None = None, more: str = "", ca: bool = True
    ) -> object:
        options = (f"&ca={self.ca}" if ca else "") + (f"&certificate={certificate}" if certificate else "")
        address = self.served.address(channel, options + more).replace("mq://", "mqs://")
        return penstock.connect(address, share=False)

    def refused(self, channel: str, certificate: Path | None = None, more: str = "", ca: bool = True) -> int:
        with pytest.raises(penstock.MQError) as caught:
            self.connect(channel, certificate, more, ca)
        return caught.value.reason


@pytest.fixture(scope="module")
def encrypted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Encrypted]:
    made = Encrypted(tmp_path_factory.mktemp("tls"))
    yield made
    made.served.stop()


def assert_works(qm: object) -> None:
    assert isinstance(qm, penstock.ClientQueueManager)
    with qm:
        qm.put("APP.Q", b"x" * 500_000)
        message = qm.get("APP.Q", wait=60.0)
        assert message is not None
        assert message.length == 500_000


def test_messages_travel_encrypted(encrypted: Encrypted) -> None:
    assert_works(encrypted.connect("TLS.ANY"))


def test_a_client_certificate_opens_a_channel_that_asks_for_one(encrypted: Encrypted) -> None:
    assert_works(encrypted.connect("TLS.BOTH", encrypted.certificate("Acme", "Sales")))
    assert encrypted.refused("TLS.BOTH") == 2393
    assert "SSLCAUTH(REQUIRED)" in encrypted.served.log()


def test_sslpeer_holds_the_name_against_a_pattern(encrypted: Encrypted) -> None:
    assert_works(encrypted.connect("TLS.PEER", encrypted.certificate("Acme Ltd", "Sales")))
    assert encrypted.refused("TLS.PEER", encrypted.certificate("Other", "Sales")) == 2393
    assert "SSLPEER(O=Acme*)" in encrypted.served.log()


def test_sslpeermap_decides_by_certificate(encrypted: Encrypted) -> None:
    assert_works(encrypted.connect("TLS.MAP", encrypted.certificate("Acme", "Accounts")))
    assert encrypted.refused("TLS.MAP", encrypted.certificate("Acme", "Sales")) == 2035


def test_the_cipher_must_be_the_channels(encrypted: Encrypted) -> None:
    assert encrypted.refused("TLS.OLD") == 2393
    assert_works(encrypted.connect("TLS.OLD", more="&cipher=ECDHE_ECDSA_AES_256_GCM_SHA384"))


def test_plain_clients_of_a_tls_channel_are_refused(encrypted: Encrypted) -> None:
    with pytest.raises(penstock.MQError) as caught:
        penstock.connect(encrypted.served.address("TLS.ANY"))
    assert caught.value.reason == 2393
    assert "asks for TLS" in caught.value.detail


def test_tls_to_a_plain_channel_is_refused(encrypted: Encrypted) -> None:
    assert encrypted.refused("APP.SVRCONN") == 2393


def test_a_server_that_nobody_vouches_for_is_not_believed(encrypted: Encrypted) -> None:
    assert encrypted.refused("TLS.ANY", ca=False) == 2393


@pytest.mark.parametrize("version", ["ANY_TLS12", "ANY_TLS13"])
def test_a_client_of_another_authority_is_not_believed(encrypted: Encrypted, version: str) -> None:
    """With TLS 1.3 the server refuses after the client's part of the handshake: it is 2393 all the same."""
    stranger = encrypted.certificate("Acme", "Sales", trustme.CA())
    assert encrypted.refused("TLS.BOTH", stranger, f"&cipher={version}") == 2393

    async def refused() -> penstock.MQError:
        options = f"&ca={encrypted.ca}&certificate={stranger}&cipher={version}"
        with pytest.raises(penstock.MQError) as caught:
            await penstock.aio.connect(
                encrypted.served.address("TLS.BOTH", options).replace("mq://", "mqs://")
            )
        return caught.value

    failure = asyncio.run(refused())
    assert failure.reason == 2393
    assert "hung up" in failure.detail


@pytest.fixture(scope="module", params=["ECDSA", "RSA"])
def keyed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Encrypted]:
    """A queue manager with a key of one kind, and a channel for every CipherSpec that suits it."""
    kind = trustme.KeyType[request.param]
    made = Encrypted(tmp_path_factory.mktemp("keyed"), kind, specs_for(request.param))
    yield made
    made.served.stop()


def specs_for(key: str) -> list[str]:
    other = {"ECDSA": "RSA", "RSA": "ECDSA"}[key]
    return [name for name in cipher_specs.ALL if f"_{other}_" not in name]


def test_every_cipher_spec_works_at_both_ends(keyed: Encrypted) -> None:
    async def by_asyncio(address: str) -> None:
        async with await penstock.aio.connect(address) as qm:
            await qm.put("APP.Q", b"x")
            assert await qm.get("APP.Q", wait=60.0) is not None

    assert keyed.specs
    with keyed.served.local() as admin:
        for number, name in enumerate(keyed.specs):
            more = f"&cipher={name}"
            qm = keyed.connect(f"SPEC.{number}", more=more)
            (status,) = [row.attributes for row in admin.mqsc(f"DISPLAY CHSTATUS(SPEC.{number}) ALL")]
            assert_works(qm)
            assert status is not None
            version = str(status["SECPROT"]).replace("TLSV12", "TLSv1.2").replace("TLSV13", "TLSv1.3")
            assert cipher_specs.fits(name, version, str(status["SSLCIPH"])), name
            address = keyed.served.address(f"SPEC.{number}", f"&ca={keyed.ca}{more}")
            asyncio.run(by_asyncio(address.replace("mq://", "mqs://")))


def test_a_version_that_the_channel_does_not_take_is_refused(keyed: Encrypted) -> None:
    channel = f"SPEC.{keyed.specs.index('ANY_TLS12')}"
    assert keyed.refused(channel, more="&cipher=ANY_TLS13") == 2393
    assert keyed.refused(f"SPEC.{keyed.specs.index('ANY_TLS13')}", more="&cipher=ANY_TLS12") == 2393


@pytest.mark.parametrize("name", ["TLS_AES_128_GCM_SHA256", "TLS_CHACHA20_POLY1305_SHA256", "NO_SUCH_SPEC"])
def test_a_cipher_spec_that_cannot_be_asked_for_is_refused(encrypted: Encrypted, name: str) -> None:
    with encrypted.served.local() as admin:
        (reply,) = admin.mqsc(f"DEFINE CHANNEL(REFUSED) CHLTYPE(SVRCONN) SSLCIPH({name})")
        assert reply.failed
        assert f"SSLCIPH({name})" in reply.text
        (reply,) = admin.mqsc("ALTER QMGR SSLRKEYC(1000)")
        assert reply.failed
        assert "changes keys by itself" in reply.text
    assert encrypted.refused("TLS.ANY", more=f"&cipher={name}") == 2393


def test_a_certificate_that_cannot_be_read_leaves_no_socket_open(encrypted: Encrypted) -> None:
    address = parse_address(f"mqs://127.0.0.1:{encrypted.served.port}/QM1?certificate=/nowhere.pem")
    sock = socket.create_connection(("127.0.0.1", encrypted.served.port))
    with pytest.raises(penstock.MQError) as caught:
        secure(sock, "127.0.0.1", address)
    assert caught.value.reason == 2393
    assert "certificate=/nowhere.pem" in caught.value.detail
    assert sock.fileno() == -1


def test_authorities_that_cannot_be_read_are_named(encrypted: Encrypted) -> None:
    with pytest.raises(penstock.MQError, match=r"ca=/nowhere\.pem cannot be used: No such file") as caught:
        encrypted.connect("TLS.ANY", more="&ca=/nowhere.pem", ca=False)
    assert caught.value.reason == 2393


def test_the_server_must_have_the_name_that_is_asked_for(encrypted: Encrypted) -> None:
    assert encrypted.refused("TLS.ANY", more="&peer=CN=somebody") == 2398


def test_a_server_that_a_client_refuses_leaves_no_failure_behind(encrypted: Encrypted) -> None:
    heard: list[object] = []

    async def refuse() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, what: heard.append(what))
        where = encrypted.served.address("TLS.ANY", f"&ca={encrypted.ca}&peer=CN=somebody")
        with pytest.raises(penstock.MQError):
            await penstock.aio.connect(where.replace("mq://", "mqs://"))
        await asyncio.sleep(0)
        gc.collect()

    asyncio.run(refuse())
    assert heard == []


def test_garbage_after_a_tls_greeting_ends_that_connection_alone(encrypted: Encrypted) -> None:
    with socket.create_connection(("127.0.0.1", encrypted.served.port), 60) as sock:
        sock.sendall(b"\x16\x03\x01\x02\x00" + b"\xff" * 600)
        try:
            while sock.recv(4096):
                pass
        except ConnectionError:
            pass
    assert_works(encrypted.connect("TLS.ANY"))


def test_asyncio_clients_are_encrypted_too(encrypted: Encrypted) -> None:
    certificate = encrypted.certificate("Acme", "Accounts")

    def address(channel: str, more: str = "") -> str:
        return encrypted.served.address(channel, f"&ca={encrypted.ca}{more}").replace("mq://", "mqs://")

    async def run() -> int:
        async with await penstock.aio.connect(address("TLS.BOTH", f"&certificate={certificate}")) as qm:
            await qm.put("APP.Q", b"x" * 500_000)
            message = await qm.get("APP.Q", wait=60.0)
            assert message is not None
            return int(message.length)

    async def refused(where: str) -> int:
        with pytest.raises(penstock.MQError) as caught:
            await penstock.aio.connect(where)
        return caught.value.reason

    assert asyncio.run(run()) == 500_000
    assert asyncio.run(refused(address("TLS.BOTH"))) == encrypted.refused("TLS.BOTH")
    unknown = encrypted.served.address("TLS.ANY").replace("mq://", "mqs://")
    assert asyncio.run(refused(unknown)) == encrypted.refused("TLS.ANY", ca=False)
