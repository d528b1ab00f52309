"""Round trips over the shared queues of a group: requesters and servers at one or several members.

Every pair of queues is in a structure, common or its own. With `data_sharing` what is put at one member is
served at the next one only; with `apart` requesters are at the first members and servers at the others. Where
bodies go (`offload`), the block size and the buffers of data sets are attributes of the structure. No clock
and no connections here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.lab.load.arrangement import DEPTH_MAX, Arrangement, Awaited, rated
from penstock.lab.load.roles import Spec

if TYPE_CHECKING:
    from penstock.lab.load.system_under_test import Subject

EVERYTHING = " ".join(f"OFFLD{rule}TH(0) OFFLD{rule}SZ(0K)" for rule in (1, 2, 3))
MESSAGE_MAX = 100_000_000
SERVERS = 4
REQUESTERS_SHARE = 3  # with `apart`, one member in three has the requesters


def structure(name: str, load: dict[str, Any], folder: Any) -> str:
    """Return the definition of a structure whose bodies go where the load says."""
    words = [f"DEFINE CFSTRUCT({name}) RECOVER(YES) SIZE(4G)"]
    if load.get("offload", "db2") == "smds":
        words.append(f"OFFLOAD(SMDS) DSGROUP('{folder}/smds/*/{name}')")
        words += [f"DSBLOCK({load['dsblock']}K)"] if "dsblock" in load else []
        words += [f"DSBUFS({load['dsbufs']})"] if "dsbufs" in load else []
    else:
        words.append("OFFLOAD(DB2)")
    return " ".join([*words, EVERYTHING] if load.get("everything") else words)


def shared_queue(name: str, structure_name: str) -> str:
    """Return the definition of a shared queue that is never full."""
    place = f"QSGDISP(SHARED) CFSTRUCT({structure_name})"
    return f"DEFINE QLOCAL('{name}') {place} MAXDEPTH({DEPTH_MAX}) MAXMSGL({MESSAGE_MAX})"


def round_trips(load: dict[str, Any], subject: Subject, prefix: str) -> Arrangement:
    """Requesters and servers around shared queues."""
    made = Arrangement("driver", "round trips")
    members = subject.members[: int(load.get("members", 1))]
    asking, serving = members, members
    if load.get("apart"):
        asking = members[: max(1, len(members) // REQUESTERS_SHARE)]
        serving = members[len(asking) :] or members
    pace, requesters = load.get("pace"), int(load.get("requesters", 1))
    for pair in range(int(load.get("pairs", 1))):
        name = _structure_of(prefix, pair if load.get("structures") == "many" else 0)
        if pair == 0 or load.get("structures") == "many":
            made.definitions.append(structure(name, load, subject.home))
        for place, member in enumerate(asking):
            target = (place + 1) % len(members) if load.get("data_sharing") else 0
            queues = {"requests": f"{prefix}ASK.{pair}.{target}", "replies": f"{prefix}REPLY.{pair}"}
            for _ in range(requesters):
                made.specs.append(Spec("driver", "request", {**_about(load, member), **queues, "pace": pace}))
        for place, member in enumerate(serving):
            served = place if load.get("data_sharing") else 0
            about: dict[str, Any] = {"way": member.way("local")}
            about["requests"] = f"{prefix}ASK.{pair}.{served}"
            about |= {"persistent": bool(load.get("persistent")), "unit": bool(load.get("unit"))}
            made.specs += [Spec("server", "serve", about)] * int(load.get("servers", SERVERS))
        targets = range(len(members) if load.get("data_sharing") else 1)
        queues_ = [f"{prefix}ASK.{pair}.{target}" for target in targets]
        _define(made, [*queues_, f"{prefix}REPLY.{pair}"], name, subject)
    rated(made, pace, requesters * len(asking) * int(load.get("pairs", 1)))
    made.messages = 2.0
    return made


def _about(load: dict[str, Any], member: Subject) -> dict[str, Any]:
    size, persistent = int(load.get("bytes", 2048)), bool(load.get("persistent"))
    return {"way": member.way("local"), "size": size, "persistent": persistent}


def _structure_of(prefix: str, number: int) -> str:
    return f"{prefix.replace('.', '')}S{number}"


def _define(made: Arrangement, queues: list[str], structure_name: str, subject: Subject) -> None:
    """Define queues at the first member, and wait until the others know them."""
    made.definitions += [shared_queue(queue, structure_name) for queue in queues]
    made.awaited += [
        Awaited(each.name, f"DISPLAY QLOCAL('{queue}')") for each in subject.others for queue in queues
    ]
