"""A failure has one name, the catalogue's: a search for `MQRC_Q_FULL` finds every place that raises it."""

from __future__ import annotations

import re
from pathlib import Path

from penstock.model import constants as mq
from tests.uncompiled import ROOT

SOURCES = ROOT / "src" / "penstock"
NUMBERS = {value for name, value in vars(mq).items() if name.startswith(("MQRC_", "MQRCCF_", "PSRC_"))}
OTHERS = {2024, 2048, 3001, 4096, 8101, 8199}  # sizes, a year, numbers of programs, a range of reasons
FOUR_DIGITS = re.compile(r"(?<![\w.])[2-9]\d{3}(?![\w.])")
TEXTS = re.compile(r'"""(?s:.*?)"""|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|#.*|\brange\([^)]*\)')
RAISED = re.compile(r"\b(?:error|MQError)\(\d{4}\b")
ASSIGNED = re.compile(r"^\w[\w, :]*=\s*\w[\w.]*\.(?:MQRC_|MQRCCF_|PSRC_)\w+$", re.MULTILINE)
TABLES = ("errors.py", "reasons.py")  # errors.py shows what programs write
WITHOUT_REASONS = {"lab", "examples", "catalogue"}  # numbers that are measured, made up, or of attributes


def sources(suffix: str = ".py") -> list[Path]:
    found = [path for path in SOURCES.rglob(f"*{suffix}") if path.name not in TABLES]
    found = [path for path in found if WITHOUT_REASONS.isdisjoint(path.relative_to(SOURCES).parts)]
    return sorted(path for path in found if not path.name.startswith("constants"))


def bare_numbers(text: str) -> list[str]:
    """Return the reason codes in a module's code that are written as numbers."""
    found = FOUR_DIGITS.findall(TEXTS.sub('""', text))
    return [each for each in found if int(each) in NUMBERS - OTHERS]


def test_no_failure_is_a_bare_number() -> None:
    numbers = {str(path): found for path in sources() if (found := bare_numbers(path.read_text()))}

    assert numbers == {}
    assert [path.name for path in sources(".pyx") if RAISED.search(path.read_text())] == []


def test_a_bare_number_is_found() -> None:
    assert bare_numbers('raise error(2085, "queue 2053")  # 2033') == ["2085"]


def test_no_module_renames_a_reason() -> None:
    """A constant such as QUEUE_FULL = 2053 would hide a reason from whoever searches for it."""
    renamed = [f"{path}: {each}" for path in sources() for each in ASSIGNED.findall(path.read_text())]

    assert not renamed
