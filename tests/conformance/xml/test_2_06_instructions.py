"""XML 1.0, 2.6: a processing instruction has a target that is not xml."""

from __future__ import annotations

import pytest

from tests.conformance.xml.verdict import accepted, expat_accepts

GOOD = [
    "<?p?><a/>",
    "<a><?p d ?></a>",
    "<a><?p ?q?></a>",
    "<a/><?xml-stylesheet x?>",
]
BAD = [
    "<a><?xml version='1.0'?></a>",
    "<a><?XML x?></a>",
    "<a><? p?></a>",
    "<a><?p</a>",
    "<a><?p x></a>",
    " <?xml version='1.0'?><a/>",
]


@pytest.mark.parametrize("document", GOOD)
def test_is_well_formed(document: str) -> None:
    assert accepted(document)
    assert expat_accepts(document)


@pytest.mark.parametrize("document", BAD)
def test_is_not_well_formed(document: str) -> None:
    assert not accepted(document)
    assert not expat_accepts(document)
