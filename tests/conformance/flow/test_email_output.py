"""EmailOutput: mails to a real SMTP server; a refusal, and a server that is gone, is the node's failure."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Any

import pytest
from aiosmtpd.controller import Controller

from penstock.flow import Flow, Node, nodes
from penstock.flow.mail import server_at
from penstock.tree import Path
from tests.flow_fixtures import bodies

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock.flow import Assembly, NodeContext


class Mails:
    """Keeps what the server was sent; refuses one address."""

    def __init__(self) -> None:
        self.seen: list[Any] = []

    async def handle_RCPT(self, server: Any, session: Any, envelope: Any, address: str, options: Any) -> str:
        if address.startswith("nobody@"):
            return "550 no such user"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        self.seen.append(envelope)
        return "250 OK"


@pytest.fixture
def mails() -> Iterator[tuple[str, Mails]]:
    handler = Mails()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = Controller(handler, hostname="127.0.0.1", port=port)
    server.start()
    yield f"127.0.0.1:{port}", handler
    server.stop()


class Address(Node):
    """Sets EmailOutputHeader and an attachment."""

    def process(self, assembly: Assembly, at: NodeContext) -> None:
        message, local = assembly.message.copy(), assembly.copied_local_environment()
        body = message.body
        assert body is not None
        header = body.add_previous("EmailOutputHeader")
        header.set(Path("To"), "second@shop.test")
        header.set(Path("Subject"), "From the message")
        local.set(Path("Destination", "Email", "Attachment", "AttachmentContent"), b"1;2")
        local.set(Path("Destination", "Email", "Attachment", "AttachmentContentName"), "data.csv")
        at.send("out", assembly.sending(message, local))


def sending(node: Node, before: Node | None = None) -> Flow:
    flow = Flow("mail")
    start = last = flow.add(nodes.MQInput("IN", domain="XMLNSC"))
    if before is not None:
        start.out >> flow.add(before).in_
        last = before
    last.out >> flow.add(node).in_
    node.out >> flow.add(nodes.MQOutput("OUT")).in_
    node.failure >> flow.add(nodes.MQOutput("FAILED")).in_
    return flow


def test_a_mail_has_the_message_as_its_text(
    qm: Any, run: Callable[..., Any], mails: tuple[str, Mails]
) -> None:
    server, handler = mails
    qm.put("IN", b"<a>text</a>")
    node = nodes.EmailOutput(
        server,
        to="a@shop.test, b@shop.test",
        cc="c@shop.test",
        bcc="d@shop.test",
        sender="me@shop.test",
        subject="S",
    )
    run(sending(node))
    (mail,) = handler.seen
    assert sorted(mail.rcpt_tos) == ["a@shop.test", "b@shop.test", "c@shop.test", "d@shop.test"]
    assert b"Subject: S" in mail.content
    assert b"<a>text</a>" in mail.content
    assert b"d@shop.test" not in mail.content  # a blind copy is not told
    assert bodies(qm, "OUT") == [b"<a>text</a>"]


def test_header_and_attachments_come_from_the_trees(
    qm: Any, run: Callable[..., Any], mails: tuple[str, Mails]
) -> None:
    server, handler = mails
    qm.put("IN", b"<a/>")
    node = nodes.EmailOutput(server, to="a@shop.test", sender="me@shop.test", text="hello")
    run(sending(node, Address()))
    (mail,) = handler.seen
    assert mail.rcpt_tos == ["second@shop.test"]
    assert b"From the message" in mail.content
    assert b"data.csv" in mail.content
    assert b"hello" in mail.content


@pytest.mark.parametrize(
    "properties",
    [
        {"to": "nobody@shop.test"},
        {"to": ""},
        {"to": "a@shop.test", "sender": ""},
        {"subject": "a\r\nBcc: x@y.test"},
    ],
    ids=["refused", "nobody", "no sender", "smuggled header"],
)
def test_what_cannot_be_sent_goes_to_failure(
    qm: Any, run: Callable[..., Any], mails: tuple[str, Mails], properties: dict[str, str]
) -> None:
    server, handler = mails
    qm.put("IN", b"<a/>")
    given = {"to": "a@shop.test", "sender": "me@shop.test", **properties}
    run(sending(nodes.EmailOutput(server, **given)))
    assert bodies(qm, "FAILED") == [b"<a/>"]
    assert handler.seen == []


def test_a_server_that_is_gone_is_the_failure(qm: Any, run: Callable[..., Any]) -> None:
    qm.put("IN", b"<a/>")
    run(sending(nodes.EmailOutput("127.0.0.1:1", to="a@b.test", sender="c@d.test", timeout=120)))
    assert bodies(qm, "FAILED") == [b"<a/>"]


@pytest.mark.parametrize(
    ("properties", "text"),
    [
        ({"server": "{Policies}:Mail"}, "is no host"),
        ({"security": "ssl"}, "security 'ssl' is not one of"),
        ({"user": "me", "password_from": "secret"}, "needs password_from"),
        ({"content_type": "html"}, "content_type 'html' is none"),
        ({"timeout": 0}, "more than 0 seconds"),
    ],
)
def test_what_cannot_be_is_refused(properties: dict[str, Any], text: str) -> None:
    assert text in " ".join(nodes.EmailOutput(**properties).check())


def test_addresses_of_servers() -> None:
    assert server_at("smtp://mail.test:2525") == ("mail.test", 2525)
    assert server_at("mail.test") == ("mail.test", 25)
    assert server_at("mail.test:99999") is None
