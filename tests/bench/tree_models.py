"""Messages by a model: fixed-length and tagged records, and the conversion matrix of the broker's report.

The records are parsed, one field is changed, and they are written again; against a hand-written struct and
Decimal script, and against split and join. The matrix has 30 fields (10 short strings, 10 floats, 10
integers) and padding to 4, 16 and 64 KB, each of generic XML, CWF, MRM XML and TDS to each; against a
hand-written script with lxml, struct or split that does the same conversion.
"""

from __future__ import annotations

import random
import struct
from decimal import Decimal
from typing import TYPE_CHECKING

from penstock import tree
from penstock.lab.analysis.results import Result, Row, at_least
from penstock.lab.flows.conversions import conversion
from penstock.lab.flows.messages import FLOATS, INTEGERS, TEXTS, values_of
from penstock.tree.model import Cwf, CwfFormat, Field, Model, Tds, TdsFormat, TdsType, Type, XmlFormat
from tests.bench.tree_xml import rate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock.lab.load.setting import Setting

TIMES = 3
SIZES = {"4 KB": 4_096, "16 KB": 16_384, "64 KB": 65_536}
DELIMITED = TdsType("tagged delimited", delimiter="*", tag_data_separator=":")
FIXED = Model(
    "FIXED",
    {
        "R": Type(
            *(Field(name, C=Cwf(length=20)) for name in TEXTS),
            *(Field(name, "decimal", C=Cwf(length=5, scale=2)) for name in FLOATS),
            *(Field(name, "integer", C=Cwf(length=4)) for name in INTEGERS),
        )
    },
    {"C": CwfFormat(ccsid=819, encoding=273)},
)
TAGGED = Model(
    "TAGGED",
    {"R": Type(*(Field(n, T=Tds(tag=n)) for n in TEXTS + FLOATS + INTEGERS), T=DELIMITED)},
    {"T": TdsFormat()},
)
FIELD = tree.Path("MRM", "A0")
RECORD = struct.Struct(">" + "20s" * 10 + "5s" * 10 + "i" * 10)


def measure(setting: Setting) -> Iterator[Result]:
    for name, ours, theirs, body, target in (
        ("fixed-length", ours_fixed, struct_script, fixed_record(), at_least(10)),
        ("tagged", ours_tagged, split_script, tagged_record(), at_least(5)),
    ):
        assert ours(body) == theirs(body)
        count = setting.size(10_000, 2_000)
        values = setting.interleave(
            lambda w=ours, b=body, c=count: rate(w, b, c),
            lambda w=theirs, b=body, c=count: rate(w, b, c),
            times=TIMES,
        )
        peer = "struct + Decimal" if name == "fixed-length" else "split and join"
        yield Row(f"{name}, 30 fields: parse, set, serialise", peer, "/s", *values, target=target)
    for size, length in SIZES.items():
        yield from matrix(setting, size, length)


def ours_fixed(body: bytes) -> bytes:
    message = tree.parse(body, domain="MRM", model=FIXED)
    message.set(FIELD, "x")
    return message.serialise()


def struct_script(body: bytes) -> bytes:
    values = list(RECORD.unpack(body))
    values[:10] = [text.decode("latin-1").rstrip() for text in values[:10]]
    for at in range(10, 20):
        digits = values[at].hex()
        values[at] = Decimal(("-" if digits[-1] == "d" else "") + digits[:-1]).scaleb(-2)
    values[0] = "x"
    for at in range(10, 20):
        cents = int(values[at].scaleb(2))
        values[at] = bytes.fromhex(f"{abs(cents):09d}{'d' if cents < 0 else 'c'}")
    return RECORD.pack(*(text.ljust(20).encode("latin-1") for text in values[:10]), *values[10:])


def ours_tagged(body: bytes) -> bytes:
    message = tree.parse(body, domain="MRM", model=TAGGED)
    message.set(FIELD, "x")
    return message.serialise()


def split_script(body: bytes) -> bytes:
    fields = dict(part.split(":", 1) for part in body.decode().split("*"))
    fields["A0"] = "x"
    return "*".join(f"{name}:{value}" for name, value in fields.items()).encode()


