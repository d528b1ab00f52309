"""What a DEFINE or ALTER sets that has no effect here, as notes of its reply.

The catalogue defines which attributes those are. A note is information: the value is stored and
the command has worked. Defaults make no notes, so that a dump of a queue manager loads without a word.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.admin.display import field_text
from penstock.qmgr.catalogue.attributes import SUBTYPE_ATTRIBUTE, catalogue

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from penstock.qmgr.catalogue.attributes import Value

SYSTEM = "SYSTEM."
OPEN_RECEIVER = (
    "MCAUSER is blank: anyone who dials this channel puts to every queue, unless CHLAUTH rules map or block"
)


def notes_on(kind: str, subtype: str, name: str, given: Mapping[str, Value]) -> Iterator[str]:
    """Yield a sentence for each given value that changes nothing; one for an object of a type that does not.

    There are no notes for the SYSTEM objects that every dump contains.
    """
    key = SUBTYPE_ATTRIBUTE.get(kind)
    if key and not catalogue(kind)[key].has_effect(subtype):
        if not name.startswith(SYSTEM):
            yield f"{name} is stored and has no effect here: {catalogue(kind)[key].inert}."
        return
    table = catalogue(kind, subtype)
    for attribute, value in ((table[each], given[each]) for each in given if each in table):
        if not attribute.has_effect(value):
            shown = attribute.name if attribute.secret else field_text(attribute.name, value)
            yield f"{shown} is stored and has no effect here: {attribute.inert}."


def warnings_about(kind: str, subtype: str, name: str, values: Mapping[str, Value]) -> Iterator[str]:
    """Yield a sentence for each security risk of a new object that its author may not expect."""
    if kind == "CHANNEL" and subtype in ("RCVR", "RQSTR", "CLUSRCVR") and not values.get("MCAUSER"):
        if not name.startswith(SYSTEM):
            yield f"{OPEN_RECEIVER}."
