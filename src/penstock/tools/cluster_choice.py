"""Why an instance of a cluster queue gets messages or does not: the rules of the choice, one after another.

The rules are those of `qmgr.clusters.choice.eligible`, each with a sentence; a test compares both. The facts
come from DISPLAY commands of the queue manager where programs put. Chooses and changes nothing.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from penstock.qmgr.clusters.choice import CLASS_OF, Instance
from penstock.tools import cluster_facts
from penstock.tools.channel_facts import displayed, mqsc_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.face.blocking import BlockingQueueManager

USED_DAYS = 30  # a record is used for so long after its owner last sent it
DAY_SECONDS = 86_400
CHOSEN = "gets messages"


def explained(qm: BlockingQueueManager, queue: str) -> dict[str, Any]:
    """Return how a name is resolved, and each instance of the cluster queue with what decided about it."""
    route = qm.explain_route(queue)
    name = (route["remote_queue"] or route["queue"]) if route["leads"] else queue
    found, old = _instances(qm, name)
    if found and not route["leads"]:  # asking for it has asked the full repositories, which have answered
        route = qm.explain_route(queue)
    manager = displayed(qm, "DISPLAY QMGR CLWLUSEQ CLWLMRUC")[0]
    local = displayed(qm, f"DISPLAY QUEUE({mqsc_name(name)}) ALL")
    use = str(local[0].get("CLWLUSEQ", "LOCAL")) if local else "LOCAL"  # an alias here is preferred
    use_local = (manager["CLWLUSEQ"] if use == "QMGR" else use) == "LOCAL"
    verdicts = decided(found, use_local)
    rows = [_shown(each, id(each) not in verdicts, verdicts.get(id(each), CHOSEN)) for each in found]
    rows += [_shown(each, False, f"nothing arrived from its owner for {USED_DAYS} days") for each in old]
    return {
        "queue": name,
        "at": qm.name,
        "leads": route["leads"],
        "text": route.get("text", ""),
        "put_inhibited_by": route.get("put_inhibited_by", ""),
        "recent_max": manager["CLWLMRUC"],
        "instances": rows,
    }


def decided(instances: list[Instance], use_local: bool) -> dict[int, str]:
    """Return the rule that dropped each instance, by identity; those that are left are eligible."""
    dropped: dict[int, str] = {}
    left = instances
    for rule, keeps in _rules(use_local):
        kept = keeps(left)
        dropped.update((id(each), rule(each)) for each in left if not any(each is one for one in kept))
        left = kept
        if use_local and rule is _is_elsewhere and any(each.local for each in left):
            break
    return dropped


def _is_elsewhere(each: Instance) -> str:
    return "the local queue is preferred (CLWLUSEQ(LOCAL))"


def _rules(use_local: bool) -> list[tuple[Callable[[Instance], str], Callable[[list[Instance]], Any]]]:
    """Return the rules in order: why one is dropped, and which are kept."""
    return [
        (lambda each: f"its channel has the lower CLWLRANK({each.channel_rank})", _top("channel_rank")),
        (lambda each: f"the queue has the lower CLWLRANK({each.queue_rank}) there", _top("queue_rank")),
        (lambda each: "PUT(DISABLED) there", lambda left: [e for e in left if e.put_enabled] or left),
        (
            _is_elsewhere,
            lambda left: ([e for e in left if e.local][:1] or left) if use_local else left,
        ),
        (
            lambda each: "its queue manager is suspended",
            lambda left: [e for e in left if not e.suspended] or left,
        ),
        (lambda each: f"its channel is {each.state}, others are better", _best_state),
        (lambda each: f"another channel to it has a higher NETPRTY than {each.net_priority}", _net_priority),
        (
            lambda each: f"its channel has the lower CLWLPRTY({each.channel_priority})",
            _top("channel_priority"),
        ),
        (
            lambda each: f"the queue has the lower CLWLPRTY({each.queue_priority}) there",
            _top("queue_priority"),
        ),
    ]


def _top(name: str) -> Callable[[list[Instance]], list[Instance]]:
    def kept(left: list[Instance]) -> list[Instance]:
        highest = max((getattr(each, name) for each in left), default=0)
        return [each for each in left if getattr(each, name) == highest]

    return kept


def _best_state(left: list[Instance]) -> list[Instance]:
    best = min((CLASS_OF.get(each.state, 0) for each in left), default=0)
    return [each for each in left if CLASS_OF.get(each.state, 0) == best]


def _net_priority(left: list[Instance]) -> list[Instance]:
    return [
        each
        for each in left
        if each.net_priority == max(one.net_priority for one in left if one.qmid == each.qmid)
    ]


def _instances(qm: BlockingQueueManager, queue: str) -> tuple[list[Instance], list[Instance]]:
    """Return the instances by all channels that lead to them, and those whose record is too old."""
    found: list[Instance] = []
    old: list[Instance] = []
    members = displayed(qm, "DISPLAY CLUSQMGR(*) ALL")
    for row in cluster_facts.instances_of(qm, queue=queue):
        for member in members:
            if (member["CLUSTER"], member["QMID"]) != (row["CLUSTER"], row["QMID"]):
                continue
            made = _instance(row, member)
            if made.local and any(each.local for each in found):
                continue  # in several clusters, but one queue
            (found if made.local or _is_recent(row) else old).append(made)
    return found, old


def _is_recent(row: dict[str, Any]) -> bool:
    heard = time.mktime(time.strptime(f"{row['CLUSDATE']} {row['CLUSTIME']}", "%Y-%m-%d %H.%M.%S"))
    return time.time() - heard < USED_DAYS * DAY_SECONDS


def _instance(queue: dict[str, Any], member: dict[str, Any]) -> Instance:
    local = member["DEFTYPE"] == "CLUSRCVR"
    return Instance(
        cluster=member["CLUSTER"],
        qmid=member["QMID"],
        qmgr=member["CLUSQMGR"],
        channel=member["CHANNEL"],
        local=local,
        put_enabled=queue["PUT"] != "DISABLED",
        queue_rank=queue["CLWLRANK"] or 0,
        queue_priority=queue["CLWLPRTY"] or 0,
        channel_rank=member["CLWLRANK"] or 0,
        channel_priority=member["CLWLPRTY"] or 0,
        weight=member["CLWLWGHT"] or 50,
        net_priority=member["NETPRTY"] or 0,
        suspended=member["SUSPEND"] == "YES",
        state="INACTIVE" if local else member["STATUS"],
    )


def _shown(each: Instance, chosen: bool, rule: str) -> dict[str, Any]:
    refused = "PUT(DISABLED), and no other of its rank takes puts: they fail with 2268"
    return {
        "qmgr": each.qmgr,
        "cluster": each.cluster,
        "channel": each.channel,
        "state": "local" if each.local else each.state,
        "weight": each.weight,
        "chosen": chosen and each.put_enabled,
        "rule": refused if chosen and not each.put_enabled else rule,
    }
