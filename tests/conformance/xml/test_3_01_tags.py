"""XML 1.0, 3.1: tags match, attributes are unique, quoted and separated by white space."""

from __future__ import annotations

import pytest

from tests.conformance.xml.verdict import accepted, expat_accepts

GOOD = [
    "<a></a>",
    "<a ></a >",
    "<a/>",
    "<a />",
    "<a b='1' c=\"2\"/>",
    "<a b = '1'/>",
    "<a\nb='1'\tc='2'></a\n>",
]
BAD = [
    "<a></b>",
    "<a>",
    "</a>",
    "<a><b></a></b>",
    "<a b='1' b='2'/>",
    "<a b=1/>",
    "<a b/>",
    "<a b='1'c='2'/>",
    "<a b='1/>",
    "< a/>",
    "<a/ >",
    "</ a>",
    "<a></a b='1'>",
]


@pytest.mark.parametrize("document", GOOD)
def test_is_well_formed(document: str) -> None:
    assert accepted(document)
    assert expat_accepts(document)


@pytest.mark.parametrize("document", BAD)
def test_is_not_well_formed(document: str) -> None:
    assert not accepted(document)
    assert not expat_accepts(document)
