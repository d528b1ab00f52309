"""TLS for channels: the queue manager's certificate, and a channel's requirements of a handshake.

The handshake precedes the channel's name, so a client's certificate is requested and not
required; SSLCIPH, SSLCAUTH and SSLPEER are checked once the channel is known.
A key repository (SSLKEYR) is a folder of PEM files: `<label>.pem` with certificates and key, `trusted.pem`
with the trusted authorities.
"""

from __future__ import annotations

import ssl
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.admin.channel_authentication.distinguished_names import (
    name_matches,
    name_of_certificate,
    parse_name,
)
from penstock.model import cipher_specs
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.serve.entry.peer import Peer, Tls

if TYPE_CHECKING:
    from penstock.qmgr.objects import Definition
    from penstock.serve.server import Server

LABEL_DEFAULT = "certificate"
TRUSTED = "trusted.pem"
SUITES = cipher_specs.SUITES_OF_TLS_12.keys()


def is_hello(first: bytes) -> bool:
    """Return whether a connection begins with TLS."""
    return len(first) >= 3 and first[0] == 0x16 and first[1] == 3 and 1 <= first[2] <= 4


def server_context(server: Server) -> ssl.SSLContext:
    """Return the context that answers TLS clients, anew when its files have changed; 2393 without one."""
    own, trusted = key_files(server)
    try:
        suites = _suites(server)
        stamp = (own, own.stat().st_mtime_ns, trusted.stat().st_mtime_ns if trusted.exists() else 0, suites)
        if server.tls is None or server.tls[0] != stamp:
            server.tls = (stamp, _context(own, trusted, suites))
    except (OSError, ssl.SSLError) as failure:
        raise error(
            mq.MQRC_SSL_INITIALIZATION_ERROR, f"the key repository {own.parent} cannot be used: {failure}"
        ) from failure
    context: ssl.SSLContext = server.tls[1]
    return context


def key_files(server: Server) -> tuple[Path, Path]:
    """Return the paths of the queue manager's certificate and of its trusted authorities."""
    attributes = server.engine.definition.attributes
    given = str(attributes.get("SSLKEYR", ""))
    folder = Path(given) if given else server.host.folder.path / "ssl"
    return folder / f"{attributes.get('CERTLABL') or LABEL_DEFAULT}.pem", folder / TRUSTED


def _suites(server: Server) -> tuple[str, ...]:
    """Return the TLS 1.2 suites, by OpenSSL's names, that channels require."""
    wanted = {
        str(each.attributes.get("SSLCIPH", "")).upper() for each in server.engine.objects.all("CHANNEL")
    }
    return tuple(sorted(cipher_specs.SUITES_OF_TLS_12[name] for name in wanted & SUITES))


def _context(own: Path, trusted: Path, suites: tuple[str, ...]) -> ssl.SSLContext:
    """Make the context: what Python offers by default, and behind that what channels name besides."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    offered = [each["name"] for each in context.get_ciphers() if each["protocol"] != cipher_specs.TLS_13]
    context.set_ciphers(":".join(dict.fromkeys((*offered, *suites))))
    context.load_cert_chain(own, password=no_password)
    if trusted.exists():
        context.load_verify_locations(trusted)
        context.verify_mode = ssl.CERT_OPTIONAL
    return context


def no_password() -> str:
    """Refuse: a queue manager cannot ask a person for a passphrase."""
    raise ssl.SSLError("the key is encrypted; a queue manager cannot be asked for its password")


def describe(peer: Peer, transport: Any) -> None:
    """Record the result of a handshake, and the client's certificate."""
    session = transport.get_extra_info("ssl_object")
    found = session.getpeercert() or {}
    peer.tls = Tls(
        session.version() or "",
        (session.cipher() or ("",))[0],
        name_of_certificate(found.get("subject", ())),
        name_of_certificate(found.get("issuer", ())),
        str(found.get("serialNumber", "")),
    )


def refusal(definition: Definition, peer: Peer) -> str:
    """Return why a channel does not take this connection; empty when it does."""
    wanted = str(definition.attributes.get("SSLCIPH", ""))
    tls = peer.tls
    if not wanted:
        return "" if tls is None else f"channel {definition.name} has no SSLCIPH and takes no TLS"
    if tls is None:
        return f"channel {definition.name} asks for TLS: SSLCIPH({wanted})"
    if not cipher_specs.fits(wanted, tls.protocol, tls.cipher):
        return f"the handshake agreed on {tls.protocol} {tls.cipher}, not on SSLCIPH({wanted})"
    if not tls.peer and definition.attributes.get("SSLCAUTH") == "REQUIRED":
        return "the client showed no certificate, and the channel has SSLCAUTH(REQUIRED)"
    pattern = str(definition.attributes.get("SSLPEER", ""))
    if pattern and not (tls.peer and name_matches(parse_name(pattern), parse_name(tls.peer))):
        return f"the certificate of {tls.peer or 'nobody'} does not fit SSLPEER({pattern})"
    return ""
