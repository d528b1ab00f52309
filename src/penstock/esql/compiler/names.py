"""Python names for ESQL names: the same word if it is valid in Python and free."""

from __future__ import annotations

import builtins
import keyword
import re

from penstock.esql.runtime.functions import FUNCTIONS
from penstock.esql.runtime.values import arithmetic, comparing, operators

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_OURS = re.compile(r"[PK]\d+\Z|select_\d+\Z|lib_\d+\Z|t\d+\Z|_.*")
_RUNTIME = {name for module in (operators, arithmetic, comparing) for name in vars(module)}
_FIXED = frozenset(
    [
        "ctx",
        "library",
        "HERE",
        "Path",
        "Step",
        "Decimal",
        "Bits",
        "Interval",
        "date",
        "time",
        "datetime",
        "timezone",
        "timedelta",
        "row",
        "parent",
        "step",
        "found",
        "raised",
        "before",
        "shared",
        "run",
        "self",
        "leaving",
        "position",
    ]
)
RESERVED = (
    _FIXED
    | _RUNTIME
    | set(keyword.kwlist)
    | set(keyword.softkwlist)
    | set(dir(builtins))
    | {each.python for each in FUNCTIONS.values()}
)


class Names:
    """Assigns names that are free in one Python scope and the enclosing ones."""

    def __init__(self, outer: Names | None = None) -> None:
        self.taken: set[str] = set()
        self.outer = outer

    def is_taken(self, name: str) -> bool:
        """Whether a name is in use."""
        return name in self.taken or (self.outer is not None and self.outer.is_taken(name))

    def give(self, wanted: str) -> str:
        """Return a name like the wanted one and take it.

        >>> names = Names()
        >>> names.give("total"), names.give("total"), names.give("class"), names.give("größe")
        ('total', 'total_2', 'class_', 'gr__e')
        """
        base = wanted if _PLAIN.match(wanted) else re.sub(r"[^A-Za-z0-9_]", "_", wanted)
        if base[:1].isdigit():
            base = f"n{base}"
        if base in RESERVED or _OURS.match(base):
            base = f"{base.lstrip('_') or 'name'}_"
        name, number = base, 2
        while self.is_taken(name):
            name, number = f"{base}_{number}", number + 1
        self.taken.add(name)
        return name
