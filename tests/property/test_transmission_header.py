"""The header that is made when somebody reads a transmission queue is the one that a put would have made."""

from __future__ import annotations

import string

from hypothesis import given
from hypothesis import strategies as st

from penstock.model.headers import TransmissionHeader, extension_of
from penstock.model.message import NEVER, Descriptor, Message
from penstock.model.onward import Onward, header_bytes, original, shown
from penstock.store.message_format import decode_head, encode_head

names = st.text(string.ascii_uppercase + string.digits + "._/%", min_size=1, max_size=48)
ids = st.binary(min_size=24, max_size=24)
texts = st.text(string.ascii_letters, max_size=8)
descriptors = st.builds(
    Descriptor,
    report=st.integers(0, 1 << 30),
    msg_type=st.sampled_from([1, 2, 4, 8]),
    ccsid=st.sampled_from([1208, 819, 37]),
    encoding=st.sampled_from([546, 273]),
    format=st.sampled_from(["", "MQSTR", "MQHRF2"]),
    reply_to=names,
    reply_to_qmgr=names,
    user_id=texts,
    put_appl_name=texts,
    group_id=st.one_of(st.just(bytes(24)), ids),
    seq_number=st.integers(1, 999),
    flags=st.sampled_from([0, 8, 24]),
)


def wrapped(queue: str, qmgr: str, message: Message, now: float) -> bytes:
    """Return header and body as a put would write them: MQXQH, MQMD version 1, MQMDE if needed, body."""
    inner = message.snapshot()
    extension = extension_of(message.descriptor)
    if extension is not None:
        inner.descriptor = message.descriptor.replace(format="MQHMDE")
    header = TransmissionHeader(queue, qmgr, inner).pack(now=now)
    return header + (extension.pack() if extension is not None else b"") + (message.body or b"")


@given(
    names,
    names,
    descriptors,
    ids,
    ids,
    st.binary(max_size=50),
    st.booleans(),
    st.integers(0, 9),
    st.floats(0, 900),
)
def test_the_header_is_that_of_a_put(
    queue: str,
    qmgr: str,
    own: Descriptor,
    msg_id: bytes,
    correl_id: bytes,
    body: bytes,
    persistent: bool,
    priority: int,
    age: float,
) -> None:
    put_time, now = 1_800_000_000.25, 1_800_000_000.25 + age
    expires_at = put_time + 1000 if priority % 2 else NEVER
    message = Message(body, msg_id, correl_id, persistent, priority, put_time, expires_at, own)
    stored = Message(body, b"n" * 24, msg_id, persistent, priority, put_time, expires_at)
    stored.onward = Onward(queue, qmgr, own, correl_id, put_time, 3)
    stored = decode_head(encode_head(stored), body, len(body))
    stored.remaining = expires_at - now

    seen = shown(stored)

    assert seen.body == wrapped(queue, qmgr, message, now)
    assert seen.length == len(body) + header_bytes(stored.onward)
    onward, arrived = original(stored, now)
    assert onward == stored.onward
    for field in (
        "body",
        "msg_id",
        "correl_id",
        "descriptor",
        "persistent",
        "priority",
        "put_time",
        "expires_at",
    ):
        assert getattr(arrived, field) == getattr(message, field)
