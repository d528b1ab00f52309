"""The syntax error of an expression, with a caret under its position."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from penstock.model.errors import MQError


def problem(text: str, column: int, why: str) -> MQError:
    """Return the error; `column` counts from 1."""
    shown = text.replace("\n", " ").replace("\t", " ")
    return error(
        mq.PSRC_FLOW_XPATH, f"{why} (column {column})\n  {shown}\n  {' ' * (column - 1)}^", column=column
    )
