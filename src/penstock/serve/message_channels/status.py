"""What DISPLAY CHSTATUS shows of message channels: one row for each run, and for each that is stopped."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

from penstock.channel.compression import LEVELS
from penstock.channel.sender import Sender
from penstock.model.status import MessageChannelStatus
from penstock.qmgr.channels import batches
from penstock.qmgr.channels.saved_status import luwid_text, wrap_of
from penstock.qmgr.channels.sync_book import HELD, RECEIVER, SENDER
from penstock.serve.message_channels.definitions import MESSAGE_CHANNELS, SENDERS, definition_of
from penstock.serve.message_channels.dialling import local_address
from penstock.serve.message_channels.run import BINDING, PAUSED, RETRYING, RUNNING, STARTING, STOPPED
from penstock.serve.message_channels.sending import SendingChannel
from penstock.serve.message_channels.timers import NEVER

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.channel.counts import Counts
    from penstock.channel.receiver import Receiver
    from penstock.qmgr.objects import Definition
    from penstock.serve.message_channels.initiator import MessageChannels
    from penstock.serve.message_channels.link import ChannelLink
    from penstock.serve.message_channels.run import Run
    from penstock.share.shared_channels import SharedChannel

Row = dict[str, Any]
LEVEL_NAMES = {level: name for name, level in LEVELS.items()}


def rows(channels: MessageChannels) -> Iterator[MessageChannelStatus]:
    """Yield the current status of every channel that is not inactive."""
    seen = set()
    for run in channels.runs():
        seen.add(run.name)
        yield _status(_row(channels, run))
    for name, _, record in channels.server.engine.sync_book.entries(HELD):
        definition = definition_of(channels.server, name)
        if record.luwid and name not in seen and definition is not None:
            if definition.subtype in MESSAGE_CHANNELS:
                yield _status(_stopped(definition))

    sharing = channels.server.host.sharing
    if sharing is not None:
        for each in sharing.channels.listed:
            if each.name not in seen and (each.state == STOPPED or each.member != sharing.member):
                yield _elsewhere(each)


def _elsewhere(channel: SharedChannel) -> MessageChannelStatus:
    """Return the row of a shared channel that another member runs, or nobody, as of a second ago."""
    return MessageChannelStatus(
        channel=channel.name,
        chltype="SDR",
        conname=channel.conname,
        status=channel.state,
        rqmname=channel.partner,
        xmitq=channel.xmitq,
        chldisp="SHARED",
        qmname=channel.qmgr if channel.state != STOPPED else "",
    )


def _status(fields: Row) -> MessageChannelStatus:
    return MessageChannelStatus(**{name.lower(): value for name, value in fields.items()})


def _stopped(definition: Definition) -> Row:
    row = {
        "CHANNEL": definition.name,
        "CHLTYPE": definition.subtype,
        "CONNAME": str(definition.attributes.get("CONNAME", "")),
        "RQMNAME": "",
        "STATUS": STOPPED,
        "SUBSTATE": "",
    }
    if definition.subtype in SENDERS:
        row["XMITQ"] = str(definition.attributes["XMITQ"])
    return row


def _row(channels: MessageChannels, run: Run) -> Row:
    link, end = run.link, run.end
    definition = run.definition
    row: Row = {
        "CHANNEL": run.name,
        "CHLTYPE": run.kind,
        "CONNAME": _address(run, definition),
        "RQMNAME": _partner(run),
        "STATUS": state_of(run),
        "SUBSTATE": _substate(run),
    }
    if run.kind in SENDERS and definition is not None:
        row["XMITQ"] = str(definition.attributes["XMITQ"])
    row |= _doubt(channels, run)
    counts = run.counts
    row |= _link_fields(link, counts)
    terms = end.terms if end is not None else None
    began, last = time.localtime(run.begun), counts.last_at
    meter = counts.compression
    row |= {
        "BATCHES": counts.batches,
        "BATCHSZ": terms.batch_size if terms is not None else 0,
        "CHSTADA": time.strftime("%Y-%m-%d", began),
        "CHSTATI": time.strftime("%H.%M.%S", began),
        "COMPHDR": "NONE,NONE",
        "COMPMSG": _compression(run),
        "HBINT": terms.heartbeat if terms is not None else 0,
        "JOBNAME": f"{os.getpid():08X}00000001",
        "LSTMSGDA": time.strftime("%Y-%m-%d", time.localtime(last)) if last else "",
        "LSTMSGTI": time.strftime("%H.%M.%S", time.localtime(last)) if last else "",
        "MAXMSGL": terms.message_max if terms is not None else 0,
        "MCASTAT": "RUNNING" if link is not None else "STOPPED",
        "MCAUSER": run.user,
        "MSGS": counts.messages,
        "NPMSPEED": ("FAST" if terms.fast else "NORMAL") if terms is not None else "",
        "RAPPLTAG": "",
        "RPRODUCT": "PSTK" if end is not None and end.partner else "",
        "RVERSION": end.partner_version if end is not None else "",
        "STOPREQ": "YES" if run.stop_wish else "NO",
        "LSTERR": _trouble(run),
        "MONCHL": "HIGH",
        "COMPRATE": str(meter.rate) if meter is not None else "0,0",
        "COMPTIME": str(meter.time) if meter is not None else "0,0",
        "EXITTIME": "0,0",
        "NETTIME": str(counts.net_time),
        "XBATCHSZ": str(counts.batch_size),
        "XQTIME": str(counts.queue_time),
    }
    if isinstance(run, SendingChannel) and run.is_shared:
        row |= {"CHLDISP": "SHARED", "QMNAME": channels.server.engine.name}
    if isinstance(run, SendingChannel):
        row |= {"SHORTRTS": run.short_left, "LONGRTS": run.long_left}
        if run.state == RETRYING:
            row["NEXTRTRY"] = seconds_until(run.retry_at, channels.server.clock())
        row["XQMSGSA"] = min(run.claim.queue.depth, 999) if run.claim is not None else 0
    return row


def seconds_until(retry_at: float, now: float) -> int:
    """Return the whole seconds until the next try; 0 while a retry is just beginning.

    >>> seconds_until(160.0, 100.2), seconds_until(99.0, 100.0), seconds_until(NEVER, 100.0)
    (60, 0, 0)
    """
    return max(0, round(retry_at - now)) if retry_at != NEVER else 0


def _trouble(run: Run) -> str:
    """Return the current problem of a channel: a message its partner cannot put, or the cause of its end."""
    if isinstance(run.end, Sender) and run.end.trouble is not None:
        return run.end.trouble.text
    if run.end is not None and not isinstance(run.end, Sender) and run.end.pause is not None:
        return str(run.end.pause.failure)
    return str(run.failure) if run.failure is not None else ""


def _compression(run: Run) -> str:
    """Return COMPMSG as it is agreed and as the last message was sent."""
    name = LEVEL_NAMES.get(run.end.level, "NONE") if isinstance(run.end, Sender) else "NONE"
    return f"{name},{name}"


def _address(run: Run, definition: Definition | None) -> str:
    if run.link is not None:
        return run.link.peer.address if run.kind == "RCVR" else run.link.peer.name
    return str(definition.attributes.get("CONNAME", "")) if definition is not None else ""


def _partner(run: Run) -> str:
    if run.end is not None and run.end.partner_name:
        return run.end.partner_name
    return run.partner_name if isinstance(run, SendingChannel) else ""


def state_of(run: Run) -> str:
    """Return the state of a channel; PAUSED also while its partner tries a message again."""
    if run.state == RUNNING and isinstance(run.end, Sender) and run.end.paused_until > time.time():
        return PAUSED
    return run.state


def _substate(run: Run) -> str:
    if run.state == STARTING:
        return "NETCONNECT"
    if run.state == BINDING:
        return "RESYNCH"
    if run.state != RUNNING or run.end is None:
        return ""
    if not isinstance(run.end, Sender):
        return "RECEIVE"
    return "ENDBATCH" if run.end.waiting else "MQGET"


def _doubt(channels: MessageChannels, run: Run) -> Row:
    """Return the batches in doubt, and the last decided batch."""
    engine, end = channels.server.engine, run.end
    sends = run.kind in SENDERS
    partner = end.partner if end is not None else getattr(run, "partner", "")
    record = engine.sync_book.find(SENDER if sends else RECEIVER, run.name, partner)
    row: Row = {"LSTLUWID": luwid_text(record.luwid), "LSTSEQNO": record.seq}
    if sends:
        found = batches.in_doubt(engine, run.name)
        wrap = end.terms.wrap if end is not None else wrap_of(run.definition)
        open_batch = end.filling if isinstance(end, Sender) else None
        row |= {
            "INDOUBT": "YES" if found else "NO",
            "CURLUWID": luwid_text(found[0].luwid) if found else row["LSTLUWID"],
            "CURMSGS": sum(batch.messages(wrap) for batch in found)
            + (open_batch.count if open_batch is not None else 0),
            "CURSEQNO": end.sequence if end is not None else found[-1].last if found else record.seq,
        }
        return row
    receiver: Receiver | None = end  # type: ignore[assignment]
    row |= {
        "INDOUBT": "NO",
        "CURLUWID": row["LSTLUWID"],
        "CURMSGS": sum(batch.count for batch in receiver.batches.values()) if receiver is not None else 0,
        "CURSEQNO": receiver.sequence if receiver is not None else record.seq,
    }
    return row


def _link_fields(link: ChannelLink | None, counts: Counts) -> Row:
    tls = link.peer.tls if link is not None else None
    return {
        "BUFSRCVD": counts.buffers_in + (link.buffers_in if link is not None else 0),
        "BUFSSENT": counts.buffers_out + (link.buffers_out if link is not None else 0),
        "BYTSRCVD": counts.bytes_in + (link.bytes_in if link is not None else 0),
        "BYTSSENT": counts.bytes_out + (link.bytes_out if link is not None else 0),
        "LOCLADDR": local_address(link.transport) if link is not None else "",
        "SECPROT": tls.protocol.upper().replace(".", "") if tls is not None else "NONE",
        "SSLCERTI": tls.issuer if tls is not None else "",
        "SSLCIPH": tls.cipher if tls is not None else "",
        "SSLPEER": tls.peer if tls is not None else "",
        "SSLRKEYS": 0,
    }
