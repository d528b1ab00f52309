"""The tables of writers by node type; the modules beside this register their functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.esql.compiler.generator import Generator

Writer = TypeVar("Writer", bound="Callable[..., Any]")

VALUES: dict[type, Callable[[Generator, Any], str]] = {}
STATEMENTS: dict[type, Callable[[Generator, Any], None]] = {}


def value_of(*kinds: type) -> Callable[[Writer], Writer]:
    """Register a function that returns the Python expression for the value of a node."""

    def enter(writer: Writer) -> Writer:
        VALUES.update(dict.fromkeys(kinds, writer))
        return writer

    return enter


def statement(*kinds: type) -> Callable[[Writer], Writer]:
    """Register a function that writes a statement."""

    def enter(writer: Writer) -> Writer:
        STATEMENTS.update(dict.fromkeys(kinds, writer))
        return writer

    return enter
