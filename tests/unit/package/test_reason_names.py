"""A failure has one name, the catalogue's: a search for `MQRC_Q_FULL` finds every place that raises it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from penstock.model import constants as mq
from tests.uncompiled import ROOT

SOURCES = ROOT / "src" / "penstock"
NAMES = {value: name for name, value in vars(mq).items() if name.startswith(("MQRC_", "MQRCCF_", "PSRC_"))}
RAISED = re.compile(r"\b(?:error|MQError)\((\d{4})\b")
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
        if path.suffix != ".py":
            continue
        for statement in ast.parse(path.read_text()).body:
            if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Attribute):
                continue
            if NAMES.get(getattr(mq, statement.value.attr, None)) == statement.value.attr:
                renamed.append(f"{path.relative_to(SOURCES)}: {ast.unparse(statement)}")

    assert not renamed
