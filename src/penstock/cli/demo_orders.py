"""The orders of the demo: derived from their numbers, so that the expected output of each is known.

One in two is large enough to be billed, one in fifty has no customer and must be rejected. `Count` compares
the outputs with what was put: every order once, on the right queue.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

BILLING, WAREHOUSE, REJECTED = "BILLING", "WAREHOUSE", "REJECTED"
QUEUES = (BILLING, WAREHOUSE, REJECTED)
ITEMS = 6
REJECTED_EACH = 50
_ID = re.compile(rb'order="(\d+)"|<Id>(\d+)</Id>')


def order(number: int) -> bytes:
    """Return order `number`, about one kilobyte of XML."""
    customer = (
        ""
        if number % REJECTED_EACH == 0
        else f"<Customer><Id>C{number % 997}</Id><Name>Ann</Name></Customer>"
    )
    price = 150 + number % 7 if number % 2 else 20 + number % 7
    items = "".join(
        f"<Item><Article>article {number}-{item} of the catalogue, in a box</Article>"
        f"<Price>{price}.50</Price><Quantity>{item + 1}</Quantity></Item>"
        for item in range(ITEMS)
    )
    total = (price + 0.5) * ITEMS * (ITEMS + 1) / 2
    return f"<Order><Id>{number}</Id>{customer}{items}<Total>{total:.2f}</Total></Order>".encode()


def destination(number: int) -> str:
    """Return the queue that order `number` must end on."""
    if number % REJECTED_EACH == 0:
        return REJECTED
    return BILLING if number % 2 else WAREHOUSE


def number_of(body: bytes) -> int:
    """Return the number of the order in a message; -1 if there is none."""
    found = _ID.search(body)
    return -1 if found is None else int(found[1] or found[2])


@dataclass
class Count:
    """The outputs, by queue."""

    found: dict[str, list[int]] = field(default_factory=dict)

    def add(self, queue: str, bodies: Iterable[bytes]) -> None:
        """Count messages of a queue."""
        self.found.setdefault(queue, []).extend(number_of(body) for body in bodies)

    @property
    def everything(self) -> list[int]:
        """The numbers of all orders in the outputs, with repetitions."""
        return [number for numbers in self.found.values() for number in numbers]

    def lost(self, orders: int) -> int:
        """Return how many orders are in no output."""
        return len(set(range(1, orders + 1)) - set(self.everything))

    def doubled(self) -> int:
        """Return how many messages repeat an order."""
        return len(self.everything) - len(set(self.everything))

    def astray(self) -> int:
        """Return how many are on the wrong queue."""
        return sum(
            destination(number) != queue for queue, numbers in self.found.items() for number in numbers
        )
