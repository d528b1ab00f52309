# ruff: noqa: E501 - a rule is a line
"""Rules: the reports' tuning advice as predicates over the facts of a queue manager and its machine.

A rule sees facts, never the queue manager; it changes nothing. What it advises is supported by a measurement of
this machine where one is given, and names the test to run where not. No I/O here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

LOG_BUFFER_PAGES = 512
SLOW_SYNC_SECONDS = 0.005
BATCH_RECORDS_FEW = 2.0
LOG_FULL = 0.7
NEAR_FULL = 0.9
CHANNELS_NEAR = 0.8
DISCONNECT_SHORT = 60


@dataclass
class Facts:
    """What is known of a queue manager: status, objects by type, settings of qm.ini, machine."""

    status: Mapping[str, Any]
    queues: list[dict[str, Any]]
    channels: list[dict[str, Any]]
    qmgr: Mapping[str, Any]
    ini: Mapping[str, Mapping[str, str]]
    same_device: bool | None
    cores: int


class Said(NamedTuple):
    """The result of a rule: the current setting, and how to change it."""

    now: str
    change: str


class Rule(NamedTuple):
    """One piece of advice: its ids in the reports, the setting, the advice, the tests that support it."""

    ids: str
    setting: str
    advice: str
    tests: tuple[str, ...]
    applies: Callable[[Facts], Said | None]


def _persistent(facts: Facts) -> bool:
    return facts.status["log"]["records"] > 0


def _log_buffer(facts: Facts) -> Said | None:
    pages = int(facts.ini.get("Log", {}).get("LogBufferPages", LOG_BUFFER_PAGES))
    small = 0 < pages < LOG_BUFFER_PAGES and _persistent(facts)
    return Said(str(pages), "qm.ini, stanza Log: LogBufferPages=512, then restart") if small else None


def _sync(facts: Facts) -> Said | None:
    mean = facts.status["log"]["sync_seconds_mean"]
    if mean > SLOW_SYNC_SECONDS and facts.status["log"]["syncs"] >= 20:
        return Said(
            f"{mean * 1000:.1f} ms a sync", "put the log folder on a faster disk with a safe write cache"
        )
    return None


def _batches(facts: Facts) -> Said | None:
    log = facts.status["log"]
    if log["syncs"] >= 1000 and log["batch_records_mean"] < BATCH_RECORDS_FEW:
        return Said(
            f"{log['batch_records_mean']:.1f} records a sync",
            "put and get in units of work of several messages",
        )
    return None


def _same_device(facts: Facts) -> Said | None:
    if facts.same_device and _persistent(facts):
        return Said("log and queues on one device", "give the log folder a device of its own")
    return None


def _log_room(facts: Facts) -> Said | None:
    log = facts.status["log"]
    used = log["used_bytes"] / log["capacity_bytes"] if log["capacity_bytes"] else 0.0
    return Said(f"{used:.0%} used", "qm.ini, stanza Log: more LogPrimaryFiles") if used > LOG_FULL else None


def _default_persistence(facts: Facts) -> Said | None:
    names = [
        each["QUEUE"] for each in facts.queues if each.get("DEFPSIST") == "YES" and not _own(each["QUEUE"])
    ]
    if not names:
        return None
    return Said(_few(names), f"if they need not survive a restart: ALTER QLOCAL({names[0]}) DEFPSIST(NO)")


def _spilled(facts: Facts) -> Said | None:
    spilled = facts.status["spilled_messages"]
    change = "qm.ini, stanza TuningParameters: DefaultQBufferSize, if there is memory; else more getters"
    return Said(f"{spilled:,} messages on disk", change) if spilled else None


def _near_full(facts: Facts) -> Said | None:
    full = [
        each["QUEUE"]
        for each in facts.queues
        if int(each.get("CURDEPTH", 0)) >= NEAR_FULL * int(each.get("MAXDEPTH", 0) or 1) > 0
    ]
    return (
        Said(_few(full), "more getters; a waiting getter gets messages without the queue") if full else None
    )


def _max_channels(facts: Facts) -> Said | None:
    channels = facts.status.get("channels") or {}
    most, now = channels.get("channels_max", 0), channels.get("conversations", 0)
    if most and now > CHANNELS_NEAR * most:
        return Said(
            f"{now} of {most}", "qm.ini, stanza Channels: MaxChannels for the clients that you expect"
        )
    return None


def _share_conversations(facts: Facts) -> Said | None:
    names = [
        each["CHANNEL"]
        for each in facts.channels
        if each.get("CHLTYPE") == "SVRCONN" and int(each.get("SHARECNV", 10)) in (0, 1)
    ]
    names = [name for name in names if not _own(name)]
    if not names:
        return None
    return Said(
        _few(names),
        f"ALTER CHANNEL({names[0]}) CHLTYPE(SVRCONN) SHARECNV(10): threads of a client share a socket",
    )


def _disconnect(facts: Facts) -> Said | None:
    names = [
        each["CHANNEL"] for each in facts.channels if 0 < int(each.get("DISCINT", 0) or 0) < DISCONNECT_SHORT
    ]
    names = [name for name in names if not _own(name)]
    if not names:
        return None
    return Said(_few(names), f"a longer DISCINT for {names[0]}: connecting costs more than staying")


def _own(name: str) -> bool:
    return name.startswith(("SYSTEM.", "AMQ."))


def _few(names: list[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


RULES = (
    Rule("000-03, 001-03", "disk of the log", "a faster log disk raises the rate of persistent work", ("local_pm3", "clpm3"), _sync),
    Rule("000-02, 001-01", "place of the log", "log and queue files on devices of their own", ("local_pm3",), _same_device),
    Rule("001-06", "LogBufferPages", "512 pages: more units share a write", ("local_pm3", "clpm3"), _log_buffer),
    Rule("001-12", "batch size", "one log write for many messages", ("local_pm3",), _batches),
    Rule("001-07", "LogPrimaryFiles", "room for the longest unit of work", ("local_pm3_200K",), _log_room),
    Rule("000-01, 001-02", "DEFPSIST", "persistent only where a message must survive", ("clnp1", "clpm3"), _default_persistence),
    Rule("001-04, 001-05", "DefaultQBufferSize", "a queue that spills makes getters wait for the disk", ("pq_np_nosync_max",), _spilled),
    Rule("001-15", "number of getters", "putters outpace getters", ("pq_np_nosync_scale_2K",), _near_full),
    Rule("001-18", "MaxChannels", "a limit above the clients that you expect", ("clnp1_cmax_runmqlsr_t10",), _max_channels),
    Rule("003-SHARECNV", "SHARECNV", "conversations of one client share a socket", ("client_footprint",), _share_conversations),
    Rule("001-16", "DISCINT", "stay connected for a while", ("clnp1_ss_r3600_runmqlsr",), _disconnect),
)  # fmt: skip
