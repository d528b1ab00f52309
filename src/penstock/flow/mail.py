"""A mail server and one mail to it, over the SMTP client of Python."""

from __future__ import annotations

import os
import smtplib
import ssl
from typing import TYPE_CHECKING, NamedTuple

from penstock.flow.failing import UNREACHABLE
from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from email.message import EmailMessage
    from pathlib import Path

PORT, PORT_MAX = 25, 65_535
NONE, START_TLS, TLS = "none", "starttls", "tls"
SECURITIES = (NONE, START_TLS, TLS)


def server_at(address: str) -> tuple[str, int] | None:
    """Return host and port of `host`, `host:port` or `smtp://host:port`; None for anything else."""
    plain = address.strip().removeprefix("smtp://").rstrip("/")
    host, _, port = plain.rpartition(":") if ":" in plain else (plain, "", str(PORT))
    if not host or not port.isdigit() or not 0 < int(port) <= PORT_MAX or set(host) & set(" {}/:"):
        return None
    return host, int(port)


class MailServer(NamedTuple):
    """An SMTP server and how to log in."""

    host: str
    port: int
    security: str
    user: str
    password_from: str
    timeout: float
    folder: Path  # of the project: a file with a password is below it

    def send(self, mail: EmailMessage, pauses: bool) -> None:
        """Send a mail; 8340 if the server does not take it for every address."""
        try:
            with self._connected() as client:
                if self.security == START_TLS:
                    client.starttls(context=ssl.create_default_context())
                if self.user:
                    client.login(secret(self.user, self.folder), secret(self.password_from, self.folder))
                refused = client.send_message(mail)
        except (OSError, smtplib.SMTPException) as raised:
            gone = isinstance(raised, OSError) and not isinstance(raised, smtplib.SMTPException)
            what = f"{self.host}:{self.port}: {type(raised).__name__}: {raised}"
            raise error(mq.PSRC_FLOW_MAIL, what, **{UNREACHABLE: pauses and gone}) from raised
        if refused:
            raise error(mq.PSRC_FLOW_MAIL, f"the server refused {', '.join(refused)}; others have the mail")

    def _connected(self) -> smtplib.SMTP:
        if self.security == TLS:
            context = ssl.create_default_context()
            return smtplib.SMTP_SSL(self.host, self.port, timeout=self.timeout, context=context)
        return smtplib.SMTP(self.host, self.port, timeout=self.timeout)


def secret(given: str, folder: Path) -> str:
    """Return a name or password: that of `env:NAME`, of `file:PATH` in the project, or the text itself."""
    kind, _, where = given.partition(":")
    if kind == "file":
        try:
            return (folder / where).read_text("utf-8").strip()
        except OSError as raised:
            raise error(mq.PSRC_FLOW_MAIL, f"{where}: {raised.strerror}") from raised
    if kind != "env":
        return given
    found = os.environ.get(where)
    if found is None:
        raise error(mq.PSRC_FLOW_MAIL, f"the environment has no {where}")
    return found
