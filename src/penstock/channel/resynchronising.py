"""What a sending end does with its records when a link begins: offers a reset, decides all batches in doubt.

The records of both ends agree, unless a folder was restored or a record was lost; then nothing changes, and
the error says which of these it was, as far as the incarnations of the two folders show it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.qmgr.channels import batches
from penstock.qmgr.channels.sync_book import SENDER

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.qmgr.channels.sync_book import SyncRecord
    from penstock.qmgr.engine import Engine

RESETS_MAX = 100  # of a greeting, which has at most 64 KB
ADVICE = "; RESET CHANNEL here makes both ends go on, and messages may be lost or sent twice"


@dataclass(frozen=True, slots=True)
class Partner:
    """The receiving end, as its greeting describes it."""

    qmid: str
    incarnation: str
    knew: str  # the incarnation of this queue manager in its record


def pending_resets(engine: Engine, channel: str) -> list[list[Any]]:
    """Return the resets that partners must apply, by QMID: it is not known yet which of them answers.

    A partner that was rebuilt has another QMID, and the old one never answers. The last partners come first.
    """
    book = engine.sync_book
    return resets_of(
        {partner: book.find(SENDER, channel, partner) for partner in book.partners(SENDER, channel)}
    )


def resets_of(records: Mapping[str, SyncRecord]) -> list[list[Any]]:
    """Return the resets among the records of a channel, by partner."""
    known = sorted(records.items(), key=lambda each: each[1].luwid, reverse=True)
    return [[partner, record.luwid, record.reset] for partner, record in known if record.reset][:RESETS_MAX]


def resynchronise(
    engine: Engine, channel: str, partner: Partner, committed: SyncRecord, of_cluster: bool, now: float
) -> None:
    """Decide the batches in doubt by the other end's record, and keep the identity of that end."""
    book = engine.sync_book
    before = book.find(SENDER, channel, partner.qmid)
    try:
        batches.resynchronise(engine, channel, partner.qmid, committed, now, of_cluster)
    except MQError as failure:
        raise error(failure.reason, failure.detail + _cause(engine, before, partner)) from None
    record = book.find(SENDER, channel, partner.qmid)
    if record.incarnation != partner.incarnation or record.reset:
        done = replace(record, incarnation=partner.incarnation, reset=0)
        book.write(SENDER, channel, partner.qmid, done)


def _cause(engine: Engine, before: SyncRecord, partner: Partner) -> str:
    """Return why the records differ, as far as the incarnations of the two folders show it."""
    if before.incarnation not in ("", partner.incarnation):
        return f" ({partner.qmid} is a restored copy{ADVICE})"
    if partner.knew not in ("", engine.incarnation):
        return f" (this queue manager is a restored copy{ADVICE})"
    return f" (one of the two records was lost or reset{ADVICE})"


def ccsid_of(facts: dict[str, Any]) -> int:
    """Return the CCSID in the other end's greeting."""
    value = facts.get("ccsid")
    if type(value) is not int or value <= 0:
        raise error(mq.PSRC_CHANNEL_FRAME, f"the greeting has {value!r:.40} as ccsid")
    return value


def committed_of(facts: dict[str, Any]) -> tuple[int, int, str]:
    """Return LUWID and number of the last batch in the other end's record, and which incarnation it knew."""
    value = facts.get("committed")
    if not isinstance(value, list) or [type(each) for each in value] != [int, int, str]:
        raise error(mq.PSRC_CHANNEL_FRAME, f"the greeting says {value!r:.60} of what is committed")
    return value[0], value[1], value[2]
