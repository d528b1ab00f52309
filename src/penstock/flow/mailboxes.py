"""Mailboxes: the waiting mails of a POP3 or IMAP server, over the clients of Python.

A mail is removed as soon as its reader says so. A POP3 server removes it only at the end of a session, so the
session ends there.
"""

from __future__ import annotations

import imaplib
import poplib
import ssl
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol
from urllib.parse import urlsplit

from penstock.flow.mail import secret
from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

PORTS = {"pop3": 110, "pop3s": 995, "imap": 143, "imaps": 993}
MAIL_BYTES_MAX = 50 << 20
MAILS_MAX = 10_000  # that are looked at in one round
_WRONG = (OSError, EOFError, poplib.error_proto, imaplib.IMAP4.error)


def mailbox_at(address: str) -> tuple[str, str, int] | None:
    """Return kind, host and port of `pop3://host:110`; None for anything else.

    >>> mailbox_at("imaps://mail.shop.test")
    ('imaps', 'mail.shop.test', 993)
    """
    try:
        found = urlsplit(address.strip())
        port = found.port or PORTS.get(found.scheme, 0)
    except ValueError:
        return None
    if found.scheme not in PORTS or not found.hostname or found.path.strip("/") or found.username:
        return None
    return found.scheme, found.hostname, port


class Session(Protocol):
    """An open mailbox."""

    def waiting(self) -> list[str]:
        """Return the identifiers of the mails."""

    def read(self, identifier: str) -> bytes:
        """Return a mail."""

    def remove(self, identifier: str) -> None:
        """Remove a mail from the server, for good."""

    def close(self) -> None:
        """End the session."""


class Mailbox(NamedTuple):
    """A mailbox and how to log in."""

    kind: str
    host: str
    port: int
    user: str
    password_from: str
    timeout: float
    folder: Path  # of the project: a file with a password is below it

    def opened(self) -> Session:
        """Log in; 8340 if the server cannot be reached, or refuses."""
        user, password = secret(self.user, self.folder), secret(self.password_from, self.folder)
        made = _Imap if self.kind.startswith("imap") else _Pop
        try:
            return made(self, user, password)
        except _WRONG as raised:
            raise self.wrong(raised) from raised

    def wrong(self, raised: Exception) -> Exception:
        """Return the error for what a client raised."""
        what = f"{self.host}:{self.port}: {type(raised).__name__}: {raised}"
        return error(mq.PSRC_FLOW_MAIL, what)


class _Pop:
    def __init__(self, box: Mailbox, user: str, password: str) -> None:
        self._box, self._login = box, (user, password)
        self._open()

    def _open(self) -> None:
        box = self._box
        self._client: poplib.POP3 = (
            poplib.POP3_SSL(box.host, box.port, timeout=box.timeout, context=ssl.create_default_context())
            if box.kind == "pop3s"
            else poplib.POP3(box.host, box.port, timeout=box.timeout)
        )
        self._client.user(self._login[0])
        self._client.pass_(self._login[1])
        self._numbers = {}
        for line in self._client.uidl()[1][:MAILS_MAX]:
            number, _, identifier = line.decode("ascii", "replace").partition(" ")
            self._numbers[identifier] = number

    def waiting(self) -> list[str]:
        return list(self._numbers)

    def read(self, identifier: str) -> bytes:
        try:
            number = self._numbers[identifier]
            answer: Any = self._client.list(number)  # `+OK number size`
            size = int(answer.split()[2])
            if size > MAIL_BYTES_MAX:
                raise error(mq.PSRC_FLOW_MAIL, f"a mail of {size} bytes; the limit is {MAIL_BYTES_MAX}")
            return b"\r\n".join([*self._client.retr(number)[1], b""])
        except _WRONG as raised:
            raise self._box.wrong(raised) from raised

    def remove(self, identifier: str) -> None:
        try:
            self._client.dele(self._numbers[identifier])
            self._client.quit()  # only now the server removes it
            self._open()  # numbers are those of a session
        except _WRONG as raised:
            raise self._box.wrong(raised) from raised

    def close(self) -> None:
        self._client.close()


class _Imap:
    def __init__(self, box: Mailbox, user: str, password: str) -> None:
        self._box = box
        self._client: imaplib.IMAP4 = (
            imaplib.IMAP4_SSL(
                box.host, box.port, timeout=box.timeout, ssl_context=ssl.create_default_context()
            )
            if box.kind == "imaps"
            else imaplib.IMAP4(box.host, box.port, timeout=box.timeout)
        )
        self._client.login(user, password)
        self._done(self._client.select("INBOX"))

    def _done(self, answer: tuple[str, Sequence[Any]]) -> Sequence[Any]:
        if answer[0] != "OK":
            raise imaplib.IMAP4.error(f"the server answered {answer[0]} {answer[1]!r:.200}")
        return answer[1]

    def waiting(self) -> list[str]:
        try:
            found = self._done(self._client.uid("SEARCH", "UNDELETED"))
        except _WRONG as raised:
            raise self._box.wrong(raised) from raised
        first = found[0] if found and isinstance(found[0], bytes) else b""
        return first.decode("ascii").split()[:MAILS_MAX]

    def read(self, identifier: str) -> bytes:
        try:
            found = self._done(
                self._client.uid("FETCH", identifier, f"(BODY.PEEK[]<0.{MAIL_BYTES_MAX + 1}>)")
            )
        except _WRONG as raised:
            raise self._box.wrong(raised) from raised
        data = next((each[1] for each in found if isinstance(each, tuple)), b"")
        if not data or len(data) > MAIL_BYTES_MAX:
            what = f"a mail of more than {MAIL_BYTES_MAX} bytes" if data else "the server sent no mail"
            raise error(mq.PSRC_FLOW_MAIL, what)
        return bytes(data)

    def remove(self, identifier: str) -> None:
        try:
            self._done(self._client.uid("STORE", identifier, "+FLAGS.SILENT", r"(\Deleted)"))
            self._done(self._client.expunge())
        except _WRONG as raised:
            raise self._box.wrong(raised) from raised

    def close(self) -> None:
        try:
            self._client.logout()
        except _WRONG:
            self._client.shutdown()
