"""A failure has one name, the catalogue's: a search for `MQRC_Q_FULL` finds every place that raises it."""

from __future__ import annotations

import re
from pathlib import Path

from tests.uncompiled import ROOT

SOURCES = ROOT / "src" / "penstock"
RAISED = re.compile(r"\b(?:error|MQError)\((\d{4})\b")
ASSIGNED = re.compile(r"^\w[\w, :]*=\s*\w[\w.]*\.(?:MQRC_|MQRCCF_|PSRC_)\w+$", re.MULTILINE)
COMPARED = re.compile(r"\breason (?:==|!=) (\d{4})\b")
TABLES = ("constants_reasons.py", "constants.py", "errors.py")  # errors.py shows what programs write


def sources() -> list[Path]:
    found = [path for suffix in ("*.py", "*.pyx") for path in SOURCES.rglob(suffix)]
    return sorted(path for path in found if path.name not in TABLES)


def test_no_failure_is_a_bare_number() -> None:
    numbers = [
        f"{path.relative_to(SOURCES)}: {found}"
        for path in sources()
        for pattern in (RAISED, COMPARED)
        for found in pattern.findall(path.read_text())
    ]

    assert not numbers


def test_no_module_renames_a_reason() -> None:
    """A constant such as QUEUE_FULL = 2053 would hide a reason from whoever searches for it."""
    renamed = []
    for path in sources():
        if path.suffix == ".py":
            renamed += [f"{path.relative_to(SOURCES)}: {each}" for each in ASSIGNED.findall(path.read_text())]

    assert not renamed
