"""Parse, change one field and serialise XML, against a hand-written lxml script that does the same.

1 KB of 10 fields, 4 KB of 30 fields, 64 KB of padding; and a SOAP message with namespaces and
attributes. Neither side waits, so the thread's processor time is measured. lxml is needed for the
tests only.
"""

from __future__ import annotations

import random
from time import thread_time
from typing import TYPE_CHECKING

from penstock import tree
from penstock.lab.analysis.results import Figures, Result, Row, at_least
from penstock.model.message import Descriptor, Message

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock.lab.load.setting import Setting

TARGET = at_least(6)
TIMES = 3
WORDS = tuple("the quick brown fox jumps over a lazy dog while invoices are being settled".split())  # noqa: SIM905
FIELD = tree.Path("XMLNSC", "CSIM", "A1")
AMOUNT = tree.Path(
    "XMLNSC",
    "{http://schemas.xmlsoap.org/soap/envelope/}Envelope",
    "{http://schemas.xmlsoap.org/soap/envelope/}Body",
    "{urn:bank}Pay",
    "{urn:bank}Amount",
)


def measure(setting: Setting) -> Iterator[Result]:
    from lxml import etree

    lxml = etree.XMLParser(resolve_entities=False, no_network=True)

    def theirs(body: bytes) -> bytes:
        root = etree.fromstring(body, lxml)
        root.find("A1").text = "x"
        return etree.tostring(root)

    def theirs_soap(body: bytes) -> bytes:
        root = etree.fromstring(body, lxml)
        root.find(".//{urn:bank}Amount").text = "x"
        return etree.tostring(root)

    for name, body in messages().items():
        assert ours(body) == theirs(body)
        count = setting.size(20_000, 4_000) // (1 + len(body) // 8_192)
        values = setting.interleave(
            lambda b=body, c=count: rate(ours, b, c), lambda b=body, c=count: rate(theirs, b, c), times=TIMES
        )
        yield Row(f"XML {name}: parse, set, serialise", "lxml script", "/s", *values, target=TARGET)
    yield whole_message(setting, theirs)
    body = soap()
    assert b'<p:Amount currency="EUR">x</p:Amount>' in ours_soap(body)
    count = setting.size(10_000, 2_000)
    values = setting.interleave(
        lambda: rate(ours_soap, body, count), lambda: rate(theirs_soap, body, count), times=TIMES
    )
    yield Row("SOAP 1.4 KB: parse, set, serialise", "lxml script", "/s", *values, target=TARGET)
    yield parts(setting)


def whole_message(setting: Setting, theirs: Callable[[bytes], bytes]) -> Row:
    """What a flow does around its nodes, from a queue's message and back; the script has the body alone."""
    body = messages()["1 KB"]
    source = Message(body, b"M" * 24, put_time=1.7e9, descriptor=Descriptor(format="MQSTR"))
    count = setting.size(20_000, 4_000)

    def ours_whole(_: bytes) -> bytes:
        message = tree.parse_message(source, "XMLNSC")
        message.set(FIELD, "x")
        return tree.serialise_message(message).body or b""

    assert ours_whole(body) == theirs(body)
    values = setting.interleave(
        lambda: rate(ours_whole, body, count), lambda: rate(theirs, body, count), times=TIMES
    )
    return Row("message with MQMD, XML 1 KB: parse, set, serialise", "lxml script", "/s", *values)


def ours(body: bytes) -> bytes:
    message = tree.parse(body, domain="XMLNSC")
    message.set(FIELD, "x")
    return message.serialise()


def ours_soap(body: bytes) -> bytes:
    message = tree.parse(body, domain="XMLNSC")
    message.set_value(AMOUNT, "x")
    return message.serialise()


def rate(work: Callable[[bytes], bytes], body: bytes, count: int) -> float:
    began = thread_time()
    for _ in range(count):
        work(body)
    return count / (thread_time() - began)


def parts(setting: Setting) -> Figures:
    """What each step costs, once: to see where time goes, without a target."""
    figures = Figures(
        "steps, microseconds, best of the rounds", ("body", "parse", "copy", "serialise", "get", "set")
    )
    for name, body in messages().items():
        message = tree.parse(body, domain="XMLNSC", timing="immediate")
        message.set(FIELD, "x")
        steps: list[Callable[[], object]] = [
            lambda b=body: tree.parse(b, domain="XMLNSC", timing="immediate"),
            message.copy,
            message.serialise,
            lambda m=message: m.get(FIELD),
            lambda m=message: m.set(FIELD, "x"),
        ]
        figures.lines.append([name, *(f"{best(step, setting):.3f}" for step in steps)])
    return figures


def best(step: Callable[[], object], setting: Setting) -> float:
    count = setting.size(5_000, 1_000)
    found = []
    for _ in range(setting.rounds):
        began = thread_time()
        for _ in range(count):
            step()
        found.append((thread_time() - began) / count * 1e6)
    return min(found)


def messages() -> dict[str, bytes]:
    chance = random.Random(7)
    small = [(f"A{i}", words(chance, 89)) for i in range(1, 11)]
    middle = [(f"A{i}", words(chance, 330)) for i in range(1, 11)]
    middle += [(f"F{i}", f"{chance.random() * 1e4:.6f}") for i in range(1, 11)]
    middle += [(f"I{i}", str(chance.randrange(10**7))) for i in range(1, 11)]
    large = [(f"A{i}", words(chance, 60)) for i in range(1, 10)] + [("PAD", words(chance, 64_600))]
    return {"1 KB": flat(small), "4 KB": flat(middle), "64 KB": flat(large)}


def words(chance: random.Random, length: int) -> str:
    text = ""
    while len(text) < length:
        text += chance.choice(WORDS) + " "
    return text[:length].strip()


def flat(fields: list[tuple[str, str]]) -> bytes:
    return ("<CSIM>" + "".join(f"<{name}>{value}</{name}>" for name, value in fields) + "</CSIM>").encode()


def soap() -> bytes:
    lines = "".join(
        f'<p:Line no="{i}"><p:Text>item number {i}</p:Text><p:Price>{i}.50</p:Price></p:Line>'
        for i in range(12)
    )
    return (
        '<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/" xmlns:p="urn:bank">'
        '<soap:Header><p:Id soap:mustUnderstand="1">4711</p:Id></soap:Header><soap:Body><p:Pay>'
        f'<p:Amount currency="EUR">12.50</p:Amount>{lines}</p:Pay></soap:Body></soap:Envelope>'
    ).encode()
