"""Runs short ESQL programs for the tables of statements: a body in, the output as text out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.esql.compiler.compile import compile_sources
from penstock.esql.source import Source
from penstock.esql.testing import Outcome, run_module

if TYPE_CHECKING:
    from penstock.esql.library import Library, Module

INPUT = b'<o id="7"><n>5</n><t>text</t><i k="1">nut</i><i k="2">bolt</i><i k="3">screw</i><e/></o>'


def library(*texts: str) -> Library:
    """Compile texts as files a.esql, b.esql ..."""
    return compile_sources([Source(f"{chr(97 + place)}.esql", text) for place, text in enumerate(texts)])


def module(body: str, before: str = "", outside: str = "") -> Module:
    """Compile a body as Main of a Compute module; `before` stands in the module, `outside` above it."""
    text = (
        f"{outside}\nCREATE COMPUTE MODULE M\n{before}\nCREATE FUNCTION Main() RETURNS BOOLEAN\n"
        f"BEGIN\n{body}\nRETURN TRUE;\nEND;\nEND MODULE;"
    )
    return library(text).module("M")


def run(body: str, message: Any = INPUT, before: str = "", outside: str = "", **options: Any) -> Outcome:
    """Run a body."""
    return run_module(module(body, before, outside), message, **options)


def out(body: str, message: Any = INPUT, before: str = "", outside: str = "", **options: Any) -> str:
    """Run a body that builds OutputRoot.XMLNSC.r; return what stands inside of r."""
    text = run(body, message, before, outside, **options).bytes().decode()
    return text.removeprefix("<r>").removesuffix("</r>") if text != "<r/>" else ""


def value(expression: str, message: Any = INPUT, before: str = "", **options: Any) -> Any:
    """Return the value of an expression, taken from a field that it was assigned to."""
    outcome = run(f"SET Environment.v = {expression};", message, before, **options)
    root = outcome.environment.reference()
    found = None if root is None else next(iter(root), None)
    return None if found is None else found.value
