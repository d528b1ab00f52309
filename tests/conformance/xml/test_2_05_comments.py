"""XML 1.0, 2.5: a comment holds no -- and does not end in --->."""

from __future__ import annotations

import pytest

from tests.conformance.xml.verdict import accepted, expat_accepts

GOOD = [
    "<!-- c --><a/>",
    "<a><!----></a>",
    "<a><!-- - --></a>",
    "<a/><!-- < & > -->",
    "<a><!-- &nope; --></a>",
]
BAD = [
    "<a><!-- -- --></a>",
    "<a><!-- x ---></a>",
    "<a><!-- x</a>",
    "<a><!- x --></a>",
    "<!-- x -->",
]


@pytest.mark.parametrize("document", GOOD)
def test_is_well_formed(document: str) -> None:
    assert accepted(document)
    assert expat_accepts(document)


@pytest.mark.parametrize("document", BAD)
def test_is_not_well_formed(document: str) -> None:
    assert not accepted(document)
    assert not expat_accepts(document)
