"""How a flow, of the catalogue or a user's own, becomes roles: its copies, its client, others around it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.lab.flows.aggregation import QUEUES
from penstock.lab.load.roles import Spec

if TYPE_CHECKING:
    from penstock.lab.load.system_under_test import Subject

DEPTH_MAX = 999_999_999
SUBSCRIBERS = {f"publication_topic_{count}": count for count in (1, 10, 100, 1000)}
FILTERS = 10
FIRST = 4  # messages of each copy that go through before the start


def flow(load: dict[str, Any], subject: Subject, prefix: str) -> tuple[list[str], list[Spec]]:
    """Return definitions and roles of a flow test."""
    name, way = str(load["flow"]), subject.way("local")
    if name == "aggregation":
        return _aggregation(load, way, prefix, str(subject.home))
    about = {"name": name, "prefix": prefix, "bytes": int(load.get("bytes", 1024))}
    if "project" in load:
        about["project"] = load["project"]
    target = f"{prefix}OUT"
    definitions = [_queue(f"{prefix}IN"), _queue(target)]
    specs = _copies(load, way, about, f"{subject.home}/{prefix}flow")
    if name in SUBSCRIBERS:
        names = [f"{prefix}S{number}" for number in range(SUBSCRIBERS[name])]
        definitions += [_queue(each) for each in names]
        definitions += [f"DEFINE SUB('{each}') TOPICSTR('{prefix}TOPIC') DEST('{each}')" for each in names]
        target = names[0]
        if names[1:]:
            specs.append(Spec("drain", "drain", {"way": way, "queues": names[1:]}))
    elif name == "publication_content":
        wanted = [f"Body.CSIM.A1 = ''{'a' if number == 0 else f'no{number}'}''" for number in range(FILTERS)]
        for number, selector in enumerate(wanted):
            each = f"{prefix}S{number}"
            about_ = f"TOPICSTR('{prefix}TOPIC') DEST('{each}') SELECTOR('{selector}')"
            definitions += [_queue(each), f"DEFINE SUB('{each}') {about_}"]
        target = f"{prefix}S0"
    if "source" in load:  # a user's own flow names its own queues
        definitions = [f"{_queue(each)} REPLACE" for each in sorted(set(load["others"]))]
    bodies = {"files": load["files"]} if "files" in load else about
    source = load.get("source", f"{prefix}IN")
    client: dict[str, Any] = {
        "way": way,
        "source": source,
        "target": load.get("target", target),
        "bodies": bodies,
    }
    client |= {"outstanding": int(load.get("outstanding", 8)), "persistent": bool(load.get("persistent"))}
    client["first"] = FIRST * int(load.get("copies", 1))
    return definitions, [*specs, Spec("client", "client", client)]


def _copies(load: dict[str, Any], way: dict[str, str], about: dict[str, Any], folder: str) -> list[Spec]:
    instances = int(load.get("instances", 1))
    return [
        Spec(
            "flow", "flow", {"way": way, "flow": about, "folder": f"{folder}{number}", "instances": instances}
        )
        for number in range(int(load.get("copies", 1)))
    ]


def _aggregation(
    load: dict[str, Any], way: dict[str, str], prefix: str, home: str
) -> tuple[list[str], list[Spec]]:
    definitions = [_queue(f"{prefix}{name}") for name in QUEUES]
    about = {
        "prefix": prefix,
        "transaction": load.get("transaction", "yes"),
        "control": load.get("control", False),
    }
    one = load.get("flows") == 1
    names = ("both",) if one else ("fan_out", "fan_in")
    specs = []
    for name in names:
        instances = 1 if name == "fan_out" else int(load.get("instances", 1 if one else 4))
        arguments = {"way": way, "flow": {**about, "name": name}, "folder": f"{home}/{prefix}{name}"}
        specs.append(Spec("flow", "flow", {**arguments, "instances": instances}))
    specs.append(
        Spec("copier", "copy", {"way": way, "requests": f"{prefix}REQUESTS", "replies": f"{prefix}REPLIES"})
    )
    bodies = {"name": "trivial", "bytes": int(load.get("bytes", 1024))}
    client: dict[str, Any] = {"way": way, "source": f"{prefix}IN", "target": f"{prefix}OUT", "bodies": bodies}
    client |= {"outstanding": int(load.get("outstanding", 16)), "persistent": bool(load.get("persistent"))}
    return definitions, [*specs, Spec("client", "client", client)]


def _queue(name: str) -> str:
    return f"DEFINE QLOCAL('{name}') MAXDEPTH({DEPTH_MAX})"
