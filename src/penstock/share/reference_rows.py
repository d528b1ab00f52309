"""The references to a member's offloaded bodies, in the rows of messages and in table `released`.

Where a reference has its member, structure and number is known here and in `store.body_reference`. Called by
`data_sets`, to rebuild a space map, and by `orphaned_bodies`. It reads no body and changes nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.store.body_reference import STRUCTURE_OFFSET

if TYPE_CHECKING:
    from collections.abc import Iterator

FETCHED_AT_ONCE = 5000


def structure_in(column: str) -> str:
    """Return the expression for the number of a reference's structure."""
    return f"get_byte({column}, {STRUCTURE_OFFSET}) + 256 * get_byte({column}, {STRUCTURE_OFFSET + 1})"


REFERENCES = " union all ".join(
    f"select body from {table} where place = %(place)s"
    " and get_byte(body, 1) + 256 * get_byte(body, 2) = %(member)s"
    f" and (%(structure)s::int is null or {structure_in('body')} = %(structure)s::int)"
    for table in ("p", "n")
)


def which(place: int, member: int, structure: int | None = None) -> dict[str, int | None]:
    """Return the arguments of `REFERENCES`: bodies of one kind and member, of one structure or of all."""
    return {"place": place, "member": member, "structure": structure}


def stream(connection: Any, wanted: dict[str, int | None]) -> Iterator[bytes]:
    """Yield references, in the transaction that the connection is in."""
    with connection.cursor(name="references", binary=True) as cursor:
        cursor.itersize = FETCHED_AT_ONCE
        cursor.execute(REFERENCES, wanted)
        for (reference,) in cursor:
            yield reference
