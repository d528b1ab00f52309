"""TLS from a client: a context from the address's options, the handshake, and who must be at the other end.

By default the certificate must be good and name the host. With `peer=CN=QM1,O=Acme` it must have that name
instead, as MQ clients check it (SSLPEER); `cipher=` is a CipherSpec. Used by both clients.
"""

from __future__ import annotations

import ssl
from contextlib import contextmanager
from typing import TYPE_CHECKING

from penstock.admin.channel_authentication.distinguished_names import (
    name_matches,
    name_of_certificate,
    parse_name,
)
from penstock.model import cipher_specs
from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    import socket
    from collections.abc import Iterator, Mapping

    from penstock.client.address import Address

VERSIONS = {cipher_specs.TLS_12: ssl.TLSVersion.TLSv1_2, cipher_specs.TLS_13: ssl.TLSVersion.TLSv1_3}


def secure(sock: socket.socket, host: str, address: Address) -> ssl.SSLSocket:
    """Return the socket with TLS on it; 2393 when the handshake fails, 2398 when the peer is another."""
    try:
        secured = context_for(address).wrap_socket(sock, server_hostname=host)
    except (ssl.SSLError, OSError) as failure:
        sock.close()
        raise error(mq.MQRC_SSL_INITIALIZATION_ERROR, f"TLS with {host} failed: {failure}") from failure
    except BaseException:
        sock.close()
        raise
    try:
        check_peer(secured, host, address)
    except BaseException:
        secured.close()
        raise
    return secured


def context_for(address: Address) -> ssl.SSLContext:
    """Return the TLS context of an address; 2393 if its files cannot be used."""
    options = address.options
    with _files(options, "ca"):
        context = ssl.create_default_context(cafile=options.get("ca"))
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    if "certificate" in options:
        with _files(options, "certificate", "key"):
            context.load_cert_chain(options["certificate"], options.get("key"))
    _choose(context, options.get("cipher", "ANY"))
    if "peer" in options:
        context.check_hostname = False  # the name in the certificate is checked instead
    return context


@contextmanager
def _files(options: Mapping[str, str], *names: str) -> Iterator[None]:
    """Name the options whose files cannot be used: 2393 (the TLS library does not say which file it was)."""
    try:
        yield
    except (OSError, ssl.SSLError) as failure:
        given = ", ".join(f"{name}={options[name]}" for name in names if name in options)
        detail = f"{given or 'the authorities of the system'} cannot be used: {failure.strerror or failure}"
        raise error(mq.MQRC_SSL_INITIALIZATION_ERROR, detail) from failure


def _choose(context: ssl.SSLContext, cipher: str) -> None:
    """Offer the ciphers of a CipherSpec; 2393 if it is not available."""
    why = cipher_specs.refusal(cipher)
    if why:
        raise error(mq.MQRC_SSL_INITIALIZATION_ERROR, f"cipher={cipher} cannot be used: {why}")
    versions = [VERSIONS[version] for version in cipher_specs.versions_of(cipher)]
    context.minimum_version, context.maximum_version = min(versions), max(versions)
    suite = cipher_specs.SUITES_OF_TLS_12.get(cipher.upper())
    if suite is None:
        return
    try:
        context.set_ciphers(suite)
    except ssl.SSLError as failure:
        detail = f"cipher={cipher} cannot be used: {failure.strerror or failure}"
        raise error(mq.MQRC_SSL_INITIALIZATION_ERROR, detail) from failure


def check_peer(secured: ssl.SSLSocket | ssl.SSLObject, host: str, address: Address) -> None:
    """Raise if the other end is not the named peer, or the cipher is not the required one."""
    pattern = address.options.get("peer")
    if pattern is not None:
        found = name_of_certificate((secured.getpeercert() or {}).get("subject", ()))  # type: ignore[arg-type]
        if not name_matches(parse_name(pattern), parse_name(found)):
            raise error(
                mq.MQRC_SSL_PEER_NAME_MISMATCH, f"{host} showed the certificate of {found}, not of {pattern}"
            )
    wanted = address.options.get("cipher", "ANY")
    version, cipher = secured.version() or "", (secured.cipher() or ("",))[0]
    if not cipher_specs.fits(wanted, version, cipher):
        raise error(
            mq.MQRC_SSL_INITIALIZATION_ERROR,
            f"the handshake with {host} agreed on {version} {cipher}, not on {wanted}",
        )