def fixed_record() -> bytes:
    chance = random.Random(7)
    packed = [bytes.fromhex(f"{chance.randrange(10**9):09d}c") for _ in FLOATS]
    return RECORD.pack(*(name.ljust(20).encode() for name in TEXTS), *packed, *range(10))


def tagged_record() -> bytes:
    return "*".join(f"{name}:{'value of ' + name:>24}" for name in TEXTS + FLOATS + INTEGERS).encode()


# The matrix


def model_of(padding: int) -> Model:
    fields = [
        *(Field(name, C=Cwf(length=12), T=Tds(tag=name)) for name in TEXTS),
        *(Field(name, "float", C=Cwf(), T=Tds(tag=name)) for name in FLOATS),
        *(Field(name, "integer", C=Cwf(), T=Tds(tag=name)) for name in INTEGERS),
        Field("PAD", C=Cwf(length=padding), T=Tds(tag="PAD")),
    ]
    formats = {"CWF": CwfFormat(ccsid=819, encoding=273), "MRM XML": XmlFormat(), "TDS": TdsFormat()}
    about = [Field(f.name, f.type, CWF=f.formats["C"], TDS=f.formats["T"]) for f in fields]
    return Model("MATRIX", {"CSIM": Type(*about, TDS=DELIMITED)}, formats)


def matrix(setting: Setting, size: str, length: int) -> Iterator[Result]:
    padding = length - 900
    model, values = model_of(padding), values_of(padding)
    scripts = Scripts(padding)
    bodies = {name: scripts.write[name](values) for name in scripts.write}
    for source, body in bodies.items():
        for target in bodies:
            ours = conversion(model, source, target)
            script = scripts.conversion(source, target)
            assert scripts.read[target](ours(body)) == values
            count = setting.size(2_000, 300) // (1 + length // 16_384)
            pair = setting.interleave(
                lambda w=ours, b=body, c=count: rate(w, b, c),
                lambda w=script, b=body, c=count: rate(w, b, c),
                times=1,
            )
            yield Row(f"{size}: {source} to {target}", "hand-written", "/s", *pair, target=at_least(3))


class Scripts:
    """What somebody would write by hand for each format."""

    def __init__(self, padding: int) -> None:
        from lxml import etree

        self.etree = etree
        self.layout = struct.Struct(">" + "12s" * 10 + "d" * 10 + "i" * 10 + f"{padding}s")
        self.read = {
            "generic XML": self.read_xml,
            "CWF": self.read_fixed,
            "MRM XML": self.read_xml,
            "TDS": self.read_tagged,
        }
        self.write = {
            "generic XML": self.write_xml,
            "CWF": self.write_fixed,
            "MRM XML": self.write_xml,
            "TDS": self.write_tagged,
        }

    def conversion(self, source: str, target: str) -> Callable[[bytes], bytes]:
        read, write = self.read[source], self.write[target]
        return lambda body: write(read(body))

    def read_xml(self, body: bytes) -> dict[str, str | float | int]:
        return {child.tag: typed(child.tag, child.text) for child in self.etree.fromstring(body)}

    def write_xml(self, values: dict[str, str | float | int]) -> bytes:
        root = self.etree.Element("CSIM")
        for name, value in values.items():
            self.etree.SubElement(root, name).text = str(value)
        return self.etree.tostring(root)

    def read_fixed(self, body: bytes) -> dict[str, str | float | int]:
        parts = self.layout.unpack(body)
        names = (*TEXTS, *FLOATS, *INTEGERS, "PAD")
        return {
            name: part.decode("latin-1").rstrip() if isinstance(part, bytes) else part
            for name, part in zip(names, parts, strict=True)
        }

    def write_fixed(self, values: dict[str, str | float | int]) -> bytes:
        parts = (
            part.encode("latin-1").ljust(12) if isinstance(part, str) else part for part in values.values()
        )
        return self.layout.pack(*parts)

    def read_tagged(self, body: bytes) -> dict[str, str | float | int]:
        return {name: typed(name, text) for name, text in (p.split(":", 1) for p in body.decode().split("*"))}

    def write_tagged(self, values: dict[str, str | float | int]) -> bytes:
        return "*".join(f"{name}:{value}" for name, value in values.items()).encode()


def typed(name: str, text: str) -> str | float | int:
    return float(text) if name[0] == "F" else int(text) if name[0] == "I" else text
