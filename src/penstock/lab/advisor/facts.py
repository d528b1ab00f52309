"""Facts about a queue manager and its machine: read once, nothing is changed."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.face.blocking import BlockingQueueManager

Rows = list[dict[str, Any]]
CPU = Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
PORTS = Path("/proc/sys/net/ipv4/ip_local_port_range")
PRESSURE = Path("/proc/pressure/memory")


@dataclass
class Facts:
    """Status, objects by kind, settings of qm.ini, machine."""

    status: Mapping[str, Any]
    queues: Rows
    channels: Rows
    qmgr: Mapping[str, Any]
    ini: Mapping[str, Mapping[str, str]]
    same_device: bool | None
    cores: int
    topics: Rows = field(default_factory=list)
    structures: Rows = field(default_factory=list)
    backups: Rows = field(default_factory=list)
    data_sets: Rows = field(default_factory=list)
    proxies: Rows = field(default_factory=list)
    rules: int = 0  # of channel authentication
    machine: Mapping[str, Any] = field(default_factory=dict)

    def setting(self, stanza: str, name: str) -> str:
        """Return a setting of qm.ini; "" when it is not set."""
        return str(self.ini.get(stanza, {}).get(name, ""))


def facts_of(qm: BlockingQueueManager) -> Facts:
    """Read the facts that the rules need from a queue manager."""
    status: dict[str, Any] = msgspec.to_builtins(qm.status())
    status["up_seconds"] = time.time() - status["started"]
    folder = Path(status["folder"])
    return Facts(
        status,
        shown(qm, "DISPLAY QLOCAL(*) ALL"),
        shown(qm, "DISPLAY CHANNEL(*) ALL"),
        next(iter(shown(qm, "DISPLAY QMGR ALL")), {}),
        ini_of(folder / "qm.ini"),
        same_device(folder),
        os.cpu_count() or 1,
        shown(qm, "DISPLAY TOPIC(*) ALL"),
        shown(qm, "DISPLAY CFSTRUCT(*) ALL"),
        shown(qm, "DISPLAY CFSTATUS(*) TYPE(BACKUP)"),
        shown(qm, "DISPLAY USAGE TYPE(SMDS)"),
        shown(qm, "DISPLAY SUB(*) SUBTYPE(PROXY)"),
        len(shown(qm, "DISPLAY CHLAUTH(*)")),
        machine_facts(),
    )


def shown(qm: BlockingQueueManager, command: str) -> Rows:
    """Return the rows that a command shows; none where it is refused or finds nothing."""
    return [dict(reply.attributes) for reply in qm.mqsc(command) if reply.attributes]


def ini_of(path: Path) -> dict[str, dict[str, str]]:
    """Return the settings of a qm.ini by stanza; none when it cannot be read."""
    try:
        lines = path.read_text().splitlines()
    except OSError:  # another machine's, or not ours to read
        return {}
    found: dict[str, dict[str, str]] = {}
    stanza: dict[str, str] = {}
    for line in lines:
        text = line.strip()
        if text.endswith(":"):
            stanza = found.setdefault(text[:-1], {})
        elif "=" in text and not text.startswith(("#", "*")):
            name, _, value = text.partition("=")
            stanza[name.strip()] = value.strip()
    return found


def same_device(folder: Path) -> bool | None:
    """Return whether log and queue files share a device; None when they cannot be seen."""
    try:
        return (folder / "log").stat().st_dev == (folder / "queues").stat().st_dev
    except OSError:
        return None


def machine_facts() -> dict[str, Any]:
    """Return what the kernel says of this machine; what it does not say is missing."""
    found: dict[str, Any] = {}
    if governor := _read(CPU):
        found["governor"] = governor
    if ports := _read(PORTS).split():
        found["ports"] = int(ports[1]) - int(ports[0])
    if pressure := _read(PRESSURE):
        found["memory_waits_percent"] = float(pressure.split("avg300=")[1].split()[0])
    found["memory_bytes"] = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return found


def _read(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""
