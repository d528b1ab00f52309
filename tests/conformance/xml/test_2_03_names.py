"""XML 1.0, 2.3: a name begins with a letter or _ and goes on with letters, digits, . and -."""

from __future__ import annotations

import pytest

from tests.conformance.xml.verdict import accepted, expat_accepts

GOOD = [
    "<a/>",
    "<_/>",
    "<a1.b-c_d/>",
    "<élève/>",
    "<a à='1'/>",
    "<中文/>",
    "<xmlfoo/>",
]
BAD = [
    "<1a/>",
    "<-a/>",
    "<.a/>",
    "< a/>",
    "<a !b='1'/>",
    "<a 1b='1'/>",
    "<a@b/>",
    "<\xd7/>",
    "<a\u2000/>",
    "<>x</>",
]


@pytest.mark.parametrize("document", GOOD)
def test_is_well_formed(document: str) -> None:
    assert accepted(document)
    assert expat_accepts(document)


@pytest.mark.parametrize("document", BAD)
def test_is_not_well_formed(document: str) -> None:
    assert not accepted(document)
    assert not expat_accepts(document)


def test_decision_names_follow_the_fifth_edition() -> None:
    # U+037F was added to Unicode after the fourth edition, which expat follows.
    assert accepted("<a\u037f/>")
