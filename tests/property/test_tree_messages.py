"""Whole messages there and back: any descriptor, any chain of headers, any body, in any encoding."""

from __future__ import annotations

import itertools
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from penstock import tree
from penstock.model.headers import DeadLetterHeader
from penstock.model.message import Descriptor, Message
from penstock.model.rfh1 import Rfh1
from penstock.model.rfh2 import Rfh2
from penstock.model.rfh2_folders import encode_folders

WORD = st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ.0123456789", max_size=8)
ENCODING = st.sampled_from([546, 273, 785])
CCSID = st.sampled_from([1208, 819, 37, 500, 1047, 1140, 850, 437])
NAMES = st.text("abcdef", min_size=1, max_size=5)
PROPERTIES = st.dictionaries(
    NAMES, st.one_of(WORD, st.integers(-(2**31), 2**31 - 1), st.booleans()), max_size=4
)
RFH2 = st.tuples(st.just("MQHRF2"), PROPERTIES)
RFH1 = st.tuples(st.just("MQHRF"), st.lists(st.tuples(WORD, WORD), max_size=3))
DEAD = st.tuples(st.just("MQDEAD"), WORD)
CHAIN = st.lists(st.tuples(st.one_of(RFH2, RFH1, DEAD), ENCODING, CCSID), max_size=4)


def packed(kind: str, given_: Any, behind: tuple[int, int, str], own: tuple[int, int]) -> bytes:
    encoding, ccsid, format_ = behind
    if kind == "MQHRF2":
        return Rfh2(encode_folders(given_), encoding, ccsid, format_).pack(*own)
    if kind == "MQHRF":
        return Rfh1(tuple(given_), encoding, ccsid, format_).pack(*own)
    return DeadLetterHeader(2053, given_, "QM", encoding, ccsid, format_).pack(*own)


def assembled(chain: list[Any], body: bytes, descriptor: Descriptor) -> Message:
    """A message whose every link describes the next."""
    owns = [(encoding, ccsid) for _, encoding, ccsid in chain] + [(546, 1208)]
    formats = [kind for (kind, _), _, _ in chain] + ["MQSTR"]
    chunks = []
    for ((kind, given_), _, _), (own, behind), name in zip(
        chain, itertools.pairwise(owns), formats[1:], strict=True
    ):
        chunks.append(packed(kind, given_, (*behind, name), own))
    first = descriptor.replace(encoding=owns[0][0], ccsid=owns[0][1], format=formats[0])
    return Message(b"".join(chunks) + body, msg_id=b"M" * 24, priority=3, descriptor=first)


@given(CHAIN, WORD, WORD, st.booleans())
@settings(max_examples=200)
def test_a_message_comes_back_whether_it_was_read_or_not(
    chain: list[Any], queue: str, user: str, read: bool
) -> None:
    source = assembled(chain, b"<a>1</a>", Descriptor(reply_to=queue, user_id=user))
    message = tree.parse_message(source, "XMLNSC")
    if read:
        str(message)
    back = tree.serialise_message(message)
    assert back.body == source.body
    assert back.descriptor == source.descriptor
    assert (back.msg_id, back.priority) == (source.msg_id, source.priority)


@given(CHAIN)
@settings(max_examples=150)
def test_a_message_without_its_first_header_is_still_a_true_chain(chain: list[Any]) -> None:
    message = tree.parse_message(assembled(chain, b"<a>1</a>", Descriptor()), "XMLNSC")
    names = [folder.name for folder in message]
    if len(chain):
        assert message.delete(tree.Path(names[2]))
    again = tree.parse_message(tree.serialise_message(message), "XMLNSC")
    assert [folder.name for folder in again] == names[:2] + names[3:] if chain else names
    assert again.get(tree.Path("XMLNSC", "a")) == "1"


@given(PROPERTIES, CCSID, ENCODING)
@settings(max_examples=150)
def test_properties_are_read_and_written_in_any_character_set(
    given_: dict[str, Any], ccsid: int, encoding: int
) -> None:
    chain = [(("MQHRF2", given_), encoding, ccsid)]
    message = tree.parse_message(assembled(chain, b"<a>1</a>", Descriptor()), "XMLNSC")
    for name, value in given_.items():
        assert message.get(tree.Path("MQRFH2", "usr", name)) == value
    message.set(tree.Path("MQRFH2", "usr", "added"), 7)
    again = tree.parse_message(tree.serialise_message(message), "XMLNSC")
    for name, value in {**given_, "added": 7}.items():
        assert again.get(tree.Path("MQRFH2", "usr", name)) == value
