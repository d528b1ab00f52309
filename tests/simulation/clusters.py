"""A deterministic simulator of clusters: real engines; messages are dropped, doubled and reordered.

Channels are left out (`channels` has them): each message of a cluster transmission queue is a datagram, so
that convergence is shown not to depend on them. Nodes crash, are restored from old copies, have wrong clocks,
define and delete queues, ask for them, join, leave, become full repositories, are suspended and removed by
force. Links are cut in one direction or in both, and the network falls into two parts. After the faults a
core is healed while one member stays away and one link has only one direction; then all is. Each time every
full repository must have exactly what the owners have defined, every partial one the same of what it asked
for; at last the traffic must stop. With three clusters queue managers are members of one or several, by
namelists; one is a full repository of two. No cluster may get to know anything of another one.

Replay a seed: python -m tests.simulation.clusters --seed 17 [--nodes 10] [--bug NAME] [--trace]
"""

from __future__ import annotations

import argparse
import random
import sys
from functools import cache
from hashlib import blake2b
from typing import Any

from penstock.model.errors import MQError
from penstock.model.message import Message
from penstock.qmgr import records
from penstock.qmgr.catalogue.attributes import defaults
from penstock.qmgr.clusters import choice, own_objects, sender_proof
from penstock.qmgr.clusters.cluster_names import COMMAND, SHARED
from penstock.qmgr.clusters.record import DAY, MEMBER, STALE_SECONDS
from penstock.qmgr.clusters.state import RECORD, TARGETS
from penstock.qmgr.engine import Engine
from penstock.qmgr.restart import snapshot
from penstock.qmgr.restart.recovery import Recovery
from tests.simulation.channels import EPOCH, Replaying, SimJournal, Violation
from tests.simulation.cluster_bugs import planted
from tests.simulation.workload_oracle import oracle

CLUSTER = "SIM"
THREE = {CLUSTER: (0, 1), "EAST": (1, 2), "WEST": (3, 4)}  # overlapping clusters, and their full repositories
QUEUES = [f"Q{number}" for number in range(6)]
FORGED, PROMPT = "FORGED", "PROMPT"  # queues: of a stranger's records, and to see how soon others know
STATES = ["RUNNING", "INACTIVE", "BINDING", "RETRYING", "STOPPED"]
ROUND_SECONDS = 700.0  # more than between two digests
HEAL_ROUNDS = 14
OLD_DAYS = STALE_SECONDS / DAY - 10  # clocks differ
DEATH_DAYS = 100  # 90, and days that clocks have lost or messages were under way: ages do not count them
QUIET_MESSAGES = 8  # per member and round, when nothing changes


@cache
def first_state() -> bytes:
    """Return the checkpoint of a new queue manager; its name is not in it."""
    engine = Engine("SIM", SimJournal(), EPOCH)
    engine.make_system_objects(EPOCH)
    engine.durable(engine.journal.end)
    return snapshot.take(engine).pack(lambda: None)


