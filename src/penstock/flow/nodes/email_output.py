"""EmailOutput: sends the message, or a text, as a mail over SMTP.

Addresses and subject come from the properties; those in the folder EmailOutputHeader of the message take
precedence, and LocalEnvironment.Destination.Email may name another server and attachments. A mail cannot be
taken back: a message that fails later and runs again is sent again.
"""

from __future__ import annotations

from email.message import EmailMessage
from email.utils import getaddresses
from typing import TYPE_CHECKING, Any

from penstock.flow.kinds import Kind
from penstock.flow.mail import SECURITIES, MailServer, server_at
from penstock.flow.new_messages import body_of
from penstock.flow.node import KW_ONLY, OUT, Node
from penstock.flow.nodes.http_request import FAIL, PAUSE
from penstock.flow.writing import noted
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tree import MISSING, Path, bitstream
from penstock.tree.headers.node_folders import EMAIL_FOLDER

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.node_context import NodeContext
    from penstock.tree import Reference

ADDRESSES_MAX = 1000
ATTACHMENTS_MAX = 100
MAIL_BYTES_MAX = 50 << 20
_LOCAL = Path("Destination", "Email")
_HEADERS = {
    "To": "to",
    "Cc": "cc",
    "Bcc": "bcc",
    "From": "sender",
    "Reply-To": "reply_to",
    "Subject": "subject",
}


class EmailOutput(Node):
    """Sends a mail: `EmailOutput("mail.shop.test:25", to="a@b.test", sender="c@d.test", subject="Order")`.

    Addresses are separated by commas. Without `text` the message's body is the text. `user` logs in with the
    password that `password_from` finds: `env:NAME` or `file:PATH`. `security` is none, starttls or tls.
    """

    kind = Kind.EFFECT

    server: str = ""
    _: KW_ONLY
    to: str = ""
    sender: str = ""
    subject: str = ""
    cc: str = ""
    bcc: str = ""
    reply_to: str = ""
    text: str = ""
    content_type: str = "text/plain"
    security: str = "none"
    user: str = ""
    password_from: str = ""
    timeout: float = 30.0
    unreachable: str = FAIL

    def check(self) -> Iterable[str]:
        yield from self.wrong_choices(security=SECURITIES, unreachable=(FAIL, PAUSE))
        if self.timeout <= 0:
            yield "timeout has to be more than 0 seconds"
        if self.content_type.count("/") != 1:
            yield f"content_type {self.content_type!r} is none, such as text/plain or text/html"
        if self.user and not self.password_from.startswith(("env:", "file:")):
            yield "a user needs password_from: env:NAME or file:PATH"
        if self.server and server_at(self.server) is None:
            yield f"server {self.server!r} is no host, or host:port"

    def process(self, assembly: Assembly, at: NodeContext) -> None:
        local = assembly.local_environment.reference(_LOCAL)
        server = server_at(_text(local, "SMTPServer") or self.server)
        if server is None:
            raise error(mq.PSRC_FLOW_MAIL, "neither the node nor LocalEnvironment names a mail server")
        mail = self._mail(assembly, local)
        folder = at.instance.project.folder
        account = MailServer(*server, self.security, self.user, self.password_from, self.timeout, folder)
        account.send(mail, self.unreachable == PAUSE)
        written = [{"To": mail["To"], "Subject": mail["Subject"], "MessageID": mail["Message-ID"]}]
        at.send(OUT, assembly.sending(local_environment=noted(assembly, "Email", written)))

    def _mail(self, assembly: Assembly, local: Reference | None) -> EmailMessage:
        mail = EmailMessage()
        header = assembly.message.reference(Path(EMAIL_FOLDER))
        for name, ours in _HEADERS.items():
            value = _text(header, name) or getattr(self, ours)
            if value:
                _set(mail, name, value)
        count = len(recipients(mail))
        if not 1 <= count <= ADDRESSES_MAX or not mail["From"]:
            what = f"a mail needs a sender and 1 to {ADDRESSES_MAX} addresses, not {count}"
            raise error(mq.PSRC_FLOW_MAIL, what)
        mail["Message-ID"] = f"<{assembly.ports.make_uuid()}@penstock>"
        self._fill(mail, assembly, _text(local, "BodyContentType") or self.content_type)
        for attachment in _attachments(local):
            _attach(mail, attachment, assembly)
        return mail

    def _fill(self, mail: EmailMessage, assembly: Assembly, content_type: str) -> None:
        """Write the text, or the body of the message."""
        kind, _, subtype = content_type.partition(";")[0].strip().partition("/")
        data = self.text.encode() if self.text else body_of(assembly.message)
        if len(data) > MAIL_BYTES_MAX:
            raise error(mq.PSRC_FLOW_MAIL, f"a mail of {len(data)} bytes: at most {MAIL_BYTES_MAX} are sent")
        if kind == "text":
            mail.set_content(data.decode("utf-8", "replace"), subtype=subtype)
        else:
            mail.set_content(data, kind, subtype)


def recipients(mail: EmailMessage) -> list[str]:
    """Return all addresses that a mail goes to."""
    fields = [str(value) for name in ("To", "Cc", "Bcc") for value in mail.get_all(name, [])]
    return [address for _, address in getaddresses(fields) if address]


def _set(mail: EmailMessage, name: str, value: str) -> None:
    try:
        mail[name] = value
    except ValueError as raised:  # a line end, or no address
        raise error(mq.PSRC_FLOW_MAIL, f"{name} {value[:60]!r}: {raised}") from raised


def _attachments(local: Reference | None) -> list[Reference]:
    found = [] if local is None else list(local.each(Path("Attachment")))
    if len(found) > ATTACHMENTS_MAX:
        raise error(mq.PSRC_FLOW_MAIL, f"a mail has at most {ATTACHMENTS_MAX} attachments")
    return found


def _attach(mail: EmailMessage, attachment: Reference, assembly: Assembly) -> None:
    """Add an attachment: AttachmentContent is a value, or a folder of the message."""
    content = attachment.reference(Path("AttachmentContent"))
    value = None if content is None else content.value
    if isinstance(value, str):
        data = value.encode()
    elif isinstance(value, bytes):
        data = value
    else:
        data = b"" if content is None else bitstream(content, domain=assembly.message.domain or "XMLNSC")
    kind, _, subtype = (_text(attachment, "AttachmentContentType") or "application/octet-stream").partition(
        "/"
    )
    mail.add_attachment(
        data, kind, subtype, filename=_text(attachment, "AttachmentContentName") or "attachment"
    )


def _text(folder: Reference | None, name: str) -> str:
    value: Any = MISSING if folder is None else folder.get(Path(name))
    return "" if value is MISSING or value is None else str(value)
