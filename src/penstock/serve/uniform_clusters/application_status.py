"""The rows of DISPLAY APSTATUS: applications, the members of a uniform cluster, and the instances here."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING

from penstock.model.status import ApplicationStatus
from penstock.qmgr.monitoring.status import connection_id

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.qmgr.clusters.applications import Applications
    from penstock.serve.uniform_clusters.movable import Instance


def rows(applications: Applications, instances: list[Instance], moment: float) -> Iterator[ApplicationStatus]:
    """Yield rows of all three types; `moment` is of the server's clock."""
    now = time.time()
    for name in sorted({*applications.names(now), *(each.application for each in instances)}):
        if name in applications.names(now):
            yield from _of_members(applications, name, now)
        for each in instances:
            if each.application == name:
                yield _of_instance(applications, each, moment)


def _of_members(applications: Applications, name: str, now: float) -> Iterator[ApplicationStatus]:
    counts, quotas = applications.of(name, now), applications.quotas(name, now)
    cluster = applications.cluster
    even = all(count == quotas[qmid] for qmid, (count, _) in counts.items())
    yield ApplicationStatus(
        applname=name,
        type="APPL",
        cluster=cluster,
        balanced=("YES" if even else "NO") if cluster else "NOTAPPLIC",
        count=sum(count for count, _ in counts.values()),
        movcount=sum(movable for _, movable in counts.values()),
    )
    for qmid, (count, movable) in sorted(counts.items()):
        state = "HIGH" if count > quotas[qmid] else "LOW" if count < quotas[qmid] else "OK"
        date, moment = _time(applications.heard_at(qmid, now))
        yield ApplicationStatus(
            applname=name,
            type="QMGR",
            cluster=cluster,
            qmname=applications.name_of(qmid),
            qmid=qmid,
            active="YES",
            balstate=state if cluster else "NOTAPPLIC",
            count=count,
            movcount=movable,
            lmgsdate=date,
            lmgstime=moment,
        )


def _of_instance(applications: Applications, instance: Instance, moment: float) -> ApplicationStatus:
    link, client = instance.clients[0]
    connection = next(iter(link.conversations.values())).qm.connection
    reason = _why_it_stays(instance, moment)
    row = ApplicationStatus(
        applname=instance.application,
        type="LOCAL",
        cluster=applications.cluster,
        channel=link.channel,
        conns=instance.connections,
        conntag=instance.tag or f"MQCT{connection_id(connection)}{applications.clusters.qmid}",
        movable="YES" if reason == "NONE" else "NO",
        immreasn=reason if applications.cluster else "NOTUNIFORM",
    )
    if client is not None:
        row.baltype, row.balopts = client.type, "IGNTRANS" if client.ignores_units else "NONE"
        row.baltmout = "NEVER" if client.timeout == math.inf else int(client.timeout)
        row.immcount = int(client.returned)
        if client.since > moment:
            row.immdate, row.immtime = _time(time.time() + client.since - moment)
    return row


def _why_it_stays(instance: Instance, moment: float) -> str:
    if not all(client is not None for _, client in instance.clients):
        return "NOTRECONN"
    if instance.goes() or not instance.may_move(moment):
        return "MOVING"
    ignores = all(client is not None and client.ignores_units for _, client in instance.clients)
    return "INTRANS" if instance.in_unit() and not ignores else "NONE"


def _time(when: float) -> tuple[str, str]:
    at = time.localtime(when)
    return time.strftime("%Y-%m-%d", at), time.strftime("%H.%M.%S", at)
