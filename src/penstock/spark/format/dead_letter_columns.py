"""The columns that rows of dead letters have besides those of every message: why, from where, since when."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.model.errors import error
from penstock.tools.dead_letters import read

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.model.message import Message

DEAD_LETTER_SCHEMA = (
    "dead_reason int, dead_name string, dead_queue string, dead_flow string, dead_node string, "
    "dead_since timestamp, dead_body binary"
)
MICROSECONDS = 1_000_000
DEAD_LETTER_GETTERS: dict[str, Callable[[Message], Any]] = {
    "dead_reason": lambda message: read(message).cause[0],
    "dead_name": lambda message: error(read(message).cause[0]).name,
    "dead_queue": lambda message: read(message).destination,
    "dead_flow": lambda message: read(message).cause[1],
    "dead_node": lambda message: read(message).cause[2],
    "dead_since": lambda message: round(read(message).since * MICROSECONDS),
    "dead_body": lambda message: read(message).body,  # without the header
}
