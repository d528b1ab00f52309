"""Works: how a test's load becomes roles around queues and topics. One function a work.

Names begin with a prefix of the step, so that steps on one server do not share queues. No clock and no
connections here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.lab.load import cluster_works, distributed_works, shared_works
from penstock.lab.load.arrangement import Arrangement, queue, rated, shares
from penstock.lab.load.flow_works import flow
from penstock.lab.load.roles import Spec

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.lab.load.system_under_test import Subject

ELSEWHERE: dict[tuple[str, str], Callable[[dict[str, Any], Subject, str], Arrangement]] = {
    ("distributed", "round_trip"): distributed_works.round_trips,
    ("distributed", "connections"): distributed_works.round_trips,
    ("cluster", "round_trip"): cluster_works.round_trips,
    ("cluster", "publish"): cluster_works.publications,
    ("group", "round_trip"): shared_works.round_trips,
}
SEVERAL = {via for via, _ in ELSEWHERE}


def arrangement(load: dict[str, Any], subject: Subject, prefix: str) -> Arrangement:
    """Return the arrangement of a load."""
    among_several = ELSEWHERE.get((load.get("via", ""), load["work"]))
    if among_several is not None:
        return among_several(load, subject, prefix)
    made = WORKS[load["work"]](load, subject, prefix)
    made.threads = load.get("via") == "embedded"
    made.trace = str(load.get("trace", ""))
    return made


def round_trip(load: dict[str, Any], subject: Subject, prefix: str) -> Arrangement:
    """Driving applications and server applications around two common queues, or a pair of queues for each."""
    applications, pace = int(load.get("applications", 1)), load.get("pace")
    way, persistent = subject.way(load["via"]), bool(load.get("persistent"))
    made = Arrangement("driver", "round trips")
    pairs = range(applications) if load.get("pairs") else range(1)
    for pair in pairs:
        made.definitions += [queue(f"{prefix}REQUESTS.{pair}"), queue(f"{prefix}REPLIES.{pair}")]
        server: dict[str, Any] = {"requests": f"{prefix}REQUESTS.{pair}", "unit": bool(load.get("unit"))}
        server["persistent"] = persistent
        place = load.get("server_via", load["via"])
        made.add_servers(subject, server, int(load.get("servers", 1)), place)
    for number, share in enumerate(shares(applications, bool(pace))):
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
    rated(made, pace, applications)
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
    for share in shares(applications, bool(pace)):
        made.specs.append(Spec("driver", "session", {**about, "applications": share, "pace": pace}))
    rated(made, pace, applications)
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
    rated(made, pace, pairs)
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
    rated(made, pace, publishers)
    return made


def connections(load: dict[str, Any], subject: Subject, prefix: str) -> Arrangement:
    """Many clients that do little: one round trip in a long time each."""
    made = round_trip({"servers": 5, **load}, subject, prefix)
    if int(load.get("conversations", 1)) > 1:
        for spec in made.specs:
            spec.arguments["way"] = {**spec.arguments["way"], "share": "yes"}
    made.unit = "round trips"
    return made


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
