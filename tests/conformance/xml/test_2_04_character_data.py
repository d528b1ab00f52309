"""XML 1.0, 2.4: < and & stand only as markup; ]]> only ends a section."""

from __future__ import annotations

import pytest

from tests.conformance.xml.verdict import accepted, expat_accepts

GOOD = [
    "<a>x > y ' \" ]] ]> </a>",
    "<a>&lt;&amp;&gt;&apos;&quot;</a>",
    "<a b='>'/>",
    "<a>]]&gt;</a>",
]
BAD = [
    "<a>x < y</a>",
    "<a>x & y</a>",
    "<a>]]></a>",
    "<a b='<'/>",
    "<a b='&'/>",
    "text",
    "<a/>text",
]


@pytest.mark.parametrize("document", GOOD)
def test_is_well_formed(document: str) -> None:
    assert accepted(document)
    assert expat_accepts(document)


@pytest.mark.parametrize("document", BAD)
def test_is_not_well_formed(document: str) -> None:
    assert not accepted(document)
    assert not expat_accepts(document)
