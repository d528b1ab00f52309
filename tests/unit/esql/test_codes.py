"""Every code has its row in the documentation, and every row its code."""

import re
from pathlib import Path

from penstock.esql.codes import CODES

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "esql-check.md"


def test_the_page_has_every_code_with_its_title():
    rows = re.findall(r"^\| ([EW]\d{3}) \| (.+?) \| .*\|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)

    assert {code: title.replace("\\|", "|") for code, title in rows} == CODES
    assert [code for code, _ in rows] == sorted(CODES)


def test_every_code_that_is_used_is_in_the_table():
    room = Path(__file__).parents[3] / "src" / "penstock" / "esql"
    used = {code for file in room.rglob("*.py") for code in re.findall(r'"([EW]\d{3})"', file.read_text())}

    assert used == set(CODES)
