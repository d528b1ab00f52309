"""One file under check: the input of a pass and its findings."""

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
    """A parsed file with the surrounding catalogue; passes add to `findings`.

    `placed` is the list of its statements. `variables` and `routines` hold the meaning of a field reference
    or a call, by the node's id; `resolution` fills them for the passes after it.
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
        """Report a finding about a position."""
        if len(self.findings) < FINDINGS_MAX:
            self.findings.append(finding(self.source, code, message, at, length, likely))

    def line_of(self, at: int) -> int:
        """Return the line of an offset, for messages."""
        return self.source.line_of(at)
