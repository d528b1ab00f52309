"""What needs attention: rules over figures that a person may see. Each finding has a link and a command."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from penstock.console.formatting import age, number
from penstock.console.visit import command
from penstock.host.folders.folder_lock import CRASHED
from penstock.model import constants as mq

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from penstock.model.errors import MQError
    from penstock.model.status import QueueFigures, Status
    from penstock.tools.channel_facts import ChannelFacts

DEPTH_SHARE = 0.8
OLDEST_SECONDS = 300.0
LOG_SHARE = 0.8
UNIT_SECONDS = 600.0
BAD, DOUBTFUL = "bad", "warn"


@dataclass(frozen=True)
class Finding:
    """One problem that needs attention."""

    level: str
    subject: str
    text: str
    link: str
    command: str


def of_queues(qmgr: str, rows: Sequence[QueueFigures], dead: str) -> Iterator[Finding]:
    """Yield findings about queues; `dead` is the name of the dead-letter queue."""
    now = time.time()
    for row in rows:
        if not row.depth:
            continue
        if row.queue == dead:
            letters = "dead letter" if row.depth == 1 else "dead letters"
            text = f"{number(row.depth)} {letters}, the oldest {age(now - (row.oldest or now))} old"
            yield Finding(BAD, row.queue, text, _page("/dlq", qmgr), command("dlq", "list", "-m", qmgr))
            continue
        text = _queue_text(row, now)
        if text:
            shown = command("queue", "list", row.queue, "-m", qmgr)
            yield Finding(DOUBTFUL, row.queue, text, _page("/queue", qmgr, name=row.queue), shown)


def _queue_text(row: QueueFigures, now: float) -> str:
    if row.depth_max and row.depth >= DEPTH_SHARE * row.depth_max:
        return f"{100 * row.depth / row.depth_max:.0f} % full: {number(row.depth)} of {number(row.depth_max)}"
    if row.queue.startswith(("SYSTEM.", "AMQ.")):
        return ""
    oldest = now - (row.oldest or now)
    if not row.readers and oldest > OLDEST_SECONDS:
        return f"oldest message waits for {age(oldest)}, nobody reads"
    return ""


def of_state(qmgr: str, state: str) -> Iterator[Finding]:
    """Yield a finding about a queue manager that nobody has stopped and that does not run."""
    if state == CRASHED:
        yield Finding(BAD, qmgr, "it ended unexpectedly", "/", command("qmgr", "start", qmgr, "-b"))


def of_refusal(qmgr: str, refusal: MQError) -> Iterator[Finding]:
    """Yield a finding about a queue manager that runs and does not answer; a missing authority is none."""
    if refusal.reason != mq.MQRC_NOT_AUTHORIZED:
        text = f"it does not answer: {refusal.reason} {refusal.name}"
        yield Finding(BAD, qmgr, text, "/", command("qmgr", "status", qmgr))


def of_qmgr(qmgr: str, status: Status) -> Iterator[Finding]:
    """Yield findings about a queue manager as a whole."""
    link, shown = _page("/", qmgr), command("qmgr", "status", qmgr)
    log = status.log
    if log.capacity_bytes and log.used_bytes > LOG_SHARE * log.capacity_bytes:
        text = f"the log is {100 * log.used_bytes / log.capacity_bytes:.0f} % full"
        yield Finding(BAD, qmgr, text, link, shown)
    if status.disk_low:
        yield Finding(BAD, qmgr, "the disk has little room left", link, shown)
    if status.oldest_unit_seconds > UNIT_SECONDS:
        text = f"a unit of work is open for {age(status.oldest_unit_seconds)}"
        yield Finding(DOUBTFUL, qmgr, text, link, shown)
    if status.prepared_units:
        text = f"{status.prepared_units} prepared units wait for their coordinator"
        yield Finding(DOUBTFUL, qmgr, text, link, command("unit", "list", "-m", qmgr))


def of_channels(qmgr: str, channels: Sequence[ChannelFacts]) -> Iterator[Finding]:
    """Yield findings about message channels."""
    for each in channels:
        if each.health:
            waiting = f", {number(each.waiting)} messages wait" if each.waiting else ""
            why = each.last_error or each.trouble
            text = f"{each.state.lower()}{waiting}" + (f": {why}" if why else "")
            level = BAD if each.health > 1 else DOUBTFUL
            shown = command("channel", "explain", each.channel, "-m", qmgr)
            yield Finding(level, each.channel, text, _page("/channels", qmgr), shown)


def of_brokers(brokers: Sequence[dict[str, Any]]) -> Iterator[Finding]:
    """Yield findings about deployed flows."""
    for broker in brokers:
        name = broker["name"]
        if broker["deployments"] and broker["process"] is None:
            text = "this broker does not run, its flows do not run"
            yield Finding(BAD, f"broker {name}", text, "/flows", command("broker", "start", name))
        for row in broker["workers"]:
            link = "/flow?" + urlencode({"broker": name, "group": row["group"], "flow": row["flow"]})
            shown = command("flow", "failures", row["flow"], "--broker", name)
            if row["state"] not in ("running", "starting", "stopping"):
                level = DOUBTFUL if row["state"] == "paused" else BAD
                text = f"{row['state']}{': ' + row['error'] if row['error'] else ''}"
                yield Finding(level, row["flow"], text, link, shown)
            elif row["given_up"]:
                yield Finding(DOUBTFUL, row["flow"], f"has given up {row['given_up']} messages", link, shown)


def _page(path: str, qmgr: str, **more: str) -> str:
    return f"{path}?{urlencode({'qm': qmgr, **more})}"