class Node:
    """One queue manager: its engine, its disk and its clock."""

    def __init__(self, world: World, name: str) -> None:
        self.world = world
        self.name = name
        self.journal = SimJournal()
        self.state, self.start_at = first_state(), 0
        self.copy: tuple[Any, ...] | None = None
        self.offset = world.chance.uniform(-86400, 86400)
        self.starts = 0
        self.down = False  # it does not run
        self.said: dict[Any, tuple[int, Any]] = {}  # version and content of its records that were sent last
        self.start()
        self.alter({"QMID": f"{name}_1"})
        self.checkpoint()

    def now(self) -> float:
        return EPOCH + self.world.time + self.offset

    def start(self) -> None:
        self.starts += 1
        replaying = Replaying()
        self.engine = Engine(self.name, replaying, EPOCH + self.starts + self.world.time)
        recovery = Recovery(self.engine)
        recovery.restore(self.state, self.start_at, self.now())
        recovery.load(iter(()))
        for end, kind, payload in self.journal.records:
            if end > self.start_at:
                recovery.apply(kind, payload)
        recovery.finish(self.now())
        self.engine.journal = self.journal
        for kind, head, body in replaying.kept:
            self.journal.append(kind, head, body)
        self.recovered = self.remembered()  # before it looks at its definitions
        self.engine.clusters.restarted(self.now())

    def sync(self) -> None:
        self.journal.durable = self.journal.end
        self.engine.durable(self.journal.end)
        self.engine.wishes.notices.clear()

    def checkpoint(self) -> None:
        """Write a checkpoint if no message is on the way: this simulation has no message files."""
        self.sync()
        if not self.engine.queues[SHARED].depth and not self.engine.queues[COMMAND].depth:
            taken = snapshot.take(self.engine)
            self.state, self.start_at = taken.pack(lambda: None), taken.start
            self.journal.records = [each for each in self.journal.records if each[0] > taken.start]

    def back_up(self) -> None:
        self.checkpoint()
        self.copy = list(self.journal.records), self.journal.end, self.state, self.start_at

    def restore(self) -> None:
        assert self.copy is not None
        records, end, self.state, self.start_at = self.copy
        self.said.clear()
        self.journal.records, self.journal.end, self.journal.durable = list(records), end, end
        self.start()

    def crash(self) -> None:
        durable = self.journal.durable == self.journal.end
        before = self.remembered()
        self.journal.crash(self.world.chance)
        self.start()
        after = self.recovered
        if durable and before != after:
            raise Violation(
                f"{self.name} has forgotten {_short(before - after)}, invented {_short(after - before)}"
            )

    def remembered(self) -> set[str]:
        """Return all that must survive a crash; ages change, and partners may be found anew."""
        return {
            repr(each) for each in self.engine.clusters.state.entries() if each[0] not in (RECORD, TARGETS)
        } | {repr(each[:7]) for each in self.engine.clusters.state.entries() if each[0] == RECORD}

    # -- commands --------------------------------------------------------------------------

    def define(self, kind: str, name: str, subtype: str = "", **values: Any) -> None:
        given = {**defaults(kind, subtype), **values}
        self.engine.define(kind, name, given, self.now(), replace=True)

    def alter(self, changes: dict[str, Any]) -> None:
        self.engine.alter(self.engine.definition, changes, self.now())

    def delete(self, namespace: str, name: str) -> None:
        found = self.engine.objects.find(namespace, name)
        if found is not None:
            self.engine.delete(found, self.now(), purge=True)

    def join(self, repositories: dict[str, str]) -> None:
        """Join clusters, each by one of its full repositories."""
        own = self.named(f"TO.{self.name}", list(repositories))
        self.define("CHANNEL", f"TO.{self.name}", "CLUSRCVR", CHLTYPE="CLUSRCVR", CONNAME=self.name, **own)
        for name in dict.fromkeys(repositories.values()):
            to = self.named(f"TO.{name}", [each for each in repositories if repositories[each] == name])
            self.define("CHANNEL", f"TO.{name}", "CLUSSDR", CHLTYPE="CLUSSDR", CONNAME=name, **to)

    def named(self, name: str, clusters: list[str]) -> dict[str, str]:
        """Return the attributes that put an object into clusters: by a namelist if there are several."""
        if len(clusters) == 1:
            return {"CLUSTER": clusters[0], "CLUSNL": ""}
        self.define("NAMELIST", name, NAMES=tuple(clusters))
        return {"CLUSTER": "", "CLUSNL": name}

    def leave(self) -> None:
        for queue in QUEUES:
            self.delete("QUEUE", queue)
        self.delete("CHANNEL", f"TO.{self.name}")

    def inside(self, cluster: str = CLUSTER) -> bool:
        return cluster in self.engine.clusters.inside

    def full(self, cluster: str = CLUSTER) -> bool:
        return bool(self.engine.clusters.is_full(cluster))

    def set_repository(self, clusters: list[str]) -> None:
        """Make it a full repository of exactly these clusters."""
        if len(clusters) > 1:
            self.define("NAMELIST", "REPOS", NAMES=tuple(clusters))
        several = len(clusters) > 1
        self.alter({"REPOS": "" if several or not clusters else clusters[0], "REPOSNL": "REPOS" * several})

    # -- messages --------------------------------------------------------------------------

    def take_outgoing(self) -> list[tuple[str, bytes]]:
        """Return target and body of the messages that may leave: they are on disk, and there is a link."""
        queue, found, now = self.engine.queues[SHARED], [], self.now()
        for message in list(queue.messages()):
            target = message.correl_id.decode().strip().removeprefix("TO.")
            expired = message.expires_at and message.expires_at <= now
            if message.state == 0 and not expired and (self.name, target) not in self.world.closed:
                found.append((target, bytes(message.body)))
                self._check_versions(target, records.unpack_value(bytes(message.body)))
                self.engine.remove(queue, message, None, self.now())
        return found

    def _check_versions(self, target: str, facts: dict[str, Any]) -> None:
        """A version of an own record has one content, and what was said to somebody is not taken back."""
        for value in facts.get("records", []):
            key, version, content = tuple(value[:4]), value[4], value[5]
            if key[3] != f"{self.name}_1" or value[7]:
                continue
            last, known = self.said.get((target, key), (0, None))
            if version < last or (version == last and content != known):
                raise Violation(f"{self.name} says version {version} of {key} after {last}")
            self.said[target, key] = (version, content)

    def deliver(self, sender: str, body: bytes) -> None:
        if not self.engine.clusters.inside or self.down:
            return
        message = Message(body, self.engine.ids.next(), persistent=True, put_time=self.now())
        sender_proof.sign(message, sender_proof.Sender(f"{sender}_1", sender, f"TO.{self.name}"))
        self.engine.put_message(self.engine.resolve(COMMAND), message, None, self.now())

    def run(self) -> None:
        self.engine.durable(self.journal.durable)
        while self.engine.clusters.apply_arrivals(self.now()):
            pass

    # -- what it knows ---------------------------------------------------------------------

    def knows_full(self, names: list[str], cluster: str) -> bool:
        """Return whether it knows queue managers as full repositories."""
        found = {key.owner for key, _ in self.engine.clusters.state.repository.fulls(cluster)}
        return found >= {f"{name}_1" for name in names}

    def desired(self) -> dict[Any, Any]:
        clusters = self.engine.clusters
        return dict(own_objects.desired(self.engine, clusters.qmid, set(clusters.state.suspended)))

    def instances(self, name: str) -> list[Any]:
        return list(self.engine.clusters.workload.instances(name, old_too=True))

    def age_of(self, key: Any) -> float:
        """Return how old a record is, in seconds of the own clock."""
        state = self.engine.clusters.state
        return float(state.clock.seconds - state.repository.records[key].born)

    def live(self, cluster: str = CLUSTER) -> dict[Any, Any]:
        repository = self.engine.clusters.state.repository
        return dict(repository.live(repository.in_cluster(cluster)))


