"""Why a message was given up, as properties of the message in the folder `penstock`, beside MQDLH or backout.

The folder is not `usr`, so that a queue with PROPCTL(COMPAT) gives programs the body as it was.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.model.properties import PropertyValue

FOLDER = "penstock."
TEXT_MAX = 1000


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a flow gave a message up; `queue` is where it was got."""

    cause: int
    flow: str
    node: str
    time: str
    text: str
    queue: str = ""

    def properties(self) -> dict[str, PropertyValue]:
        """Return it as properties of the message."""
        return {f"{FOLDER}{name}": value for name, value in asdict(self).items()}


def failure_of(
    problem: Exception | None, flow: str, node: str, queue: str, now: float, otherwise: int
) -> Failure:
    """Return why a message is given up: the last failure of its flow, or else the given reason."""
    fields = getattr(problem, "fields", {})
    text = "" if problem is None else str(getattr(problem, "detail", problem))
    return Failure(
        cause=getattr(problem, "reason", otherwise),
        flow=str(fields.get("messageflowlabel", flow)),
        node=str(fields.get("nodelabel", node)),
        time=datetime.fromtimestamp(now, UTC).isoformat(timespec="milliseconds"),
        text=printable(text)[:TEXT_MAX],
        queue=queue,
    )


def read_failure(properties: Mapping[str, PropertyValue] | None) -> Failure | None:
    """Return why a message was given up, if its properties say so."""
    if not properties or f"{FOLDER}cause" not in properties:
        return None
    found = {
        name: properties.get(f"{FOLDER}{name}", "") for name in ("flow", "node", "time", "text", "queue")
    }
    cause = properties[f"{FOLDER}cause"]
    number = int(cause) if isinstance(cause, int) else 0
    return Failure(number, **{name: printable(str(value)) for name, value in found.items()})


def without_failure(properties: Mapping[str, PropertyValue] | None) -> dict[str, PropertyValue] | None:
    """Return the properties that a message had before it was given up."""
    if properties is None:
        return None
    left = {name: value for name, value in properties.items() if not name.startswith(FOLDER)}
    return left or None


def printable(text: str) -> str:
    """Return a text without characters that would move a terminal's cursor, or that cannot be stored.

    >>> printable("a\\x1b[2Jb")
    'a [2Jb'

    Lines become one. A line with only the caret below an excerpt is left out, as it would point nowhere.

    >>> printable("line 1, column 8: no end\\n  <Order>\\n         ^")
    'line 1, column 8: no end <Order>'
    """
    lines = [each for each in text.split("\n") if each.strip() != "^"]
    shown = " ".join([*lines[:1], *(each.strip() for each in lines[1:])])
    return "".join(each if each.isprintable() else " " for each in shown)
