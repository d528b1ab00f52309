"""The tree holds everything: parse, print and parse again gives the same tree."""

from pathlib import Path

import pytest

from penstock.esql.parser.program import parse
from penstock.esql.printer.statements import show_program
from penstock.esql.source import Source

SNIPPETS = [
    block
    for block in Path(__file__).with_name("identity.esql").read_text(encoding="utf-8").split("\n\n")
    if block.strip()
]


@pytest.mark.parametrize("snippet", SNIPPETS, ids=lambda text: text.strip().splitlines()[0][:50])
def test_a_snippet_survives_the_printer(snippet):
    first = parse(Source("snippet", snippet))
    assert [found.text for found in first.findings] == []

    printed = show_program(first.program)
    second = parse(Source("printed", printed))

    assert [found.text for found in second.findings] == [], printed
    assert second.program == first.program
    assert show_program(second.program) == printed
