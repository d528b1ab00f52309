"""XML 1.0, 2.7: a CDATA section ends at the first ]]> and stands in an element."""

from __future__ import annotations

import pytest

from tests.conformance.xml.verdict import accepted, expat_accepts, value

GOOD = [
    "<a><![CDATA[<b>&c;]]></a>",
    "<a><![CDATA[]]></a>",
    "<a><![CDATA[]]]]></a>",
    "<a>x<![CDATA[y]]>z</a>",
]
BAD = [
    "<a><![CDATA[x]]</a>",
    "<a><![cdata[x]]></a>",
    "<![CDATA[x]]><a/>",
    "<a><![CDATA[x]]>]]></a>",
    "<a/><![CDATA[x]]>",
]


@pytest.mark.parametrize("document", GOOD)
def test_is_well_formed(document: str) -> None:
    assert accepted(document)
    assert expat_accepts(document)


@pytest.mark.parametrize("document", BAD)
def test_is_not_well_formed(document: str) -> None:
    assert not accepted(document)
    assert not expat_accepts(document)


def test_a_section_means_its_characters() -> None:
    assert value("<a>x<![CDATA[<b>&c;]]>z</a>", "a") == "x<b>&c;z"
