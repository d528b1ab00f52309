"""XML 1.0, 2.8: document types, which messages have only if their reader asks; entities are never defined."""

from __future__ import annotations

from xml.parsers import expat

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock import MQError, tree

DOCUMENTS = [
    b"<!DOCTYPE a><a/>",
    b"<!DOCTYPE a ><a/>",
    b'<?xml version="1.0"?>\n<!-- c --><!DOCTYPE a SYSTEM "a.dtd">\n<a/>',
    b"<!DOCTYPE a SYSTEM 'x\"y>]'><a/>",
    b'<!DOCTYPE a PUBLIC "-//X//Y" "http://x/y.dtd" ><a/>',
    b"<!DOCTYPE a []><a/>",
    b'<!DOCTYPE a [\n<!ELEMENT a (#PCDATA)>\n<!ATTLIST a b CDATA "x>]y">]  ><a>t</a>',
    b"<!DOCTYPE a [<!-- ]> ' --><?pi ]> ?><!ENTITY e \"<b/>\"><!NOTATION n SYSTEM 'n'>]><a/>",
    b'<!DOCTYPE a SYSTEM "s" [<!ENTITY % p "x">]><a b="c"><d/></a>',
]
WRONG = [
    b"<!DOCTYPE><a/>",
    b"<!DOCTYPEa><a/>",
    b"<!DOCTYPE 1a><a/>",
    b"<!DOCTYPE a SYSTEM><a/>",
    b"<!DOCTYPE a SYSTEM 'x><a/>",
    b"<!DOCTYPE a PUBLIC 'x'><a/>",
    b"<!DOCTYPE a PUBLIC'x' 'y'><a/>",
    b"<!DOCTYPE a [<a/>",
    b"<!DOCTYPE a [text]><a/>",
    b"<!DOCTYPE a [<!ELEMENT a (b)]><a/>",
    b"<!DOCTYPE a [<!ENTITY e 'x>]><a/>",
    b"<!DOCTYPE a [<!-- -- -->]><a/>",
    b"<!DOCTYPE a [<!--]><a/>",
    b"<!DOCTYPE a [<?x]><a/>",
    b"<!DOCTYPE a [%p]><a/>",
    b"<!DOCTYPE a [] x><a/>",
    b"<!DOCTYPE a",
    b"<!DOCTYPE a [",
    b"<!doctype a><a/>",
]


def accepted(body: bytes, domain: str = "XMLNSC") -> tree.Message:
    return tree.parse(body, domain, doctype=True, timing="complete")


@pytest.mark.parametrize("domain", ["XMLNSC", "XMLNS", "XML"])
@pytest.mark.parametrize("body", DOCUMENTS)
def test_a_document_type_is_refused_unless_asked_for(body: bytes, domain: str) -> None:
    with pytest.raises(MQError) as caught:
        tree.parse(body, domain, timing="immediate")
    assert caught.value.reason == 8102
    assert caught.value.fields["offset"] == body.index(b"<!DOCTYPE")
    expat.ParserCreate().Parse(body, True)
    accepted(body, domain)


@pytest.mark.parametrize("domain", ["XMLNSC", "XMLNS", "XML"])
@pytest.mark.parametrize("body", DOCUMENTS)
def test_it_is_kept_as_text_and_written_as_it_came(body: bytes, domain: str) -> None:
    message = accepted(body, domain)
    message.set(tree.Path(domain, "a", "new"), "1")
    written = message.serialise()
    declared = body[body.index(b"<!DOCTYPE") : body.index(b"<a")].strip()
    assert declared.split(b">", 1)[0] in written
    expat.ParserCreate().Parse(written, True)
    again = accepted(written, domain)
    assert again.get(tree.Path(domain, "a", "new")) == "1"
    assert again.body is not None
    (kept,) = [field for field in again.body if field.type == tree.XMLNSC_TYPES["DocumentType"]]
    assert kept.name == "DocumentType"
    assert kept.value == declared[len("<!DOCTYPE ") : -1].decode()


@pytest.mark.parametrize("body", WRONG)
def test_what_is_no_document_type_is_an_error_with_its_offset(body: bytes) -> None:
    with pytest.raises(expat.ExpatError):
        expat.ParserCreate().Parse(body, True)
    with pytest.raises(MQError) as caught:
        accepted(body)
    assert caught.value.reason in (8101, 8102)
    assert 0 <= caught.value.fields["offset"] <= len(body)


@pytest.mark.parametrize(
    "body", [b"<a/><!DOCTYPE a>", b"<a><!DOCTYPE a></a>", b"<!DOCTYPE a><!DOCTYPE a><a/>"]
)
def test_there_is_one_before_the_root_element(body: bytes) -> None:
    with pytest.raises(MQError) as caught:
        accepted(body)
    assert caught.value.reason == 8102


@pytest.mark.parametrize(
    "body",
    [
        b"<!DOCTYPE a [<!ENTITY e 'x'>]><a>&e;</a>",
        b"<!DOCTYPE a [<!ENTITY e SYSTEM 'file:///etc/passwd'>]><a>&e;</a>",
        b"<!DOCTYPE a [<!ENTITY e 'x'>]><a b='&e;'/>",
        b"<!DOCTYPE a [<!ENTITY a '&b;&b;'><!ENTITY b '&c;&c;'><!ENTITY c 'lol'>]><a>&a;</a>",
    ],
)
def test_entities_are_never_expanded(body: bytes) -> None:
    with pytest.raises(MQError) as caught:
        accepted(body)
    assert caught.value.reason == 8103


def test_attributes_have_no_defaults_from_it() -> None:
    message = accepted(b'<!DOCTYPE a [<!ATTLIST a b CDATA "x">]><a/>')
    assert message.get(tree.Path("XMLNSC", "a", "@b")) is tree.MISSING


def test_its_length_is_bounded() -> None:
    with pytest.raises(MQError) as caught:
        accepted(b"<!DOCTYPE a [" + b"<!ELEMENT a ANY>" * 5000 + b"]><a/>")
    assert caught.value.reason == 8113


def test_one_that_a_program_changed_is_not_written() -> None:
    message = accepted(DOCUMENTS[0])
    assert message.body is not None
    first = next(iter(message.body))
    first.value = " SYSTEM 'http://elsewhere'"
    with pytest.raises(MQError, match="only be written unchanged"):
        message.serialise()


def test_soap_and_other_formats_leave_it_behind() -> None:
    message = accepted(b'<!DOCTYPE a SYSTEM "s"><a><b>1</b></a>')
    from penstock.tree.convert import convert

    assert convert(message, "JSON").serialise() == b'{"b":"1"}'


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from([*b"<>!?[]%;'\"- ", *b"aDO", 0x0A]), max_size=24).map(bytes))
def test_anything_inside_is_a_tree_or_an_error_with_offset(inside: bytes) -> None:
    body = b"<!DOCTYPE a [" + inside + b"]><a/>"
    try:
        message = accepted(body)
        message.set(tree.Path("XMLNSC", "a"), "1")
        accepted(message.serialise())
    except MQError as problem:
        assert problem.reason in (8101, 8102, 8103)
        assert 0 <= problem.fields["offset"] <= len(body)
