"""EmailInput: mails of POP3 and IMAP servers become messages, and are removed when their flow has ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock.flow import CompiledFlow, Flow, Node, Project, nodes
from penstock.flow.mailboxes import mailbox_at
from penstock.flow.new_messages import without_body
from penstock.model.errors import MQError
from penstock.tree import Path
from tests.flow_files import FlowFile
from tests.flow_fixtures import bodies
from tests.mail_servers import PASSWORD, USER, mail_server

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path as FilePath

    from penstock.flow import Assembly, NodeContext

KINDS = ("pop3", "imap")
PLAIN = (
    b"From: Ann <ann@shop.test>\r\nTo: a@b.test, c@d.test\r\nSubject: =?utf-8?q?caf=C3=A9?=\r\n"
    b"Date: Thu, 19 Nov 2026 10:00:00 +0000\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n"
    b"hello\r\n.dot\r\n"
)
PARTS = (
    b"From: ann@shop.test\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed;\r\n boundary=mark\r\n\r\n"
    b"--mark\r\nContent-Type: text/plain\r\n\r\nsee below\r\n"
    b'--mark\r\nContent-Disposition: attachment; filename="a.csv"\r\nContent-Transfer-Encoding: base64\r\n'
    b"\r\nMTsy\r\n--mark--\r\n"
)
BAD = b"From: ann@shop.test\r\nSubject: bad\r\n\r\nbad"


@pytest.fixture(autouse=True)
def account(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOX_USER", USER)
    monkeypatch.setenv("BOX_PASSWORD", PASSWORD)


class Told(Node):
    """Sends what was read of the mail as a text."""

    def process(self, assembly: Assembly, at: NodeContext) -> None:
        message = assembly.message
        folder, mime = message.reference(Path("EmailInputHeader")), message.reference(Path("MIME"))
        assert folder is not None
        assert mime is not None
        header = {each.name: each.value for each in folder}
        if header.get("Subject") == "bad":
            raise MQError(2195, "bad")
        above = mime.reference(Path("Parts"))
        parts = [] if above is None else list(above)
        found = [each.get(Path("Data", "BLOB", "BLOB")) for each in (parts or [mime])]
        made = without_body(message)
        made.delete(Path("EmailInputHeader"))
        told = "|".join(f"{name}={value}" for name, value in header.items() if name != "Size")
        made.add_body(told.encode() + b"#" + b"#".join(found), "BLOB")
        at.send("out", assembly.sending(made))


def reading(address: str, *, failure: bool = False, **properties: Any) -> Flow:
    flow = Flow("mails")
    given = {"user": "env:BOX_USER", "password_from": "env:BOX_PASSWORD", **properties}
    start = flow.add(nodes.EmailInput(address, **given))
    told = flow.add(Told())
    start.out >> told.in_
    told.out >> flow.add(nodes.MQOutput("OUT")).in_
    if failure:
        start.failure >> flow.add(nodes.MQOutput("FAILED")).in_
    return flow


@pytest.mark.parametrize("kind", KINDS)
def test_mails_become_messages_and_are_removed(qm: Any, run: Callable[..., Any], kind: str) -> None:
    with mail_server(kind, PLAIN, PARTS) as (address, box):
        run(reading(address))
        first, second = bodies(qm, "OUT")
        head, _, text = first.partition(b"#")
        assert head.decode().split("|") == [
            "To=a@b.test, c@d.test",
            "From=Ann <ann@shop.test>",
            "Subject=café",
            "SentDate=Thu, 19 Nov 2026 10:00:00 +0000",
        ]
        assert text == b"hello\r\n.dot\r\n"
        assert second == b"From=ann@shop.test#see below#1;2"
        assert box.mails == {}


@pytest.mark.parametrize("kind", KINDS)
def test_a_mail_whose_flow_fails_stays(qm: Any, run: Callable[..., Any], kind: str) -> None:
    with mail_server(kind, BAD, PLAIN) as (address, box):
        run(reading(address))
        assert len(bodies(qm, "OUT")) == 1
        assert list(box.mails.values()) == [BAD]


def test_a_mail_that_failed_often_enough_goes_to_failure(qm: Any, run: Callable[..., Any]) -> None:
    with mail_server("pop3", BAD) as (address, box):
        run(reading(address, failure=True))
        assert b"bad" in bodies(qm, "FAILED")[0]
        assert box.mails == {}


def test_a_mail_that_is_no_mime_goes_to_failure_as_it_is(qm: Any, run: Callable[..., Any]) -> None:
    wrong = b"Content-Type: multipart/mixed; boundary=m\r\n\r\n--m\r\nno header\r\n\r\nx\r\n--m--\r\n"
    with mail_server("imap", wrong) as (address, box):
        flow = reading(address, failure=True)
        run(flow)
        assert bodies(qm, "FAILED")[0].startswith(b"Content-Type")
        assert box.mails == {}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("wrong", ["env:NO_SUCH", "file:none.txt", "env:BOX_USER"])
def test_a_mailbox_that_cannot_be_opened_is_told(
    qm: Any, run: Callable[..., Any], kind: str, wrong: str
) -> None:
    with mail_server(kind, PLAIN) as (address, box), pytest.raises(MQError) as raised:
        run(reading(address, password_from=wrong))
    assert raised.value.reason == 8340
    assert len(box.mails) == 1


@pytest.mark.parametrize(
    ("properties", "text"),
    [
        ({"server": "mail.test:110"}, "such as pop3://host:110"),
        ({"server": "pop3://h", "user": "a"}, "needs user, and password_from"),
        ({"server": "imap://h", "user": "a", "password_from": "word"}, "env:NAME or file:PATH"),
        ({"server": "imap://h", "user": "a", "password_from": "env:X", "polling": 0}, "more than 0"),
    ],
)
def test_what_cannot_be_is_refused(properties: dict[str, Any], text: str) -> None:
    assert text in " ".join(nodes.EmailInput(**properties).check())


@pytest.mark.parametrize(
    ("address", "found"),
    [
        ("pop3://a.test", ("pop3", "a.test", 110)),
        ("imaps://a.test:9", ("imaps", "a.test", 9)),
        ("http://a.test", None),
        ("pop3://a.test:x", None),
        ("pop3://u:p@a.test", None),
    ],
)
def test_addresses_of_mailboxes(address: str, found: Any) -> None:
    assert mailbox_at(address) == found


def test_an_imported_flow_finds_its_account_by_the_security_identity(
    qm: Any, run: Callable[..., Any], tmp_path: FilePath
) -> None:
    with mail_server("pop3", PLAIN) as (address, box):
        file = FlowFile().node("ComIbmEmailInput", "In", emailServer=address, securityIdentity="box")
        file.node("ComIbmMQOutput", "Out", queueName="OUT").wire("In.out", "Out.in").write(
            tmp_path / "F.msgflow"
        )
        project = Project(tmp_path)
        flow = project.flow("F")
        CompiledFlow(flow, project)
        run(flow, project=project)
        assert bodies(qm, "OUT")[0].endswith(b"hello\r\n.dot\r\n")
        assert box.mails == {}
