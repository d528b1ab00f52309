"""Loads of a cluster: round trips to instances at other members, and publications that go to other members.

Names of cluster queues are unique in the cluster, so replies find their queue by its name alone.
Subscriptions are administrative ones with a queue each, defined before the roles begin: a publication is then
lost by nobody. No clock and no connections here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.lab.load.arrangement import Arrangement, Awaited, queue, rated
from penstock.lab.load.roles import Spec
from penstock.lab.load.several import CLUSTER, FAR, HOST

if TYPE_CHECKING:
    from penstock.lab.load.system_under_test import Subject

SERVERS = 4
TOPIC_HOST = "TOPICHOST"


def round_trips(load: dict[str, Any], subject: Subject, prefix: str) -> Arrangement:
    """Requesters at the first member; an instance of each cluster queue, with servers, at the two others."""
    made = Arrangement("driver", "round trips", messages=2.0)
    fixed, pace = load.get("bind") == "open", load.get("pace")
    replies, size = f"{prefix}REPLIES", int(load.get("bytes", 2048))
    made.definitions.append(queue(replies, f"CLUSTER({CLUSTER})"))
    for number in range(int(load.get("queues", 1))):
        requests = f"{prefix}REQUESTS.{number}"
        binding = f"CLUSTER({CLUSTER}) DEFBIND({'OPEN' if fixed else 'NOTFIXED'})"
        for member in subject.others:
            made.elsewhere[member.name].append(queue(requests, binding))
            about = {"way": member.way("local"), "requests": requests}
            made.specs += [Spec("server", "serve", about)] * int(load.get("servers", SERVERS))
        made.awaited.append(Awaited(subject.name, f"DISPLAY QCLUSTER('{requests}')", len(subject.others)))
        asking: dict[str, Any] = {"way": subject.way("local"), "requests": requests, "replies": replies}
        asking |= {"size": size, "pace": pace, "keeps_open": fixed}
        applications = int(load.get("applications", 1))
        made.specs += [Spec("driver", "request", asking)] * applications
    made.awaited += [Awaited(each.name, f"DISPLAY QCLUSTER('{replies}')") for each in subject.others]
    rated(made, pace, int(load.get("queues", 1)) * int(load.get("applications", 1)))
    return made


def publications(load: dict[str, Any], subject: Subject, prefix: str) -> Arrangement:
    """Publishers at the first member, a topic each; the subscriber of each topic is at another member."""
    made = Arrangement("publisher", "publications", messages=2.0)
    route, pace = str(load.get("route", "DIRECT")), load.get("pace")
    publishers = int(load.get("publishers", 1))
    name, branch = f"{prefix}TOPIC", f"{prefix}NEWS"
    topic = f"DEFINE TOPIC('{name}') TOPICSTR('{branch}') CLUSTER({CLUSTER}) CLROUTE({route})"
    where = HOST if route == TOPIC_HOST else subject.name
    (made.elsewhere[HOST] if where == HOST else made.definitions).append(topic)
    (reader,) = (each for each in subject.others if each.name == FAR)
    for number in range(publishers):
        string, target = f"{branch}/{number}", f"{prefix}NEWS.{number}"
        made.elsewhere[FAR] += [
            queue(target),
            f"DEFINE SUB('{target}') TOPICSTR('{string}') DEST('{target}')",
        ]
        made.awaited.append(Awaited(where, f"DISPLAY SUB(*) WHERE(TOPICSTR EQ '{string}')"))
        made.specs.append(Spec(f"subscriber.{number}", "get", {"way": reader.way("local"), "queue": target}))
        about = {"way": subject.way("local"), "topic": string, "size": int(load.get("bytes", 2048))}
        about |= {"persistent": bool(load.get("persistent")), "pace": pace}
        about["consumers"] = f"subscriber.{number}"
        made.specs.append(Spec("publisher", "publish", about))
    for member in (subject, reader):
        made.awaited.insert(0, Awaited(member.name, f"DISPLAY TCLUSTER('{name}')"))
    rated(made, pace, publishers)
    return made
