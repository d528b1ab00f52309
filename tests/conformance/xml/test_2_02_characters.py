"""XML 1.0, 2.2: characters are #x9, #xA, #xD, #x20-#xD7FF, #xE000-#xFFFD and #x10000-#x10FFFF."""

from __future__ import annotations

import pytest

from tests.conformance.xml.verdict import accepted, expat_accepts

GOOD = [
    "<a>\t\n\r </a>",
    "<a>\ud7ff\ue000</a>",
    "<a>�</a>",
    "<a>𐀀\U0010ffff</a>",
    "<a>\x7f\x85\u2028</a>",
    "<a>&#x9;&#xA;&#xD;&#x10FFFF;</a>",
]
BAD = [
    "<a>\x00</a>",
    "<a>\x08</a>",
    "<a>\x0b</a>",
    "<a>\x1f</a>",
    "<a>\ufffe</a>",
    "<a>\uffff</a>",
    "<a>&#0;</a>",
    "<a>&#x8;</a>",
    "<a>&#xD800;</a>",
    "<a>&#xFFFE;</a>",
    "<a>&#x110000;</a>",
    "<a b='\x01'/>",
]


@pytest.mark.parametrize("document", GOOD)
def test_is_well_formed(document: str) -> None:
    assert accepted(document)
    assert expat_accepts(document)


@pytest.mark.parametrize("document", BAD)
def test_is_not_well_formed(document: str) -> None:
    assert not accepted(document)
    assert not expat_accepts(document)
