"""EmailInput: a flow that starts with the mails of a POP3 or IMAP mailbox.

`running.mail_listener` reads the mails and runs the flow on each in a unit of work. A mail is removed from
the server when its flow has ended; a process that dies between the two reads it again.
"""

from __future__ import annotations

from email.parser import BytesHeaderParser
from email.policy import SMTP
from typing import TYPE_CHECKING, Any

from penstock.flow.kinds import Kind
from penstock.flow.mailboxes import mailbox_at
from penstock.flow.new_messages import arrived
from penstock.flow.node import CATCH, FAILURE, KW_ONLY, OUT, InputNode
from penstock.tree.headers.node_folders import EMAIL_INPUT_FOLDER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from penstock.flow.graph.compiled import CompiledFlow
    from penstock.flow.running.listener import Listener
    from penstock.tree import Message

_FIELDS = {
    "To": "To",
    "Cc": "Cc",
    "From": "From",
    "ReplyTo": "Reply-To",
    "Subject": "Subject",
    "SentDate": "Date",
}


class EmailInput(InputNode):
    """Reads mails: `EmailInput("pop3://mail.shop.test", user="orders", password_from="env:MAIL_PASSWORD")`.

    The server is `pop3://`, `pop3s://`, `imap://` or `imaps://` with host and port. `user` and
    `password_from` may be `env:NAME` or `file:PATH`. `polling` is how long it waits after it found no mail,
    in seconds. A mail that fails is tried again `retries` times, then goes to `failure` and is removed;
    without that terminal it stays on the server and is tried for ever.
    """

    outputs = (OUT, FAILURE, CATCH)
    kind = Kind.EFFECT

    server: str
    _: KW_ONLY
    user: str = ""
    password_from: str = ""
    polling: float = 5.0
    retries: int = 0
    timeout: float = 30.0

    def check(self) -> Iterable[str]:
        if mailbox_at(self.server) is None:
            yield f"server {self.server!r} is none, such as pop3://host:110 or imaps://host:993"
        if not self.user or not self.password_from.startswith(("env:", "file:")):
            yield "an EmailInput needs user, and password_from: env:NAME or file:PATH"
        if self.polling <= 0 or self.timeout <= 0:
            yield "polling and timeout have to be more than 0 seconds"
        if self.retries < 0:
            yield "retries cannot be negative"

    @property
    def is_ordered(self) -> bool:
        """One instance reads the mailbox: another one would read the same mails."""
        return True

    def tree_of(self, mail: bytes) -> Message:
        """Return the message of a mail: its parts in MIME, the rest of its header in EmailInputHeader."""
        header, _, content = mail.partition(b"\r\n\r\n")
        known = BytesHeaderParser(policy=SMTP).parsebytes(header + b"\r\n\r\n")
        parts = [
            f"{name}: {value}".encode()
            for name, value in known.items()
            if name.lower() == "mime-version" or name.lower().startswith("content-")
        ]
        parts = parts or [b"Content-Type: text/plain"]
        made = arrived(b"\r\n".join([*parts, b"", b""]) + content, "MIME")
        body = made.body
        assert body is not None
        folder = body.add_previous(EMAIL_INPUT_FOLDER)
        for ours, name in _FIELDS.items():
            if known[name] is not None:
                folder.add_last_child(ours, str(known[name]))
        folder.add_last_child("Size", len(mail))
        return made

    def listener(
        self, flow: CompiledFlow, label: str, connect: Callable[[], Any], **options: Any
    ) -> Listener:
        from penstock.flow.running.mail_listener import MailListener

        return MailListener(self, flow, label, connect(), **options)
