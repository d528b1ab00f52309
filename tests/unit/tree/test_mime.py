"""MIME: headers, parts in parts, transfer encodings, and the bytes back."""

from __future__ import annotations

import email
import email.policy

import pytest

from penstock import tree
from penstock.model.errors import MQError
from penstock.tree import MISSING, Message, Path

SINGLE = b"Content-Type: text/plain\r\nX-Long: a\r\n b\r\n\r\nhello\r\nworld"
MULTI = (
    b'MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary="b 1"\r\n\r\n'
    b"--b 1\r\nContent-Type: text/xml\r\nContent-Id: <root>\r\n\r\n<a/>\r\n"
    b"--b 1\r\nContent-Type: multipart/mixed; boundary=inner\r\n\r\n"
    b"--inner\r\nContent-Transfer-Encoding: base64\r\n\r\nAAECAw==\r\n"
    b"--inner\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n1=3D1=20\r\n--inner--\r\n"
    b"\r\n--b 1--\r\n"
)
CONTENT = Path("Data", "BLOB", "BLOB")
PART = Path("MIME", "Parts")


def test_one_part() -> None:
    message = tree.parse(SINGLE, domain="MIME")
    assert message.get(Path("MIME", "X-Long")) == "a b"
    assert message.get(Path("MIME") / CONTENT) == b"hello\r\nworld"
    message.set(Path("MIME", "X-Long"), "c")
    assert message.serialise() == b"Content-Type: text/plain\r\nX-Long: c\r\n\r\nhello\r\nworld"


def test_parts_in_parts_are_decoded() -> None:
    message = tree.parse(MULTI, domain="MIME")
    assert message.get(PART / "Part" / "Content-Id") == "<root>"
    assert message.get(PART / "Part" / CONTENT) == b"<a/>"
    inner = PART / ("Part", 2) / "Parts"
    assert message.get(inner / ("Part", 1) / CONTENT) == bytes([0, 1, 2, 3])
    assert message.get(inner / ("Part", 2) / CONTENT) == b"1=1 "
    assert message.get(inner / ("Part", 3)) is MISSING
    assert message.serialise() == MULTI


def test_the_standard_library_reads_the_same() -> None:
    message = tree.parse(MULTI, domain="MIME")
    message.set(PART / "Part" / CONTENT, b"<b/>")
    theirs = email.message_from_bytes(message.serialise(), policy=email.policy.SMTP)
    leaves = [part.get_payload(decode=True) for part in theirs.walk() if not part.is_multipart()]
    assert leaves == [b"<b/>", bytes([0, 1, 2, 3]), b"1=1 "]


def test_what_is_written_is_read_again() -> None:
    message = tree.parse(MULTI, domain="MIME")
    message.set(PART / ("Part", 1) / "Content-Id", "<new>")
    again = tree.parse(message.serialise(), domain="MIME")
    again.set(PART / ("Part", 1) / "Content-Id", "<root>")
    other = tree.parse(MULTI, domain="MIME")
    assert str(again) == str(other)


def test_line_ends_without_returns_and_texts_around_the_parts() -> None:
    bare = b"Content-Type: multipart/mixed; boundary=x\n\nbefore\n--x\n\none\n--x\n\ntwo\n--x--\nafter\n"
    message = tree.parse(bare, domain="MIME")
    assert message.get(Path("MIME", "Preamble")) == b"before"
    assert message.get(PART / ("Part", 2) / CONTENT) == b"two"
    assert message.get(Path("MIME", "Epilogue")) == b"after\n"


def nested(depth: int) -> bytes:
    data = b"\r\nend"
    for number in range(depth):
        boundary = f"b{number}x".encode()
        head = b"Content-Type: multipart/mixed; boundary=" + boundary + b"\r\n\r\n"
        data = head + b"--" + boundary + b"\r\n" + data + b"\r\n--" + boundary + b"--\r\n"
    return data


@pytest.mark.parametrize(
    "data",
    [
        b"no header\r\n\r\n",
        b"Content-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\n\r\none",
        b"Content-Transfer-Encoding: base64\r\n\r\n!!!",
        b"A: b\r\n" * 1001 + b"\r\n",
        nested(21),
    ],
)
def test_documents_that_cannot_be_taken_apart(data: bytes) -> None:
    with pytest.raises(MQError) as caught:
        tree.parse(data, domain="MIME", timing="immediate")
    assert caught.value.reason == 8143


def test_nesting_up_to_the_limit() -> None:
    message = tree.parse(nested(20), domain="MIME", timing="immediate")
    path = Path("MIME")
    for _ in range(20):
        path = path / "Parts" / "Part"
    assert message.get(path / CONTENT) == b"end"


def test_a_boundary_that_occurs_in_a_part_is_refused() -> None:
    message = tree.parse(MULTI, domain="MIME")
    message.set(PART / "Part" / CONTENT, b"--b 1--")
    with pytest.raises(MQError) as caught:
        message.serialise()
    assert caught.value.reason == 8143


@pytest.mark.parametrize(
    ("name", "value"),
    [("X-A", "a\r\nB: c"), ("X A", "b"), ("X-A", "\u20ac"), ("Content-Transfer-Encoding", "rot13")],
)
def test_headers_that_cannot_be_written(name: str, value: str) -> None:
    message = Message()
    message.set(Path("MIME", tree.Step(name)), value)
    with pytest.raises(MQError) as caught:
        message.serialise()
    assert caught.value.reason == 8143
