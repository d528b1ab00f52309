"""`penstock dlq retry`: sends dead letters where they were going."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.cli.dlq.sending import counted, with_letters

if TYPE_CHECKING:
    from penstock.cli.dlq.sending import Chosen


@with_letters
def retry(*, chosen: Chosen) -> None:
    """Put dead letters on the queue they were going to, without their header."""
    from penstock.tools import dead_letters

    found = chosen.letters
    chosen.letters = [letter for letter in found if letter.destination]
    lost = len(found) - len(chosen.letters)
    if lost and not chosen.as_json:
        print(f"{counted(lost)} without a destination: `dlq move` takes those.")

    def send(letter: dead_letters.Letter) -> bool:
        return dead_letters.retry(chosen.qm, chosen.source, letter)

    chosen.act(f"retry from {chosen.source}", send)
