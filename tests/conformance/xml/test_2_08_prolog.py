"""XML 1.0, 2.8: a declaration, if any, stands first and names a version; one root element."""

from __future__ import annotations

import pytest

from tests.conformance.xml.verdict import accepted, expat_accepts

GOOD = [
    "<?xml version='1.0'?><a/>",
    "<?xml version=\"1.0\" encoding='UTF-8'?><a/>",
    "<?xml version='1.0' encoding='utf-8' standalone='yes' ?>\n<a/>\n",
    "<?xml version='1.0' standalone='no'?><a/>",
    "\n<a/>",
]
BAD = [
    "",
    "  ",
    "<a/><b/>",
    "<?xml?><a/>",
    "<?xml encoding='UTF-8'?><a/>",
    "<?xml version='1.0' standalone='maybe'?><a/>",
    "<?xml version='1.0' standalone='no' encoding='UTF-8'?><a/>",
    "<?xml version=1.0?><a/>",
    "<?xml version='1.0'><a/>",
]


@pytest.mark.parametrize("document", GOOD)
def test_is_well_formed(document: str) -> None:
    assert accepted(document)
    assert expat_accepts(document)


@pytest.mark.parametrize("document", BAD)
def test_is_not_well_formed(document: str) -> None:
    assert not accepted(document)
    assert not expat_accepts(document)
