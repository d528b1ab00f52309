"""XML 1.0, 4.3.3 and appendix F: a document is in the encoding that it declares, or in UTF-8 or UTF-16."""

from __future__ import annotations

import pytest

from penstock import MQError, tree

A = tree.Path("XMLNSC", "a")
NAMES = {
    "UTF-8": "utf-8",
    "utf-8": "utf-8",
    "UTF-16": "utf-16",
    "ISO-8859-1": "latin-1",
    "ISO-8859-15": "iso8859-15",
    "windows-1252": "cp1252",
    "IBM037": "cp037",
    "IBM500": "cp500",
    "IBM850": "cp850",
    "US-ASCII": "ascii",
    "Shift_JIS": "shift_jis",
}


@pytest.mark.parametrize("name", NAMES)
def test_a_declared_encoding_is_read_and_written(name: str) -> None:
    text = "x" if NAMES[name] == "ascii" else "\u30a2" if name == "Shift_JIS" else "\xe9"
    body = f'<?xml version="1.0" encoding="{name}"?><a>{text}</a>'.encode(NAMES[name])
    message = tree.parse(body, domain="XMLNSC")
    assert message.get(A) == text
    message.set(A, text + "2")
    again = tree.parse(message.serialise(), domain="XMLNSC")
    assert again.get(A) == text + "2"


@pytest.mark.parametrize("ccsid", [37, 437, 500, 819, 850, 1047, 1140, 1200, 1208, 1252])
def test_the_ccsid_of_the_message_decides(ccsid: int) -> None:
    from penstock.model.ccsid import codec

    body = "<a>\xe9</a>".encode(codec(ccsid))
    message = tree.parse(body, domain="XMLNSC", ccsid=ccsid)
    assert message.get(A) == "\xe9"
    message.set(A, "\xe8")
    assert message.serialise() == "<a>\xe8</a>".encode(codec(ccsid))


@pytest.mark.parametrize("mark", [b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"])
def test_byte_order_marks(mark: bytes) -> None:
    name = {b"\xef\xbb\xbf": "utf-8", b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}[mark]
    assert tree.parse(mark + "<a>\u20ac</a>".encode(name), domain="XMLNSC").get(A) == "\u20ac"


@pytest.mark.parametrize(
    "body",
    [
        b"<a>\xff</a>",
        b"<a>\xc0\x80</a>",
        b"<a>\xed\xa0\x80</a>",
        b"<a>\xf5\x80\x80\x80</a>",
        b"<a>\xc3</a>",
        b"<?xml version='1.0' encoding='nope'?><a/>",
        b"<?xml version='1.0' encoding='UTF-16'?><a/>",
        b"<?xml version='1.0' encoding='US-ASCII'?><a>\xc3\xa9</a>",
        b"<?xml version='1.0' encoding='rot13'?><a/>",
    ],
)
def test_bytes_that_are_not_in_their_encoding(body: bytes) -> None:
    with pytest.raises(MQError) as caught:
        tree.parse(body, domain="XMLNSC", timing="immediate")
    assert caught.value.reason in (8101, 8104)
