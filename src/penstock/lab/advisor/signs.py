"""Signs: what of a queue manager and its machine shows that a piece of advice applies.

A sign sees facts, never the queue manager, and returns the current setting and how to change it, or None. The
advice itself is data (`advice.csv`), which names the sign. No I/O here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.lab.advisor.facts import Facts

LOG_BUFFER_PAGES = 512
SLOW_SYNC_SECONDS = 0.005
BATCH_RECORDS_FEW = 2.0
LOG_FULL = 0.7
NEAR_FULL = 0.9
CHANNELS_NEAR = 0.8
DISCONNECT_SHORT = 60
CLIENTS_MANY = 4000  # more than the default ports of one client machine
REPLY_QUEUES_MANY = 100
DEFINITIONS_MANY = 1000
LOG_SMALL = 64 << 20
BUFFER_SHARE_MAX = 0.5  # of the machine's memory
MEMORY_WAITS_PERCENT = 1.0
RULES_MANY = 8000
QUICK_SYNC_SECONDS = 50e-6  # no disk is so quick; a cache has answered


class Said(NamedTuple):
    """The result of a sign: the current setting, and how to change it."""

    now: str
    change: str


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
        each["QUEUE"] for each in facts.queues if each.get("DEFPSIST") == "YES" and not own(each["QUEUE"])
    ]
    if not names:
        return None
    return Said(few(names), f"if they need not survive a restart: ALTER QLOCAL({names[0]}) DEFPSIST(NO)")


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
    return Said(few(full), "more getters; a waiting getter gets messages without the queue") if full else None


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
    names = [name for name in names if not own(name)]
    if not names:
        return None
    return Said(
        few(names),
        f"ALTER CHANNEL({names[0]}) CHLTYPE(SVRCONN) SHARECNV(10): threads of a client share a socket",
    )


def _disconnect(facts: Facts) -> Said | None:
    names = [
        each["CHANNEL"] for each in facts.channels if 0 < int(each.get("DISCINT", 0) or 0) < DISCONNECT_SHORT
    ]
    names = [name for name in names if not own(name)]
    if not names:
        return None
    return Said(few(names), f"a longer DISCINT for {names[0]}: connecting costs more than staying")


def own(name: str) -> bool:
    """Return whether an object is one of the queue manager's own."""
    return name.startswith(("SYSTEM.", "AMQ."))


def few(names: list[str]) -> str:
    """Return the first few names, and how many there are more."""
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _rate_limit(facts: Facts) -> Said | None:
    log = facts.status["log"]
    used = log["syncs"] * log["sync_seconds_mean"] / max(1.0, facts.status.get("up_seconds", 1e18))
    if used > 0.5:
        return Said(
            f"the log syncs {used:.0%} of the time", "units of several messages, or a faster log disk"
        )
    return None


def _quick_sync(facts: Facts) -> Said | None:
    log = facts.status["log"]
    if log["syncs"] >= 20 and log["sync_seconds_mean"] < QUICK_SYNC_SECONDS:
        mean = log["sync_seconds_mean"] * 1e6
        return Said(f"{mean:.0f} us a sync", "make sure that the disk's write cache is not volatile")
    return None


def _buffers(facts: Facts) -> Said | None:
    size = int(facts.setting("TuningParameters", "DefaultQBufferSize") or 0)
    all_of_them = size * len([each for each in facts.queues if not own(each["QUEUE"])])
    memory = facts.machine.get("memory_bytes", 0)
    if memory and all_of_them > BUFFER_SHARE_MAX * memory:
        gigabytes = all_of_them / 1e9
        return Said(f"buffers of up to {gigabytes:.1f} GB", "qm.ini: a smaller DefaultQBufferSize")
    return None


def _memory(facts: Facts) -> Said | None:
    waits = facts.machine.get("memory_waits_percent", 0.0)
    if waits > MEMORY_WAITS_PERCENT:
        return Said(f"{waits:.0f} % of the time programs wait for memory", "more memory, or smaller buffers")
    return None


def _governor(facts: Facts) -> Said | None:
    governor = facts.machine.get("governor", "performance")
    return None if governor == "performance" else Said(governor, "the performance governor, for few clients")


