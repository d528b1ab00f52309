"""Queue managers in this process that exchange publications, for tests of hierarchies and clusters.

`Network.run` moves messages from transmission queues as channels do: each batch in one unit of the receiver.
Time passes by `tick` only.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import penstock
from penstock.model.errors import MQError
from penstock.model.onward import original
from penstock.qmgr.channels import delivery
from penstock.qmgr.clusters.cluster_names import SHARED
from penstock.qmgr.pubsub.neighbours import RETRY_SECONDS
from penstock.qmgr.pubsub.relation import PUBS

ROUNDS_MAX = 50
CLUSTER = "NEWS"


class Network:
    """Queue managers that reach each other by transmission queues."""

    def __init__(self, home: Path, *names: str) -> None:
        self.home = home
        self.now = time.time()
        self.qms: dict[str, Any] = {}
        self.away: set[str] = set()
        self.carried = 0  # publications that went through clusters
        for name in names:
            self.start(name)
            for other in names:
                if other != name:
                    run(self.qms[name], f"DEFINE QLOCAL({other}) USAGE(XMITQ) MAXDEPTH(99999)")
            run(self.qms[name], "DEFINE QLOCAL(DLQ)\nALTER QMGR DEADQ(DLQ)")

    def start(self, name: str) -> None:
        self.qms[name] = penstock.embed(name, create=True, home=self.home, file_pages=64, primary_files=2)

    def __getitem__(self, name: str) -> Any:
        return self.qms[name]

    def tick(self) -> None:
        """Let time pass: long enough for everything that is done again."""
        self.now += RETRY_SECONDS + 1
        for qm in self.qms.values():
            with qm.gate:
                qm.engine.step.begin()
                qm.engine.tick(self.now)
                while qm.engine.pubsub.queued.long:
                    qm.engine.pubsub.queued.go_on(self.now)
                while qm.engine.pubsub.left:
                    qm.engine.pubsub.deliver_left(self.now)
                qm.engine.step.end()
            qm.session.finish(qm.host.journal.end)

    def run(self, commit: bool = True) -> None:
        """Move messages until nothing moves."""
        for _ in range(ROUNDS_MAX):
            self.tick()
            moved = sum(self._move(source, target, commit) for source in self.qms for target in self.qms)
            moved += sum(self._move_in_clusters(source) for source in self.qms)
            if not moved:
                return
        raise AssertionError("messages go round and round")

    def _move(self, source: str, target: str, commit: bool) -> int:
        queue = self.qms[source].engine.queues.get(target)
        if source == target or queue is None or not queue.depth:
            return 0
        batch = [*self.qms[source].get_many(target, 1000)]
        return self._deliver(source, target, batch, delivery.EVERYWHERE, commit)

    def _deliver(self, source: str, target: str, batch: list[Any], how: Any, commit: bool) -> int:
        qm = self.qms[target]
        with qm.gate:
            engine = qm.engine
            engine.step.begin()
            unit = engine.new_unit(None, self.now)
            places = delivery.Destinations(engine, how)
            places.partner = str(self.qms[source].engine.definition.attributes["QMID"])
            places.partner_name = source
            for message in batch:
                onward, inner = original(message, self.now)
                try:
                    delivery.put(engine, places, onward, inner, unit, self.now)
                except MQError as failure:
                    delivery.give_up(engine, onward, inner, failure, unit, self.now)
            (engine.commit if commit else engine.backout)(unit, self.now)
            engine.durable(engine.journal.end)
            while engine.clusters.apply_arrivals(self.now):
                pass
            engine.step.end()
        qm.session.finish(qm.host.journal.end)
        return len(batch)

    def _move_in_clusters(self, source: str) -> int:
        """Move what is on the cluster transmission queue; what is for a queue manager that is away stays."""
        queue, by_target = self.qms[source].engine.queues[SHARED], dict[str, list[Any]]()
        for message in list(queue.messages()):
            target = message.correl_id.decode().strip().removeprefix("TO.")
            if target in self.qms and target not in self.away and message.state == 0:
                by_target.setdefault(target, []).append(message)
        for target, waiting in by_target.items():
            batch = [self.qms[source].get(SHARED, msg_id=each.msg_id) for each in waiting]
            self.carried += sum(each.onward.queue == PUBS for each in waiting)
            self._deliver(
                source, target, batch, delivery.Delivery(channel=f"TO.{target}", clusters=(CLUSTER,)), True
            )
        return sum(len(each) for each in by_target.values())

    def join(self, name: str, repository: str, full: bool = False) -> None:
        """Have a queue manager join the cluster."""
        repos = f"ALTER QMGR REPOS({CLUSTER})\n" if full else ""
        run(
            self.qms[name],
            f"{repos}DEFINE CHANNEL(TO.{name}) CHLTYPE(CLUSRCVR) CONNAME('{name}') CLUSTER({CLUSTER})\n"
            f"DEFINE CHANNEL(TO.{repository}) CHLTYPE(CLUSSDR) CONNAME('{repository}') CLUSTER({CLUSTER})",
        )

    def depart(self, name: str) -> None:
        """Make a queue manager unreachable, as its partners see it."""
        self.away.add(name)
        for qm in self.qms.values():
            qm.engine.clusters.channel_changed(f"TO.{name}", "RETRYING")

    def come_back(self, name: str) -> None:
        """Make a queue manager reachable again."""
        self.away.discard(name)
        for qm in self.qms.values():
            qm.engine.clusters.channel_changed(f"TO.{name}", "RUNNING")

    def close(self) -> None:
        for qm in self.qms.values():
            qm.close()


def run(qm: Any, text: str) -> list[Any]:
    """Run MQSC that must work; return its replies."""
    replies = qm.mqsc(text)
    assert not [f"{each.id} {each.text}" for each in replies if each.failed]
    return list(replies)


def rows(qm: Any, text: str) -> list[dict[str, Any]]:
    return [dict(each.attributes) for each in run(qm, text) if each.attributes]


def bodies(subscription: Any) -> list[bytes]:
    """Return what a subscription has got."""
    found = []
    while (message := subscription.get(wait=0.0)) is not None:
        found.append(message.body)
    return found
