"""Parse, change one field and serialise an MT543, against a hand-written script that splits by patterns.

The script does what such scripts do: headers by a pattern, block 4 split into tags and values, the
sequence by its 16R and 16S, one value replaced, everything joined again. Neither side validates.
Neither side waits, so the thread's processor time is measured.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from penstock import tree
from penstock.lab.analysis.results import Result, Row, at_least
from tests.bench.tree_xml import rate
from tests.unit.tree.swift_messages import MT543

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.lab.load.setting import Setting

TARGET = at_least(5)  # as tagged text against split and join
TIMES = 3
AMOUNT = tree.Path("SWIFT", "Block4", "SETDET", "AMT", "19A::SETT")
HEADERS = re.compile(r"\{([1-3]):([^{}]*(?:\{[^}]*\})*)\}")


def measure(setting: Setting) -> Iterator[Result]:
    assert ours(MT543) == theirs(MT543) == MT543.replace(b"EUR101250,", b"EUR5,")
    count = setting.size(10_000, 2_000)
    values = setting.interleave(
        lambda: rate(ours, MT543, count), lambda: rate(theirs, MT543, count), times=TIMES
    )
    name = f"MT543 of {len(MT543)} bytes: parse, set, serialise"
    yield Row(name, "split and join script", "/s", *values, target=TARGET)


def ours(body: bytes) -> bytes:
    message = tree.parse(body, domain="SWIFT")
    message.set(AMOUNT, "EUR5,")
    return message.serialise()


def theirs(body: bytes) -> bytes:
    head, _, rest = body.decode().partition("{4:\r\n:")
    text, _, tail = rest.partition("\r\n-}")
    blocks = dict(HEADERS.findall(head))
    fields = [field.split(":", 1) for field in text.split("\r\n:")]
    sequences: list[str] = []
    for field in fields:
        tag, value = field
        if tag == "16R":
            sequences.append(value)
        elif tag == "16S":
            sequences.pop()
        elif tag == "19A" and sequences == ["SETDET", "AMT"] and value.startswith(":SETT//"):
            field[1] = ":SETT//EUR5,"
    headers = "".join([f"{{{name}:{value}}}" for name, value in blocks.items()])
    lines = "\r\n:".join([":".join(field) for field in fields])
    return f"{headers}{{4:\r\n:{lines}\r\n-}}{tail}".encode()
