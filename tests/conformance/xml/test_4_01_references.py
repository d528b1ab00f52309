"""XML 1.0, 4.1: references are &name;, &#number; and &#xnumber;."""

from __future__ import annotations

import pytest

from tests.conformance.xml.verdict import accepted, expat_accepts, value

GOOD = [
    "<a>&#65;</a>",
    "<a>&#x41;&#x4f;</a>",
    "<a>&amp;amp;</a>",
    "<a>&#0065;</a>",
]
BAD = [
    "<a>&</a>",
    "<a>&;</a>",
    "<a>&#;</a>",
    "<a>&#x;</a>",
    "<a>&#xG;</a>",
    "<a>&#X41;</a>",
    "<a>&#65</a>",
    "<a>& amp;</a>",
    "<a>&amp</a>",
    "<a>&#-1;</a>",
    "<a>&#99999999999999999999;</a>",
]


@pytest.mark.parametrize("document", GOOD)
def test_is_well_formed(document: str) -> None:
    assert accepted(document)
    assert expat_accepts(document)


@pytest.mark.parametrize("document", BAD)
def test_is_not_well_formed(document: str) -> None:
    assert not accepted(document)
    assert not expat_accepts(document)


def test_a_reference_is_read_once() -> None:
    assert value("<a>&amp;lt;</a>", "a") == "&lt;"
