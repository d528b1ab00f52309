"""Distribution lists: one message for several queues, and what became of it at each.

`put_list` of the embedded queue manager and of both clients puts the message to one destination after the
other, in the unit that a single put would be in; a destination that fails leaves the others as they are.
Here are the destinations (MQ's MQOR and MQPMR) and the outcome (MQRR). Knows no queue manager.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock.face.arguments import name_of
from penstock.model import constants as mq
from penstock.model.errors import COMP_FAILED, MQError, error

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from penstock.model.message import Receipt

    Given = str | tuple[str, str] | Mapping[str, Any]

DESTINATIONS_MAX = 10_000
OWN_FIELDS = frozenset({"msg_id", "correl_id", "group_id", "accounting_token", "feedback"})  # of an MQPMR
GROUPED = (
    mq.MQMF_SEGMENTATION_ALLOWED | mq.MQMF_MSG_IN_GROUP | mq.MQMF_LAST_MSG_IN_GROUP | mq.MQMF_SEGMENT
) | mq.MQMF_LAST_SEGMENT


@dataclass(frozen=True, slots=True)
class Destination:
    """One queue of a list, and the fields that the message has there alone."""

    queue: str
    qmgr: str
    fields: dict[str, Any]

    def details(self, common: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments of the put to this destination."""
        found = {**common, **self.fields}
        return {**found, "qmgr": self.qmgr} if self.qmgr else found


class Outcome:
    """What became of a message at each destination of a list."""

    def __init__(self, given: Iterable[Given], common: Mapping[str, Any]) -> None:
        """Read the destinations; 2154 for none or too many, 2085 and 2046 for an invalid destination."""
        if isinstance(given, str):
            raise error(
                mq.MQRC_UNKNOWN_OBJECT_NAME, f"a list of queues, not {given!r:.60}: `put` puts to one queue"
            )
        self.destinations = [_destination(each) for each in given]
        if not 0 < len(self.destinations) <= DESTINATIONS_MAX:
            raise error(mq.MQRC_RECS_PRESENT_ERROR, f"a list has 1 to {DESTINATIONS_MAX} queues")
        self.results: list[Receipt | MQError] = []
        grouped = int(common.get("flags") or 0) & GROUPED or common.get("group_id")
        if grouped and not all("group_id" in each.fields for each in self.destinations):
            raise error(
                mq.MQRC_GROUP_ID_ERROR, "a message of a group needs a group_id of its own for each queue"
            )

    def add(self, result: Receipt | MQError) -> None:
        """Note the result of the next destination."""
        self.results.append(result)

    def receipts(self) -> list[Receipt]:
        """Return the receipts; raise one error for all destinations that failed.

        Its reason is theirs if all failed alike, else 2136; its `fields` have the reason of each destination.
        """
        failures = [each for each in self.results if isinstance(each, MQError)]
        if not failures:
            return [each for each in self.results if not isinstance(each, MQError)]
        reasons = [each.reason if isinstance(each, MQError) else 0 for each in self.results]
        fields = {
            "destinations": [each.queue for each in self.destinations],
            "reasons": reasons,
            "details": [each.detail if isinstance(each, MQError) else "" for each in self.results],
            "msg_ids": [None if isinstance(each, MQError) else each.msg_id for each in self.results],
        }
        if len(set(reasons)) == 1:
            raise error(reasons[0], failures[0].detail, comp=failures[0].comp, **fields)
        text = f"{len(failures)} of {len(reasons)} queues did not take the message"
        raise error(mq.MQRC_MULTIPLE_REASONS, text, comp=0 if 0 in reasons else COMP_FAILED, **fields)


def _destination(given: Any) -> Destination:
    if isinstance(given, tuple) and len(given) == 2:
        return Destination(name_of(given[0]), name_of(given[1]), {})
    if not isinstance(given, dict):
        return Destination(name_of(given), "", {})
    own = {key: value for key, value in given.items() if key not in ("queue", "qmgr")}
    unknown = own.keys() - OWN_FIELDS
    if unknown:
        raise error(mq.MQRC_OPTIONS_ERROR, f"a destination has no {', '.join(sorted(map(str, unknown)))}")
    return Destination(name_of(given.get("queue")), name_of(given.get("qmgr", "")), own)
