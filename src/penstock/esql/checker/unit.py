"""One file under check: what a pass sees and where it reports."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from penstock.esql.findings import Finding, finding
from penstock.esql.limits import FINDINGS_MAX

if TYPE_CHECKING:
    from penstock.esql.checker.catalogue import Catalogue, Variable
    from penstock.esql.checker.walks import Placed
    from penstock.esql.parser.program import Parsed
    from penstock.esql.source import Source
    from penstock.esql.syntax.node import Node
    from penstock.esql.syntax.program import Program, Routine


@dataclass(slots=True)
class Unit:
    """A parsed file with the catalogue around it; passes add to `findings`.

    `placed` are its statements in a row. `variables` and `routines` say what a field reference or a call
    means, by the node's id; `resolution` fills them and the passes after it read them.
    """

    parsed: Parsed
    catalogue: Catalogue
    placed: list[Placed]
    variables: dict[int, Variable] = field(default_factory=dict)
    routines: dict[int, Routine] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    @property
    def source(self) -> Source:
        """The file's text."""
        return self.parsed.source

    @property
    def program(self) -> Program:
        """The file's tree."""
        return self.parsed.program

    def find(self, code: str, message: str, node: Node, likely: str = "", length: int = 1) -> None:
        """Report a finding about a node."""
        self.find_at(code, message, node.at, likely, length)

    def find_at(self, code: str, message: str, at: int, likely: str = "", length: int = 1) -> None:
        """Report a finding about a place."""
        if len(self.findings) < FINDINGS_MAX:
            self.findings.append(finding(self.source, code, message, at, length, likely))

    def line_of(self, at: int) -> int:
        """Return the line of an offset, for messages."""
        return self.source.line_of(at)
