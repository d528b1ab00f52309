"""A module that a string names is imported at run time: the import rules cannot see it, this test can."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

from tests.uncompiled import ROOT

SOURCES = ROOT / "src"
MODULE = re.compile(r"penstock(\.[a-z_][a-z0-9_]*)+")
PROCESSES = {"penstock.cli.main"}  # started as a process of its own (`tools/own_command.py`)


def ranks() -> dict[str, int]:
    """Return how high each room is, as the import rules say."""
    rules = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layers = next(rule["layers"] for rule in rules if rule["type"] == "layers")
    return {room: -at for at, layer in enumerate(layers) for room in layer.split(" | ")}


def is_module(name: str) -> bool:
    path = SOURCES / name.replace(".", "/")
    return path.is_dir() or any(path.with_suffix(ending).exists() for ending in (".py", ".pyx"))


def named(path: Path) -> set[str]:
    """Return the modules of Penstock that strings of a module name."""
    source = path.read_text()
    if '"penstock.' not in source:
        return set()
    texts = {node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant)}
    return {text for text in texts if isinstance(text, str) and MODULE.fullmatch(text) and is_module(text)}


def test_no_string_names_a_module_of_a_higher_room() -> None:
    rank = ranks()
    higher = []
    for path in sorted((SOURCES / "penstock").rglob("*.py")):
        room = path.relative_to(SOURCES).parts[1]
        for name in sorted(named(path) - PROCESSES):
            other = name.split(".")[1]
            if room in rank and other in rank and rank[other] > rank[room]:
                higher.append(f"{path.relative_to(SOURCES)} names {name}")

    assert higher == []


def test_the_names_are_found() -> None:
    """Were they not, the comparison above would compare nothing."""
    found = set().union(*(named(path) for path in (SOURCES / "penstock").rglob("*.py")))

    assert found >= PROCESSES
    assert found >= {"penstock.esql.compiler.evaluation", "penstock.flow.testing.stepping"}
