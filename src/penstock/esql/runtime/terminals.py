"""The terminals and labels that PROPAGATE can name, for checker, runtime and room `flow`."""

from __future__ import annotations

from typing import Any

from penstock.esql.runtime.errors import BAD_ARGUMENT, esql_error

BY_NUMBER = {-2: "nowhere", -1: "failure", 0: "out", 1: "out1", 2: "out2", 3: "out3", 4: "out4"}
TERMINALS: frozenset[str | int] = frozenset((*BY_NUMBER, *BY_NUMBER.values()))


class LabelName(str):
    """The name of a label that is a literal in a program: `reach.labels_of` finds it in compiled code."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"LabelName({str(self)!r})"


def terminal_name(terminal: Any) -> str:
    """Return the name of a terminal that a program chose; raises S22023 for an invalid one.

    >>> terminal_name(2), terminal_name("failure")
    ('out2', 'failure')
    """
    if type(terminal) not in (str, int) or terminal not in TERMINALS:
        raise esql_error(BAD_ARGUMENT, f"there is no terminal {terminal!r}; {advice()}", terminal)
    return terminal if isinstance(terminal, str) else BY_NUMBER[terminal]


def label_name(label: str | None) -> str:
    """Return the label that a program computed; raises S22023 for NULL."""
    if label is None:
        raise esql_error(BAD_ARGUMENT, "the label of PROPAGATE TO LABEL is NULL")
    return label


def advice() -> str:
    """Return the list of terminals, for messages."""
    return f"there are {', '.join(BY_NUMBER.values())}, and -2 to 4 for them"
