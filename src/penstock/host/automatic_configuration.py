"""Automatic configuration: MQSC that is applied at each start, and membership in a uniform cluster.

AutoConfig in `qm.ini` (`qmgr create -ic`, `-ii`, `-iv`) names the files; `+QMNAME+`, `+AUTOCL+` and the
names of the Variables stanza are inserts of the MQSC. AutoCluster makes a queue manager a member: named
repositories become full ones, and a CLUSSDR leads to each other repository. A file that cannot be read stops
the start; a command that fails is in the error log. Called by `embed` and the server after a start.
"""

from __future__ import annotations

import re
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from penstock.host.folders.ini import config_files
from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping

    from penstock.host.folders.ini import Settings
    from penstock.host.host import Host
    from penstock.host.queue_manager import QueueManager

INSERT = re.compile(r"\+([A-Za-z][A-Za-z0-9_]*)\+")
WHOLE_VALUE = re.compile(rf"\(\s*({INSERT.pattern})\s*\)")
PLAIN = re.compile(r"[\w./%+]*")  # other values need quotes: CONNAME(+CONNAME+) is often written
SCRIPT_BYTES_MAX = 16 * 1024 * 1024
COPIED = ("SSLCIPH", "SHORTRTY", "SHORTTMR", "LONGRTY", "LONGTMR", "HBINT", "BATCHSZ", "NPMSPEED", "MAXMSGL")
_one_at_a_time = threading.Lock()


def absolute(paths: Mapping[str, str | os.PathLike[str]]) -> dict[str, str]:
    """Return paths so that they are found from any folder; 8012 for one that does not exist."""
    found = {key: str(Path(path).absolute()) if path else "" for key, path in paths.items()}
    for path in found.values():
        if path:
            config_files(path, "")
    return found


def check_configuration(settings: Settings) -> None:
    """Refuse settings that no start could use; 8012."""
    for name, _ in settings.variables:
        if not INSERT.fullmatch(f"+{name}+"):
            raise error(mq.PSRC_INI_ERROR, f"variable {name} is not a name of letters, digits and _")


def configure(host: Host) -> None:
    """Apply the automatic configuration of a queue manager that was started; once per start."""
    settings = host.settings
    if host.configured or not (settings.auto_config.mqsc_config or settings.auto_cluster.cluster_name):
        return
    with _one_at_a_time:
        if host.configured:
            return
        from penstock.host import registry  # it imports `starting`, which imports this module
        from penstock.host.queue_manager import QueueManager

        text = script_of(settings, host.engine.name)
        with QueueManager(registry.enter(host.folder, state=""), "AutoConfig") as qm:
            failed = [*_failures(qm, text, "MQSCConfig")]
            if settings.auto_cluster.cluster_name:
                failed += _failures(qm, cluster_commands(qm, settings), "AutoCluster")
        host.configured = True
    for line in failed:
        host.error_log.write("AMQ6174W", f"Automatic configuration: {line}")


def script_of(settings: Settings, name: str) -> str:
    """Return the MQSC of all files with its inserts in place; an unknown insert stays as it is."""
    place = settings.auto_config.mqsc_config
    texts = []
    for file in config_files(place, ".mqsc") if place else ():
        if file.stat().st_size > SCRIPT_BYTES_MAX:
            raise error(mq.PSRC_INI_ERROR, f"{file} is larger than {SCRIPT_BYTES_MAX} bytes")
        texts.append(file.read_text("utf-8", "replace"))
    return with_inserts("\n".join(texts), settings, name)


def with_inserts(text: str, settings: Settings, name: str) -> str:
    """Return MQSC with the values of +QMNAME+, +AUTOCL+ and the variables, in quotes where they need some."""
    values = {"AUTOCL": settings.auto_cluster.cluster_name, **dict(settings.variables), "QMNAME": name}

    def value(found: re.Match[str]) -> str:
        return values.get(found[1]) or values.get(found[1].upper()) or found[0]

    def whole_value(found: re.Match[str]) -> str:
        inserted = INSERT.sub(value, found[1])
        if inserted == found[1] or PLAIN.fullmatch(inserted):
            return f"({inserted})"
        return "('{}')".format(inserted.replace("'", "''"))

    return INSERT.sub(value, WHOLE_VALUE.sub(whole_value, text))


def cluster_commands(qm: QueueManager, settings: Settings) -> str:
    """Return the MQSC that makes a queue manager a member of its uniform cluster."""
    cluster = settings.auto_cluster
    repositories = cluster.repositories()
    full = any(name == qm.name for name, _ in repositories)
    commands = [f"ALTER QMGR REPOS('{cluster.cluster_name if full else ' '}')"]
    receivers = _own_receivers(qm, cluster.cluster_name)
    if not receivers:
        qm.host.error_log.write(
            "AMQ6174W",
            f"AutoCluster: no CLUSRCVR of cluster {cluster.cluster_name} has {qm.name} in its name",
            "Define one in MQSCConfig: DEFINE CHANNEL('+AUTOCL+_+QMNAME+') CHLTYPE(CLUSRCVR) ...",
        )
    for channel, attributes in receivers:
        for name, conname in repositories:
            if name != qm.name:
                copied = " ".join(f"{key}('{attributes[key]}')" for key in COPIED if attributes.get(key))
                commands.append(
                    f"DEFINE CHANNEL('{channel.replace(qm.name, name)}') CHLTYPE(CLUSSDR) TRPTYPE(TCP)"
                    f" CONNAME('{conname}') CLUSTER('{cluster.cluster_name}') {copied} REPLACE"
                )
    return "\n".join(commands)


def _own_receivers(qm: QueueManager, cluster: str) -> list[tuple[str, dict[str, object]]]:
    """Return the cluster receivers that have this queue manager's name in theirs, with their attributes."""
    with qm.gate:
        channels = qm.engine.objects.all("CHANNEL")
    return [
        (each.name, dict(each.attributes))
        for each in channels
        if each.attributes.get("CHLTYPE") == "CLUSRCVR"
        and each.attributes.get("CLUSTER") == cluster
        and qm.name in each.name
    ]


def _failures(qm: QueueManager, text: str, where: str) -> Iterable[str]:
    for reply in qm.mqsc(text) if text.strip() else ():
        if reply.failed:
            yield f"{where} line {reply.line}: {reply.id}: {reply.text}"
