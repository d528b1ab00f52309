"""The reference page says of every attribute whether it works, as the catalogue does."""

from tests.conformance.docs.attribute_table import HEAD, table
from tests.uncompiled import ROOT

PAGE = ROOT / "docs" / "reference" / "mqsc.md"


def test_the_page_has_the_table_that_the_catalogue_makes():
    lines = PAGE.read_text().splitlines()
    start = lines.index(HEAD[0])
    end = next(place for place in range(start, len(lines)) if not lines[place].startswith("|"))
    advice = "replace the table by what `python -m tests.conformance.docs.attribute_table` prints"
    assert lines[start:end] == table(), advice