def _ports(facts: Facts) -> Said | None:
    ports, most = (
        facts.machine.get("ports", 65535),
        (facts.status.get("channels") or {}).get("channels_max", 0),
    )
    if ports < most > CLIENTS_MANY:
        return Said(f"{ports} ports, MaxChannels {most}", "net.ipv4.ip_local_port_range of client machines")
    return None


def _small_log(facts: Facts) -> Said | None:
    capacity = facts.status["log"]["capacity_bytes"]
    if len(facts.channels) > DEFINITIONS_MANY and capacity < LOG_SMALL:
        return Said(
            f"{len(facts.channels)} channels, {capacity >> 20} MB of log", "qm.ini: more LogPrimaryFiles"
        )
    return None


def _reply_queues(facts: Facts) -> Said | None:
    dynamic = [each for each in facts.queues if each.get("DEFTYPE") in ("TEMPDYN", "PERMDYN")]
    if len(dynamic) > REPLY_QUEUES_MANY:
        return Said(f"{len(dynamic)} dynamic queues", "one reply queue for all, and get by correlation id")
    return None


def _triggered(facts: Facts) -> Said | None:
    names = [
        each["QUEUE"]
        for each in facts.queues
        if each.get("TRIGTYPE") == "EVERY" and each.get("TRIGGER") == "YES"
    ]
    return Said(few(names), "TRIGTYPE(FIRST), and programs that stay for a while") if names else None


def _converting(facts: Facts) -> Said | None:
    names = [each["CHANNEL"] for each in facts.channels if each.get("CONVERT") == "YES"]
    names = [name for name in names if not own(name)]
    return Said(few(names), "CONVERT(NO), and conversion where a message is got") if names else None


def _properties(facts: Facts) -> Said | None:
    names = [
        each["QUEUE"]
        for each in facts.queues
        if each.get("PROPCTL") in ("ALL", "FORCE") and not own(each["QUEUE"])
    ]
    return Said(few(names), f"ALTER QLOCAL({names[0]}) PROPCTL(V6COMPAT)") if names else None


def _client_answers(facts: Facts) -> Said | None:
    clients = (facts.status.get("channels") or {}).get("conversations", 0)
    mine = [each for each in facts.queues if not own(each["QUEUE"]) and each.get("USAGE") != "XMITQ"]
    if clients and mine and all(each.get("DEFPRESP", "SYNC") == "SYNC" for each in mine):
        change = f"where no answer is needed: ALTER QLOCAL({mine[0]['QUEUE']}) DEFPRESP(ASYNC) DEFREADA(YES)"
        return Said(f"{clients} clients, no queue with DEFPRESP(ASYNC)", change)
    return None


def _tls_renewal(facts: Facts) -> Said | None:
    every = int(facts.qmgr.get("SSLRKEYC", 0) or 0)
    return (
        Said(f"every {every} bytes", "ALTER QMGR SSLRKEYC(1000000) or more")
        if 0 < every < 1_000_000
        else None
    )


def _many_rules(facts: Facts) -> Said | None:
    if facts.rules > RULES_MANY:
        return Said(f"{facts.rules:,} rules", "generic rules, or groups")
    return None


SIGNS: dict[str, Callable[[Facts], Said | None]] = {
    "sync": _sync,
    "same_device": _same_device,
    "log_buffer": _log_buffer,
    "batches": _batches,
    "log_room": _log_room,
    "default_persistence": _default_persistence,
    "spilled": _spilled,
    "near_full": _near_full,
    "max_channels": _max_channels,
    "share_conversations": _share_conversations,
    "disconnect": _disconnect,
    "rate_limit": _rate_limit,
    "quick_sync": _quick_sync,
    "buffers": _buffers,
    "memory": _memory,
    "governor": _governor,
    "ports": _ports,
    "small_log": _small_log,
    "reply_queues": _reply_queues,
    "triggered": _triggered,
    "converting": _converting,
    "properties": _properties,
    "client_answers": _client_answers,
    "tls_renewal": _tls_renewal,
    "many_rules": _many_rules,
}
