"""DISPLAY CHSTATUS SAVED: the synch records of channels, whether or not they run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.model.status import MessageChannelStatus
from penstock.qmgr.channels import batches
from penstock.qmgr.channels.sync_book import RECEIVER, SENDER

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.qmgr.channels.batches import Batch
    from penstock.qmgr.channels.sync_book import SyncRecord
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.objects import Definition

SEQUENCE_MAX = 999_999_999


def saved(engine: Engine) -> Iterator[MessageChannelStatus]:
    """Yield a row for each synch record, and for each channel that has only batches in doubt."""
    doubt = _by_channel(engine)
    for role in (SENDER, RECEIVER):
        for channel, partner, record in engine.sync_book.entries(role):
            found = doubt.pop((channel, partner), []) if role == SENDER else []
            yield _row(engine, channel, partner, record, found, role)
    for (channel, partner), found in doubt.items():
        record = engine.sync_book.find(SENDER, channel, partner)
        yield _row(engine, channel, partner, record, found, SENDER)


def _by_channel(engine: Engine) -> dict[tuple[str, str], list[Batch]]:
    found: dict[tuple[str, str], list[Batch]] = {}
    for channel in engine.in_doubt:
        for batch in batches.in_doubt(engine, channel):
            found.setdefault((channel, batch.partner), []).append(batch)
    return found


def _row(
    engine: Engine, channel: str, partner: str, record: SyncRecord, doubt: list[Batch], role: str
) -> MessageChannelStatus:
    definition = engine.objects.find("CHANNEL", channel)
    values = definition.attributes if definition is not None else {}
    last = luwid_text(record.luwid)
    return MessageChannelStatus(
        channel=channel,
        chltype=definition.subtype if definition is not None else "SDR" if role == SENDER else "RCVR",
        conname=str(values.get("CONNAME", "")),
        current="SAVED",
        rqmname=partner.rsplit("_", 2)[0],  # a QMID ends in date and time
        xmitq=str(values.get("XMITQ", "")),
        curluwid=luwid_text(doubt[0].luwid) if doubt else last,
        curmsgs=sum(batch.messages(wrap_of(definition)) for batch in doubt),
        curseqno=doubt[-1].last if doubt else record.seq,
        indoubt="YES" if doubt else "NO",
        lstluwid=last,
        lstseqno=record.seq,
    )


def wrap_of(definition: Definition | None) -> int:
    """Return the last message number of a channel, behind which 1 comes; of a deleted one the default."""
    return int(str(definition.attributes["SEQWRAP"])) if definition is not None else SEQUENCE_MAX


def luwid_text(number: int) -> str:
    """Return a LUWID as it is shown and as RESOLVE CHANNEL takes it."""
    return f"{number:016X}"
