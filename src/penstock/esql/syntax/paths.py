"""Field references: `Corr.(Type)ns:Name[index]` and so on.

The first step is the correlation name or variable and usually a plain name. A missing name means any
name, as `*` does.
"""

from __future__ import annotations

from penstock.esql.syntax.expressions import Expression
from penstock.esql.syntax.node import Node


class PlainName(Node):
    """A name as written, quotes removed."""

    text: str


class ComputedName(Node):
    """`{expression}`."""

    value: Expression


class AnyName(Node):
    """`*`."""


Name = PlainName | ComputedName | AnyName


class Index(Node):
    """`[]` has no direction; `[n]` and `[>n]` count from the first, `[<n]` from the last.

    `direction` is "", "=", ">" or "<"; `value` is missing for `[]`, `[<]` and `[>]`. `[LAST]` is `[<]`.
    """

    direction: str
    value: Expression | None


class Step(Node):
    """One element of a path."""

    type: Expression | None
    namespace: Name | None
    name: Name | None
    index: Index | None

    @property
    def is_list(self) -> bool:
        """Whether the step ends in `[]`."""
        return self.index is not None and not self.index.direction

    @property
    def plain(self) -> str | None:
        """The name, if the step is only a plain name."""
        if self.type is not None or self.namespace is not None or self.index is not None:
            return None
        return self.name.text if isinstance(self.name, PlainName) else None


class ResultField(Expression):
    """`function().Name`: a path that starts from the result of a call."""

    call: Expression
    steps: tuple[Step, ...]


class FieldReference(Expression):
    """A path; at least one step."""

    steps: tuple[Step, ...]

    @property
    def root(self) -> str | None:
        """The name that the path starts from; None if it is computed or `*`."""
        first = self.steps[0].name
        return first.text if isinstance(first, PlainName) else None

    @property
    def is_list(self) -> bool:
        """Whether the path names a whole array."""
        return self.steps[-1].is_list
