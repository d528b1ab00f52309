"""Namespaces in XML 1.0: prefixes are declared, reserved ones kept, attributes unique by expanded name."""

from __future__ import annotations

import pytest

from tests.conformance.xml.verdict import accepted, expat_accepts, value

GOOD = [
    "<p:a xmlns:p='u'/>",
    "<a xmlns='u'><b xmlns=''/></a>",
    "<a xml:lang='de'/>",
    "<a xmlns:p='u' xmlns:q='u' p:x='1' x='2'/>",
    "<a xmlns='u'><b x='1'/></a>",
    "<a xmlns:xml='http://www.w3.org/XML/1998/namespace'/>",
    "<a xmlns:p='u'><b xmlns:p='v'><p:c/></b></a>",
]
BAD = [
    "<p:a/>",
    "<a p:x='1'/>",
    "<a xmlns:p=''/>",
    "<a xmlns:p='u' xmlns:q='u' p:x='1' q:x='2'/>",
    "<a:b:c xmlns:a='u'/>",
    "<:a/>",
    "<a:/>",
    "<a xmlns:xml='u'/>",
    "<a xmlns:xmlns='u'/>",
    "<a xmlns:p='http://www.w3.org/XML/1998/namespace'/>",
    "<a xmlns='http://www.w3.org/2000/xmlns/'/>",
    "<a xmlns:p='u'/><b/>",
]


@pytest.mark.parametrize("document", GOOD)
def test_is_well_formed(document: str) -> None:
    assert accepted(document)
    assert expat_accepts(document)


@pytest.mark.parametrize("document", BAD)
def test_is_not_well_formed(document: str) -> None:
    assert not accepted(document)
    assert not expat_accepts(document)


def test_the_default_namespace_does_not_reach_attributes() -> None:
    assert value("<a xmlns='u' x='1'/>", "{u}a", "@x") == "1"


def test_a_prefix_means_what_the_nearest_declaration_says() -> None:
    assert value("<a xmlns:p='u'><b xmlns:p='v'><p:c>1</p:c></b></a>", "a", "b", "{v}c") == "1"
