"""Every limit has a name and a number, and what passes it costs little."""

from __future__ import annotations

import pytest

from penstock import MQError, tree
from penstock.tree import Limits, Path
from penstock.tree.core._names import SHARED_NAMES_MAX, shared_count
from penstock.tree.model import Cwf, CwfFormat, Field, Group, Model, Type


def refused(body: bytes, domain: str = "XMLNSC", **limits: int) -> int:
    with pytest.raises(MQError) as caught:
        tree.parse(body, domain=domain, limits=Limits(**limits), timing="immediate")
    return caught.value.reason


def accepted(body: bytes, domain: str = "XMLNSC", **limits: int) -> tree.Message:
    return tree.parse(body, domain=domain, limits=Limits(**limits), timing="immediate")


def test_depth():
    assert refused(b"<a><a><a/></a></a>", depth_max=2) == 8110
    accepted(b"<a><a/></a>", depth_max=2)
    assert refused(b"[[[]]]", "JSON", depth_max=2) == 8110
    accepted(b"[[],[]]", "JSON", depth_max=2)
    assert refused(b"<a>" * 200_000) == 8110
    assert refused(b"[" * 200_000, "JSON") == 8110


def test_elements():
    assert refused(b"<a>" + b"<b/>" * 100 + b"</a>", elements_max=50) == 8111
    assert refused(b"[" + b"1," * 100 + b"1]", "JSON", elements_max=50) == 8111
    message = tree.Message(limits=Limits(elements_max=20))
    items = Path("XMLNSC", "a", ("b", ...))
    for i in range(1, 18):
        message.set_at(items, i, i)
    with pytest.raises(MQError) as caught:
        message.set_at(items, 18, 18)
    assert caught.value.reason == 8111


def test_size():
    with pytest.raises(MQError) as caught:
        tree.parse(b"<a/>", domain="XMLNSC", limits=Limits(size_max=3))
    assert caught.value.reason == 8113


def test_attributes_and_namespaces():
    attributes = b" ".join(b"a%d='1'" % i for i in range(5))
    assert refused(b"<a " + attributes + b"/>", attributes_max=4) == 8114
    accepted(b"<a " + attributes + b"/>", attributes_max=5)
    bindings = b" ".join(b"xmlns:a%d='u'" % i for i in range(5))
    assert refused(b"<a " + bindings + b"/>", namespaces_max=4) == 8114


def test_ceilings():
    for name in ("depth_max", "elements_max", "names_max", "size_max", "attributes_max", "namespaces_max"):
        for value in (0, 2**40, True, "1"):
            with pytest.raises(MQError):
                Limits(**{name: value})


def test_long_names_stay_with_their_message_and_work():
    name = "n" * 300
    before = shared_count()
    message = accepted(f"<a><{name}>1</{name}><b/></a>".encode())
    assert shared_count() <= before + 3
    path = Path("XMLNSC", "a", name)
    assert message.get(path) == "1"
    message.set(Path("XMLNSC", "a", (name, 2)), "2")
    copy = message.copy()
    copy.set(Path("XMLNSC", "a", "b"), "3")
    assert copy.serialise() == f"<a><{name}>1</{name}><b>3</b><{name}>2</{name}></a>".encode()
    target = tree.Message()
    target.assign(Path("XMLNSC", "r"), message, Path("XMLNSC", "a"))
    assert target.get(Path("XMLNSC", "r", (name, 2))) == "2"
    assert target.cardinality(Path("XMLNSC", "r", name)) == 2


def test_message_names_do_not_fill_the_process():
    """Two hundred thousand names of strangers: the shared table stops, trees go on with their own."""
    for part in range(4):
        names = [f"stranger{part}x{i}" for i in range(SHARED_NAMES_MAX // 3)]
        body = "<a>" + "".join(f"<{name}>1</{name}>" for name in names) + "</a>"
        message = accepted(body.encode())
        assert message.get(Path("XMLNSC", "a", names[-1])) == "1"
        message.set(Path("XMLNSC", "a", names[7]), "changed")
        assert message.serialise().count(b">changed<") == 1
    assert shared_count() < SHARED_NAMES_MAX + 1000
    assert refused(body.encode(), names_max=100) == 8112


def test_failed_parse_leaves_nothing_behind():
    message = tree.parse(b"<a><b>x<!-- -->y</b><c></a>", domain="XMLNSC")
    for _ in range(3):
        with pytest.raises(MQError):
            message.exists(Path("XMLNSC", "a"))
    message.set(Path("XMLNSC"), None)
    message.set(Path("XMLNSC", "n"), 1)


def test_a_count_of_groups_that_are_empty_takes_no_time() -> None:
    count = Field("N", "integer", C=Cwf(length=4))
    optional = Field("A", min=0, C=Cwf(length=1))
    said = (2_000_000_000).to_bytes(4, "little")
    for group in (
        Group(optional, min=0, max=None, C=Cwf(repeat_from="N")),
        Group(optional, min=0, max=2_000_000_000),
    ):
        model = Model("M", {"M": Type(count, group)}, {"C": CwfFormat()})
        message = tree.parse(said, domain="MRM", model=model, encoding=546)
        assert message.get(tree.Path("MRM", "A")) is tree.MISSING
        message.set(tree.Path("MRM", "N"), 0)
        assert message.serialise() == bytes(4)
