"""A random publish/subscribe cluster: real queue managers in one process, whose channels stop and go on.

Subscriptions come and go, topics are defined, changed and deleted, members restart, cannot be reached, leave
and join. After the faults every member holds exactly the proxies that the others want from it, and each
publication reaches every subscriber of its topic in the cluster once. While the faults last, nobody gets a
publication twice.

Replay a seed: python -m tests.simulation.publications --seed 17
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from pathlib import Path
from typing import Any

from penstock.model.errors import MQError
from penstock.qmgr.pubsub.relation import MEMBER_KEY
from tests.pubsub_network import CLUSTER, Network, bodies, run
from tests.simulation.channels import Violation

NAMES = ("A", "B", "C", "D")
TOPICS = ("d", "d/1", "h", "h/1", "other")
PATTERNS = ("d/#", "d/1/x", "h/#", "h/1/x", "+/1/#", "#", "other/x")
PUBLISHED = ("d/x", "d/1/x", "h/x", "h/1/x", "other/x")
HEALED_ROUNDS = 4


class World:
    """Four members, of which the last two may leave."""

    def __init__(self, seed: int, home: Path) -> None:
        self.chance = random.Random(seed)
        self.network = Network(home, *NAMES)
        self.subscriptions: dict[str, tuple[str, str, Any]] = {}  # durable, by name: where, pattern, handle
        self.got: dict[str, list[bytes]] = {}
        self.number = 0
        for name in NAMES:
            self.network.join(name, "B" if name == "A" else "A", full=name in "AB")
        self.network.run()

    # -- what can happen -------------------------------------------------------------------

    def act(self) -> None:
        actions = [
            self._define,
            self._delete,
            self._subscribe,
            self._unsubscribe,
            self._publish,
            self._away,
            self._back,
            self._restart,
            self._leave,
            self._join,
            self.network.run,
        ]
        self.chance.choices(actions, [3, 1, 5, 2, 8, 1, 1, 0.7, 0.4, 0.8, 4])[0]()

    def _define(self) -> None:
        topic = self.chance.choice(TOPICS[:4])
        route = "DIRECT" if topic[0] == "d" else "TOPICHOST"
        name = f"{topic.replace('/', '.').upper()}"
        text = f"DEFINE TOPIC({name}) TOPICSTR('{topic}') CLUSTER({CLUSTER}) CLROUTE({route}) REPLACE"
        run(self.network[self.chance.choice(NAMES)], text)

    def _delete(self) -> None:
        name = self.chance.choice(TOPICS[:4]).replace("/", ".").upper()
        self.network[self.chance.choice(NAMES)].mqsc(f"DELETE TOPIC({name})")

    def _subscribe(self) -> None:
        self.number += 1
        where, pattern = self.chance.choice(NAMES), self.chance.choice(PATTERNS)
        name = f"S{self.number}"
        handle = self.network[where].subscribe(pattern, durable=name)
        self.subscriptions[name] = where, pattern, handle
        self.got[name] = []

    def _unsubscribe(self) -> None:
        if self.subscriptions:
            name = self.chance.choice(sorted(self.subscriptions))
            where, _, handle = self.subscriptions.pop(name)
            handle.close()
            self.network[where].unsubscribe(name)

    def _publish(self) -> None:
        self.number += 1
        qm = self.network[self.chance.choice(NAMES)]
        qm.publish(self.chance.choice(PUBLISHED), b"%d" % self.number, persistent=self.chance.random() < 0.7)

    def _away(self) -> None:
        if not self.network.away:
            self.network.depart(self.chance.choice(NAMES))

    def _back(self) -> None:
        for name in sorted(self.network.away):
            self.network.come_back(name)

    def _restart(self) -> None:
        name = self.chance.choice(NAMES)
        mine = [each for each, (where, _, _) in self.subscriptions.items() if where == name]
        self.collect()
        self.network[name].close()
        self.network.start(name)
        for each in mine:
            handle = self.network[name].subscribe(durable=each)
            self.subscriptions[each] = name, self.subscriptions[each][1], handle

    def _leave(self) -> None:
        name = self.chance.choice(NAMES[2:])
        qm = self.network[name]
        for topic in TOPICS:
            qm.mqsc(f"DELETE TOPIC({topic.replace('/', '.').upper()})")
        qm.mqsc(f"DELETE CHANNEL(TO.{name})")

    def _join(self) -> None:
        for name in NAMES[2:]:
            qm = self.network[name]
            if not qm.engine.clusters.inside:
                run(qm, f"DEFINE CHANNEL(TO.{name}) CHLTYPE(CLUSRCVR) CONNAME('{name}') CLUSTER({CLUSTER})")

    # -- what must hold --------------------------------------------------------------------

    def collect(self) -> None:
        """Take what has arrived; nobody gets a publication twice."""
        for name, (_, _, handle) in self.subscriptions.items():
            self.got[name] += bodies(handle)
            if len(set(self.got[name])) != len(self.got[name]):
                raise Violation(f"{name} got a publication twice: {self.got[name]}")

    def run(self, steps: int) -> None:
        for _ in range(steps):
            try:
                self.act()
            except MQError as refused:
                if refused.reason not in (2051, 2087, 2502, 3368):
                    raise
        self._back()
        self._join()
        for _ in range(HEALED_ROUNDS):
            self.network.run()
            self.network.tick()
        self.collect()
        self.check_proxies()
        for topic in PUBLISHED:
            for name in NAMES:
                self.check_publication(name, topic)

    def check_proxies(self) -> None:
        """Compare what members hold for each other with what they want from each other."""
        neighbours = {name: self.network[name].engine.pubsub.neighbours for name in NAMES}
        for own, mine in neighbours.items():
            for relation in mine.links.relations.values():
                other = neighbours[relation.name]
                held = set(other.demand.held.get(MEMBER_KEY + mine.qmid, ()))
                wanted = {
                    each
                    for each in mine.demand.everything()
                    if mine.demand.from_relation(relation, each) and mine.links.concerns(relation, each)
                }
                if held != wanted:
                    raise Violation(f"{relation.name} holds {held} for {own}, which wants {wanted}")

    def check_publication(self, where: str, topic: str) -> None:
        """Publish once: every subscriber whose pattern fits gets it, at other members if it is clustered."""
        self.number += 1
        body = b"%d" % self.number
        settings = self.network[where].engine.pubsub.tree.settings_at(topic)
        self.network[where].publish(topic, body, persistent=True)
        self.network.run()
        before = {name: len(found) for name, found in self.got.items()}
        self.collect()
        for name, (at, _, _) in self.subscriptions.items():
            pattern = self.network[at].engine.pubsub.subscriptions[name].pattern
            expected = pattern.fits(topic) and (at == where or bool(settings.values["CLUSTER"]))
            new = self.got[name][before[name] :]
            if new != [body] * expected:
                cluster = settings.values["CLUSTER"]
                what = f"{body!r} on {topic} at {where}, cluster '{cluster}'"
                raise Violation(f"{name} to {pattern.text} at {at} got {new} of {what}")


def simulate(seed: int, home: Path, steps: int = 60) -> None:
    """Run one seed; a Violation says how to replay it."""
    world = World(seed, home)
    try:
        world.run(steps)
    except Violation as failure:
        raise Violation(
            f"{failure}\nreplay: python -m tests.simulation.publications --seed {seed} --steps {steps}"
        ) from failure
    finally:
        world.network.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--count", type=int, default=1)
    parser.add_argument("--steps", type=int, default=60)
    given = parser.parse_args()
    for seed in range(given.seed, given.seed + given.count):
        with tempfile.TemporaryDirectory() as home:
            try:
                simulate(seed, Path(home), given.steps)
            except Violation as failure:
                sys.exit(f"seed {seed}: {failure}")
    print(f"{given.count} seed(s) without a violation")


if __name__ == "__main__":
    main()
