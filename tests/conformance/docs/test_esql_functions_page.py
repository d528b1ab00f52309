"""Every example of the page of ESQL functions gives what the page says, and every function has one."""

from __future__ import annotations

import re

import pytest

from penstock.esql.runtime.functions import BARE, FUNCTIONS
from tests.conformance.esql.programs import value
from tests.uncompiled import ROOT

PAGE = (ROOT / "docs" / "reference" / "esql-functions.md").read_text()
MESSAGE = b'<o id="7"><i>nut</i><i>bolt</i></o>'
ROWS = [
    (said, row[2])
    for row in re.finditer(r"^\| (`.+`) \| `(.+?)` \|$", PAGE, re.MULTILINE)
    for said in re.findall(r"`([^`]+)`", row[1])
]


@pytest.mark.parametrize(("said", "given"), ROWS)
def test_an_example_gives_what_the_page_says(said: str, given: str) -> None:
    found, expected = value(said, MESSAGE), value(given, MESSAGE)

    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize("name", sorted({*FUNCTIONS, *BARE}))
def test_every_function_is_on_the_page(name: str) -> None:
    assert re.search(rf"\b{name}\b", PAGE)
