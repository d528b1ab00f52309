"""Works: how a test's load becomes roles around queues and topics. One function a work.

An arrangement has the definitions, the roles, and the measured role. Names begin with a prefix
of the step, so that steps on one server do not share queues. No clock and no connections here.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from penstock.lab.load.flow_works import flow
from penstock.lab.load.roles import Spec

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.lab.load.system_under_test import Subject

DEPTH_MAX = 999_999_999
PROCESSES = 4  # of rated applications, which are threads
THREADS_A_PROCESS = 500


@dataclass
class Arrangement:
    """What a step needs: definitions, roles, and whose operations are the figure."""

    measured: str
    unit: str
    definitions: list[str] = field(default_factory=list)
    specs: list[Spec] = field(default_factory=list)
    offered: float = 0.0  # operations a second that rated applications mean to do
    kinds: int = 1  # of times: three for rated roles
    threads: bool = False  # all roles are threads of one process, with the queue manager in it
    messages: float = 1.0  # messages that one operation moves


def queue(name: str, attributes: str = "") -> str:
    """Return the definition of a queue that is never full."""
    return f"DEFINE QLOCAL('{name}') MAXDEPTH({DEPTH_MAX}) {attributes}"


def arrangement(load: dict[str, Any], subject: Subject, prefix: str) -> Arrangement:
    """Return the arrangement of a load."""
    made = WORKS[load["work"]](load, subject, prefix)
    made.threads = load.get("via") == "embedded"
    return made


def round_trip(load: dict[str, Any], subject: Subject, prefix: str) -> Arrangement:
    """Driving applications and server applications around two common queues, or a pair of queues for each."""
    applications, pace = int(load.get("applications", 1)), load.get("pace")
    way, persistent = subject.way(load["via"]), bool(load.get("persistent"))
    made = Arrangement("driver", "round trips")
    pairs = range(applications) if load.get("pairs") else range(1)
    for pair in pairs:
        made.definitions += [queue(f"{prefix}REQUESTS.{pair}"), queue(f"{prefix}REPLIES.{pair}")]
        server: dict[str, Any] = {
            "way": subject.way(load.get("server_via", load["via"])),
            "requests": f"{prefix}REQUESTS.{pair}",
        }
        server |= {"unit": bool(load.get("unit")), "persistent": persistent}
        made.specs += [Spec("server", "serve", server)] * int(load.get("servers", 1))
    for number, share in enumerate(_shares(applications, bool(pace))):
        pair = number if load.get("pairs") else 0
        about: dict[str, Any] = {
            "way": way,
            "requests": f"{prefix}REQUESTS.{pair}",
            "replies": f"{prefix}REPLIES.{pair}",
        }
        about |= {"size": int(load.get("bytes", 2048)), "persistent": persistent}
        if load.get("own_queue"):
            about |= {"own_queue": True, "replies": f"{prefix}REPLIES.{number}"}
            made.definitions += [queue(f"{prefix}REPLIES.{number}.{place}") for place in range(share)]
        made.specs.append(Spec("driver", "request", {**about, "applications": share, "pace": pace}))
    _rated(made, pace, applications)
    return made


def sessions(load: dict[str, Any], subject: Subject, prefix: str) -> Arrangement:
    """Short sessions: connect, some round trips, disconnect."""
    applications, pace = int(load.get("applications", 1)), load.get("pace")
    made = Arrangement("driver", "sessions", [queue(f"{prefix}REQUESTS"), queue(f"{prefix}REPLIES")])
    way, names = subject.way(load["via"]), {"requests": f"{prefix}REQUESTS"}
    made.specs += [Spec("server", "serve", {"way": way, **names})] * 5
    about: dict[str, Any] = {
        "way": way,
        **names,
        "replies": f"{prefix}REPLIES",
        "size": int(load.get("bytes", 2048)),
    }
    about["round_trips"] = int(load.get("round_trips", 5))
    for share in _shares(applications, bool(pace)):
        made.specs.append(Spec("driver", "session", {**about, "applications": share, "pace": pace}))
    _rated(made, pace, applications)
    return made


def one_way(load: dict[str, Any], subject: Subject, prefix: str) -> Arrangement:
    """A producer and a consumer for each of some queues."""
    pairs, pace = int(load.get("pairs", 1)), load.get("pace")
    way = subject.way(load["via"])
    made = Arrangement("producer", "messages")
    attributes = "DEFPRESP(ASYNC)" if load.get("asynchronous") else ""
    attributes += " DEFREADA(YES)" if load.get("read_ahead") else ""
    for pair in range(pairs):
        name = f"{prefix}Q.{pair}"
        made.definitions.append(queue(name, attributes))
        about: dict[str, Any] = {
            "way": way,
            "queue": name,
            "size": int(load.get("bytes", 2048)),
            "pace": pace,
        }
        about |= {"persistent": bool(load.get("persistent")), "consumers": f"consumer.{pair}"}
        made.specs += [Spec("producer", "put", about)]
        made.specs += [Spec(f"consumer.{pair}", "get", {"way": way, "queue": name})]
    _rated(made, pace, pairs)
    return made


def publish(load: dict[str, Any], subject: Subject, prefix: str) -> Arrangement:
    """Publishers and subscribers of one topic, or of a topic for each publisher."""
    publishers, pace = int(load.get("publishers", 1)), load.get("pace")
    subscribers = int(load.get("subscribers", 0))
    way, persistent = subject.way(load["via"]), bool(load.get("persistent"))
    theirs = subject.way(load.get("subscriber_via", load["via"]))
    made = Arrangement("publisher", "publications")
    each = int(load.get("subscribers_per_topic", 0))
    for number in range(publishers if load.get("own_topic") else 1):
        topic = f"{prefix}TOPIC/{number}"
        for place in range(each or subscribers):
            durable = f"{prefix}S.{number}.{place}" if persistent else ""
            made.specs.append(
                Spec(f"subscriber.{number}", "subscribe", {"way": theirs, "topic": topic, "durable": durable})
            )
    for number in range(publishers):
        own = number if load.get("own_topic") else 0
        about: dict[str, Any] = {
            "way": way,
            "topic": f"{prefix}TOPIC/{own}",
            "size": int(load.get("bytes", 2048)),
        }
        about |= {"persistent": persistent, "pace": pace, "consumers": f"subscriber.{own}"}
        made.specs.append(Spec("publisher", "publish", about))
    made.messages = 1.0 + (each or subscribers)
    _rated(made, pace, publishers)
    return made


def connections(load: dict[str, Any], subject: Subject, prefix: str) -> Arrangement:
    """Many clients that do little: one round trip in a long time each."""
    made = round_trip({"servers": 5, **load}, subject, prefix)
    if int(load.get("conversations", 1)) > 1:
        for spec in made.specs:
            spec.arguments["way"] = {**spec.arguments["way"], "share": "yes"}
    made.unit = "round trips"
    return made


def _shares(applications: int, rated: bool) -> list[int]:
    """Share rated applications out among processes; others have a process each."""
    if not rated:
        return [1] * applications
    processes = min(applications, max(PROCESSES, -(-applications // THREADS_A_PROCESS), os.cpu_count() or 1))
    return [applications // processes + (place < applications % processes) for place in range(processes)]


def _rated(made: Arrangement, pace: dict[str, Any] | None, applications: int) -> None:
    made.kinds = 3 if pace else 1
    if pace:
        made.offered = applications * (pace["rate"] if "rate" in pace else 1 / pace["every_s"])


def flow_arrangement(load: dict[str, Any], subject: Subject, prefix: str) -> Arrangement:
    """A flow, its client, and their surroundings."""
    definitions, specs = flow(load, subject, prefix)
    return Arrangement("client", "messages", definitions, specs, messages=2.0)


def replay(load: dict[str, Any], subject: Subject, prefix: str) -> Arrangement:
    """Recorded traffic: one application that puts, and a getter for each queue."""
    rows = [
        [offset, f"{prefix}{queue_}", size, persistent] for offset, queue_, size, persistent in load["rows"]
    ]
    way, made = subject.way(load["via"]), Arrangement("replayer", "messages", kinds=3)
    for name in sorted({row[1] for row in rows}):
        made.definitions.append(queue(name))
        made.specs.append(Spec("consumer", "get", {"way": way, "queue": name}))
    made.specs.append(Spec("replayer", "replay", {"way": way, "rows": rows, "speed": load["speed"]}))
    return made


WORKS: dict[str, Callable[[dict[str, Any], Subject, str], Arrangement]] = {
    "round_trip": round_trip,
    "sessions": sessions,
    "one_way": one_way,
    "publish": publish,
    "connections": connections,
    "flow": flow_arrangement,
    "replay": replay,
}