def _short(entries: set[str]) -> list[str]:
    return [each[:80] for each in sorted(entries)[:3]]


class World:
    """All nodes, and the messages on their way."""

    def __init__(self, seed: int, nodes: int, trace: bool = False, three: bool = False) -> None:
        self.chance = random.Random(seed)
        self.time = 0.0
        self.trace = trace
        self.flying: list[tuple[str, str, bytes]] = []
        self.loss = self.chance.choice([0.0, 0.1, 0.4])
        self.doubling = self.chance.choice([0.0, 0.2])
        self.nodes = {f"N{number:03}": Node(self, f"N{number:03}") for number in range(nodes)}
        self.names = list(self.nodes)
        self.deaf: set[str] = set()  # nodes that hear nobody
        self.mute: set[str] = set()  # nodes that nobody hears
        self.one_way: set[tuple[str, str]] = set()  # links that lose what goes in this direction
        self.half: set[str] = set()  # nodes that reach only each other, and the others only each other
        self.closed: set[tuple[str, str]] = set()  # links whose messages wait at their sender
        self.sent = 0
        self.log = blake2b(digest_size=8)  # of all that was delivered, in order
        self.ever_full: set[tuple[str, str]] = set()  # cluster, name
        self.lasting = {CLUSTER: self.names[:2]}  # full repositories that stay, by cluster
        if three:
            self.lasting = {each: [self.names[one] for one in places] for each, places in THREE.items()}
        else:
            for name in self.names[: self.chance.choice([2, 2, 3])]:
                self.set_full(self.nodes[name], True)
        self.members = {name: self._clusters_of(name) for name in self.names}
        for node in self.nodes.values():
            if three:
                self._restore_repository(node)
            self._join(node)

    def _clusters_of(self, name: str) -> list[str]:
        """Return of which clusters a queue manager is a member."""
        if len(self.lasting) == 1:
            return list(self.lasting)
        more = set(self.chance.sample(list(self.lasting), self.chance.choice([1, 1, 2, 3])))
        own = {each for each, names in self.lasting.items() if name in names}
        return [each for each in self.lasting if each in (own or more)]

    def set_full(self, node: Node, full: bool) -> None:
        """Make a node a full repository of the only cluster, or not."""
        if full:
            self.ever_full.add((CLUSTER, node.name))
        node.set_repository([CLUSTER] if full else [])

    def _restore_repository(self, node: Node) -> None:
        """Make a node a full repository of the clusters in which it stays one; a crash may have undone it."""
        lasting = [each for each, names in self.lasting.items() if node.name in names]
        node.set_repository(lasting)
        self.ever_full |= {(each, node.name) for each in lasting}

    def cluster_of(self, node: Node) -> str:
        """Return a cluster of a node, by chance."""
        found = self.members[node.name]
        return self.chance.choice(found) if len(found) > 1 else found[0]

    def say(self, *what: object) -> None:
        if self.trace:
            print(f"{self.time:12.1f}", *what)

    # -- what can happen -------------------------------------------------------------------

    def act(self) -> None:
        """Do one thing, chosen by chance."""
        chance, node = self.chance, self.nodes[self.chance.choice(self.names)]
        self.time += chance.expovariate(1 / 60)
        action = chance.choices(
            [
                self._define,
                self._delete,
                self._ask,
                self._crash,
                self._back_up,
                self._restore,
                self._suspend,
                self._remove,
                self._refresh,
                self._full,
                self._leave,
                self._join,
                self._cut,
                self._jump,
                self._day,
                self._forge,
                self._stop,
            ],
            [8, 5, 6, 3, 2, 1, 1, 0.7, 1, 0.6, 0.5, 1.5, 1, 1, 0.3, 1, 0.5],
        )[0]
        self.say(node.name, action.__name__)
        try:
            action(node)
        except MQError as refused:
            self.say("refused:", refused)
        if chance.random() < 0.8:
            node.sync()
        self.move(faults=True)

    def _define(self, node: Node) -> None:
        put = "DISABLED" if self.chance.random() < 0.2 else "ENABLED"
        name, priority = self.chance.choice(QUEUES), self.chance.randint(0, 9)
        where = {"CLUSTER": self.cluster_of(node)}
        if len(self.members[node.name]) > 1 and self.chance.random() < 0.3:
            where = node.named(name, self.members[node.name])
        node.define("QLOCAL", name, CLWLPRTY=priority, PUT=put, **where)

    def _delete(self, node: Node) -> None:
        node.delete("QUEUE", self.chance.choice(QUEUES))

    def _ask(self, node: Node) -> None:
        if self.chance.random() < 0.3:
            node.engine.resolve("REPLIES", self.chance.choice(self.names))
        else:
            node.engine.resolve(self.chance.choice(QUEUES))

    def _crash(self, node: Node) -> None:
        node.crash()

    def _back_up(self, node: Node) -> None:
        node.back_up()

    def _restore(self, node: Node) -> None:
        if node.copy is not None:
            node.restore()

    def _suspend(self, node: Node) -> None:
        node.engine.clusters.upkeep.suspend([self.cluster_of(node)], self.chance.random() < 0.5, node.now())

    def _remove(self, node: Node) -> None:
        name = self.chance.choice(self.names)
        node.engine.clusters.upkeep.force_remove(
            self.cluster_of(node), f"{name}_1", "", self.chance.random() < 0.5, node.now()
        )

    def _refresh(self, node: Node) -> None:
        before = [len(node.instances(queue)) for queue in QUEUES]
        node.engine.clusters.upkeep.refresh(self.cluster_of(node), self.chance.random() < 0.3, node.now())
        if [len(node.instances(queue)) for queue in QUEUES] != before:
            raise Violation(f"REFRESH CLUSTER at {node.name} makes a gap")

    def _forge(self, node: Node) -> None:
        """Let a member that is no full repository speak for others, or under another's name."""
        victim, target = self.chance.choice(self.names), self.chance.choice(self.names)
        cluster = self.chance.choice(list(self.lasting)) if len(self.lasting) > 1 else CLUSTER
        if (cluster, node.name) in self.ever_full or victim == node.name:
            return  # a full repository may speak for others, in its own clusters
        body = {"type": "QLOCAL", "qmgr": victim, "attributes": {}}
        forged = [[cluster, "Q", FORGED, f"{victim}_1", 1 << 40, body, 0.0, False]]
        claims = f"{self.chance.choice([node.name, self.names[0]])}_1"
        facts = {"v": 1, "kind": self.chance.choice(["ADVERT", "TELL"]), "cluster": cluster, "from": claims}
        body_of_message = records.pack_value({**facts, "qmgr": node.name, "records": forged})
        if node.engine.clusters.inside:
            self.flying.append((node.name, target, body_of_message))

    def _stop(self, node: Node) -> None:
        """Stop a queue manager for a while: hours, or longer than others remember it."""
        if node.name in self.names[:1] or any(each.down for each in self.nodes.values()):
            return
        node.sync()
        node.down = True
        for _ in range(self.chance.choice([2, 40, 100])):
            self.time += 86400.0
            self.tick()
            self.move(faults=False)
            if self.chance.random() < 0.05:
                self._delete(self.nodes[self.chance.choice(self.names)])
        node.down = False
        node.start()

    def _full(self, node: Node) -> None:
        if len(self.lasting) == 1 and node.name not in self.names[:2]:
            self.set_full(node, not node.full())

    def _leave(self, node: Node) -> None:
        """Leave all clusters, or one of several."""
        if any(node.name in names for names in self.lasting.values()):
            return
        kept = [each for each in self.members[node.name] if self.several and self.chance.random() < 0.5]
        if kept:
            self._join(node, kept)
        else:
            node.leave()

    @property
    def several(self) -> bool:
        """Whether there are several clusters."""
        return len(self.lasting) > 1

    def _join(self, node: Node, clusters: list[str] | None = None) -> None:
        """Join all its clusters, or some of them, each by a full repository that stays."""
        by = {}
        for each in clusters or self.members[node.name]:
            first, second = self.lasting[each]
            by[each] = second if node.name == first else first
        node.join(by)

    def _cut(self, node: Node) -> None:
        """Cut a node off, one direction of its links or one link, or the network in two; or mend that."""
        kind = self.chance.choice(["both", "deaf", "mute", "link", "half"])
        if kind in ("both", "deaf"):
            self.deaf ^= {node.name}
        if kind in ("both", "mute"):
            self.mute ^= {node.name}
        if kind == "link":
            self.one_way ^= {(node.name, self.chance.choice(self.names))}
        if kind == "half":
            self.half = set() if self.half else set(self.chance.sample(self.names, len(self.names) // 2))

    def _reaches(self, sender: str, target: str) -> bool:
        return not (
            sender in self.mute
            or target in self.deaf
            or (sender, target) in self.one_way
            or (sender in self.half) != (target in self.half)
        )

    def _close(self, links: set[tuple[str, str]]) -> None:
        """Have exactly these links closed: their channels retry."""
        for sender, target in self.closed ^ links:
            state = "RETRYING" if (sender, target) in links else "INACTIVE"
            self.nodes[sender].engine.clusters.channel_changed(f"TO.{target}", state)
        self.closed = links

    def _jump(self, node: Node) -> None:
        node.offset += self.chance.choice([-91, -31, -1, 1, 31, 91]) * 86400.0

    def _day(self, node: Node) -> None:
        for _ in range(self.chance.choice([3, 31, 91])):  # everybody lives through these days
            self.time += 86400.0
            self.tick()
            self.move(faults=True)

    def tick(self) -> None:
        for node in self.nodes.values():
            if not node.down:
                node.engine.tick(node.now())

    def move(self, faults: bool) -> None:
        """Bring messages to their targets; with faults some are lost, doubled or late."""
        for node in self.nodes.values():
            if node.down or (faults and self.chance.random() < 0.3):
                continue
            node.sync()
            for target, body in node.take_outgoing():
                self.sent += 1
                self.flying.append((node.name, target, body))
        if faults:
            self.chance.shuffle(self.flying)
        late: list[tuple[str, str, bytes]] = []
        for sender, target, body in self.flying:
            lost = not self._reaches(sender, target) or self.chance.random() < self.loss
            if target not in self.nodes or (faults and lost) or self.nodes[target].down:
                continue
            if faults and self.chance.random() < 0.2:
                late.append((sender, target, body))
                continue
            self.log.update(f"{self.time} {sender} {target}".encode() + body)
            self.nodes[target].deliver(sender, body)
            if faults and self.chance.random() < self.doubling:
                late.append((sender, target, body))
        self.flying = late
        for node in self.nodes.values():
            if not node.down:
                node.sync()
                node.run()
            if any(key.name == FORGED for key in node.engine.clusters.state.repository.records):
                raise Violation(f"{node.name} has taken a record from a stranger")

    # -- phases ----------------------------------------------------------------------------

    def run(self, steps: int, deaths: bool = False) -> None:
        for _ in range(steps):
            self.act()
        for each in (self.deaf, self.mute, self.one_way, self.half):
            each.clear()
        for name in dict.fromkeys(name for names in self.lasting.values() for name in names):
            self._restore_repository(self.nodes[name])
        for node in self.nodes.values():  # who left without a word being heard comes back
            self._join(node)
        if len(self.names) > (3 if not self.several else 6):
            self.heal_core()
        for _ in range(HEAL_ROUNDS):
            self.heal()
        self.check()
        self.check_interest()
        self.check_queues()
        self.sent = 0
        self.heal()
        if self.sent > QUIET_MESSAGES * sum(map(len, self.members.values())):
            raise Violation(f"{self.sent} messages in a round in which nothing has changed")
        self.check_choices()
        self.check_promptness()
        if deaths:
            self.check_death()

    def heal_core(self) -> None:
        """Faults that last: the others converge though one is away and one link has a single direction."""
        lasting = set().union(*self.lasting.values())
        free = [name for name in self.names if name not in lasting]
        away = self.chance.choice(free)
        links = {pair for name in self.names if name != away for pair in ((away, name), (name, away))}
        cluster = self.chance.choice(list(self.lasting)) if self.several else CLUSTER
        own = self.lasting[cluster]
        others = [each for each in free if each != away and self._knows_fulls(each, cluster)]
        if others:  # who knows one full repository alone depends on it
            one, other = self.chance.sample([self.chance.choice(others), self.chance.choice(own)], 2)
            links.add((one, other))
        self._close(links)
        for _ in range(HEAL_ROUNDS):
            self.heal()
        self.check(away)
        self._close(set())

    def _knows_fulls(self, name: str, cluster: str) -> bool:
        """Return whether a member of a cluster knows full repositories of all clusters that it is in."""
        own = dict.fromkeys((cluster, *self.members[name]))
        return all(self.nodes[name].knows_full(self.lasting[each], each) for each in own)

    def check_queues(self) -> None:
        """No message of a repository stays anywhere."""
        for node in self.nodes.values():
            left = {name: node.engine.queues[name].depth for name in (SHARED, COMMAND)}
            if any(left.values()):
                raise Violation(f"{node.name} has messages left: {left}")

    def check_choices(self) -> None:
        """Every choice is one that the rules allow, given what the node knows and its channels' states."""
        for node in self.nodes.values():
            clusters = node.engine.clusters
            for name in self.names:
                clusters.channel_changed(f"TO.{name}", self.chance.choice(STATES))
            for queue in QUEUES:
                found = node.instances(queue)
                for use_local in (True, False):
                    if {id(each) for each in choice.eligible(found, use_local)} != {
                        id(each) for each in oracle(found, use_local)
                    }:
                        raise Violation(f"{node.name} chooses another instance of {queue} than the rules")
            clusters.states.clear()

    def check_promptness(self) -> None:
        """A change is known to all who have to know it without the help of digests, by few messages."""
        asker, owner = self.nodes[self.names[-1]], self.nodes[self.names[-2]]
        common = [each for each in self.members[asker.name] if each in self.members[owner.name]]
        if not common:
            return
        cluster = common[0]
        try:
            asker.engine.resolve(PROMPT)
        except MQError:
            pass
        for _ in range(6):
            self.move(faults=False)
        for content in ("first", "second", None):
            self.sent = 0
            if content is None:
                owner.delete("QUEUE", PROMPT)
            else:
                owner.define("QLOCAL", PROMPT, CLUSTER=cluster, DESCR=content)
            for _ in range(6):
                self.move(faults=False)
            fulls = [node for node in self.nodes.values() if node.full(cluster)]
            for node in (*fulls, asker):
                bodies = [body for key, body in node.live(cluster).items() if key.name == PROMPT]
                if [body["attributes"]["DESCR"] for body in bodies] != ([content] if content else []):
                    raise Violation(f"{node.name} does not hear of {PROMPT} {content} at once")
            if self.sent > 2 + 2 * len(fulls) + 2:
                raise Violation(f"{self.sent} messages for one change")

    def check_death(self) -> None:
        """A member that is gone for good is forgotten after 90 days, the others are not."""
        dead = self.nodes.pop(self.names[-1])
        for _ in range(DEATH_DAYS):
            self.time += 86400.0
            self.tick()
            for _ in range(2):
                self.move(faults=False)
        for node in self.nodes.values():
            live = [key for each in self.lasting for key in node.live(each)]
            held = [key for key in live if key.owner == f"{dead.name}_1"]
            if held:
                raise Violation(f"{node.name} still knows {held[:2]} of {dead.name} after {DEATH_DAYS} days")
        for _ in range(2):
            self.heal()
        self.check()

    def heal(self) -> None:
        """One round without faults."""
        self.time += ROUND_SECONDS
        self.tick()
        for _ in range(6):
            self.move(faults=False)

    def check(self, away: str = "") -> None:
        """Compare what full and partial repositories know with what the owners have defined.

        Of one that is away they must know the same; what it knows itself is not looked at. Who has forgotten
        it does not take its records again when they are old: it may never come back.
        """
        for cluster in self.lasting:
            self._check_cluster(cluster, away)

    def _check_cluster(self, cluster: str, away: str) -> None:
        all_desired = [each for node in self.nodes.values() for each in node.desired().items()]
        truth = {key: body for key, body in all_desired if key.cluster == cluster}
        reference = self.nodes[self.lasting[cluster][0]]
        if away:
            truth = {key: body for key, body in truth.items() if key.owner != f"{away}_1"}
            told = reference.live(cluster)
            truth |= {key: body for key, body in told.items() if key.owner == f"{away}_1"}
        for node in self.nodes.values():
            if node.name == away:
                continue
            live = node.live(cluster)
            if node.inside(cluster) != (cluster in self.members[node.name]):
                raise Violation(f"{node.name} is not in cluster {cluster}, or should not be")
            if not node.inside(cluster):
                self.expect_equal(f"stranger {node.name}", live, {})
                continue
            if node.full(cluster):
                self.expect_equal(f"full {node.name}", live, truth)
                continue
            exchange = node.engine.clusters.exchange
            names = list(node.engine.clusters.state.wanted)
            if node.engine.clusters.interest.questions:
                raise Violation(f"{node.name} waits for an answer for ever")
            wanted = reference.engine.clusters.exchange.relevant(cluster, names, f"{node.name}_1")
            mine = exchange.relevant(cluster, names, f"{node.name}_1")
            old = {
                key for key in wanted if key.owner == f"{away}_1" and reference.age_of(key) > OLD_DAYS * DAY
            }
            wanted, mine = ([key for key in keys if key not in old] for keys in (wanted, mine))
            self.expect_equal(
                f"partial {node.name}", {key: live[key] for key in mine}, {key: truth[key] for key in wanted}
            )
            asked = {name for kind, name in names if kind == MEMBER}
            missing = {
                body["qmgr"] for key, body in truth.items() if key.kind == MEMBER and key not in (*live, *old)
            }
            if asked & missing:
                raise Violation(f"partial {node.name} has asked for {asked & missing}, and does not know it")

    def check_interest(self) -> None:
        """No full repository that a member deals with keeps an interest that the member has not.

        Elsewhere, as at a full repository restored from an old copy, the lease of the interest ends it.
        """
        for node in self.nodes.values():
            for (cluster, kind, name), asked in node.engine.clusters.state.interested.items():
                if not node.full(cluster):
                    continue
                for qmid in asked:
                    member = self.nodes[qmid.removesuffix("_1")]
                    state = member.engine.clusters.state
                    dealt_with = f"TO.{node.name}" in state.targets.get(cluster, [])
                    if member.inside(cluster) and dealt_with and (kind, name) not in state.wanted:
                        raise Violation(f"{node.name} keeps an interest in {name} that {qmid} has not")

    def expect_equal(self, who: str, found: dict[Any, Any], wanted: dict[Any, Any]) -> None:
        if found != wanted:
            missing = [key for key in wanted if key not in found]
            extra = [key for key in found if key not in wanted]
            other = [key for key in found if key in wanted and found[key] != wanted[key]]
            raise Violation(f"{who}: missing {missing[:3]}, too many {extra[:3]}, other content {other[:3]}")


def simulate(
    seed: int,
    nodes: int = 10,
    bug: str = "",
    steps: int = 60,
    trace: bool = False,
    deaths: bool = False,
    three: bool = False,
) -> World:
    """Run one seed; a Violation says how to replay it."""
    with planted(bug):
        world = World(seed, nodes, trace, three)
        try:
            world.run(steps, deaths)
        except Violation as failure:
            given = (f" --bug {bug}" if bug else "") + f" --steps {steps}" + " --deaths" * deaths
            given += " --three" * three
            command = f"python -m tests.simulation.clusters --seed {seed} --nodes {nodes}{given} --trace"
            raise Violation(f"{failure}\nreplay: {command}") from failure
    return world


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--count", type=int, default=1)
    parser.add_argument("--nodes", type=int, default=10)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--bug", default="")
    parser.add_argument("--trace", action="store_true")
    parser.add_argument("--deaths", action="store_true", help="a member is gone for 100 days at the end")
    parser.add_argument("--three", action="store_true", help="three clusters that overlap")
    given = parser.parse_args()
    for seed in range(given.seed, given.seed + given.count):
        try:
            world = simulate(
                seed, given.nodes, given.bug, given.steps, given.trace, given.deaths, given.three
            )
        except Violation as failure:
            sys.exit(f"seed {seed}: {failure}")
    print(f"{given.count} seed(s) without a violation; the log of the last one is {world.log.hexdigest()}")


if __name__ == "__main__":
    main()
