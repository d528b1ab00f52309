"""Whether a queue manager has the queues that a flow names, and whether they can be used as the flow does.

Asked by `penstock flow check --qmgr`, before a deployment. It reads definitions (DISPLAY) and opens nothing,
so that it has no side effects: no trigger fires and no dynamic queue is created. What an open or a put would
refuse for good is an error; what an operator can change at any time (GET(DISABLED) ...) is a warning. Queues
that a program works out while it runs are not known here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from penstock.flow.graph.flattening import flatten
from penstock.flow.graph.validation import Finding
from penstock.flow.nodes.mq_get import MQGet
from penstock.flow.nodes.mq_input import MQInput
from penstock.flow.nodes.mq_output import MQOutput

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.face.blocking import BlockingQueueManager
    from penstock.flow.graph.graph import Flow
    from penstock.flow.node import Node

GET, PUT = "GET", "PUT"
FIXED = "fixed"


class Use(NamedTuple):
    """A queue that a node names, and whether it gets from it or puts to it."""

    node: str
    queue: str
    verb: str
    qmgr: str = ""


def uses_of(flow: Flow) -> Iterator[Use]:
    """Yield the queues that the nodes of a flow name, also those of its subflows."""
    for label, node in flatten(flow).nodes.items():
        yield from _uses(label, node)


def _uses(label: str, node: Node) -> Iterator[Use]:
    if isinstance(node, MQInput | MQGet) and node.queue:
        yield Use(label, node.queue, GET)
    elif isinstance(node, MQOutput):
        if node.queue and node.destination == FIXED:
            yield Use(label, node.queue, PUT, node.qmgr)
        if node.request and node.reply_to and not node.reply_to_qmgr:
            yield Use(label, node.reply_to, GET)


class QueueChecker:
    """Looks up queues at one queue manager; `qm` is a connection that may run DISPLAY."""

    def __init__(self, qm: BlockingQueueManager) -> None:
        self.name = qm.name
        self._qm = qm
        self._queues: dict[str, dict[str, Any] | None] = {}
        self._own = self._shown("DISPLAY QMGR DEADQ DEFXMITQ") or {}

    def check(self, flow: Flow) -> list[Finding]:
        """Return the mistakes in the queues of a flow, by node."""
        found: dict[Finding, None] = {}
        for use in uses_of(flow):
            for severity, text in self._use(use):
                found[Finding(severity, use.node, text)] = None
        return list(found)

    def _use(self, use: Use) -> Iterator[tuple[str, str]]:
        if use.qmgr not in ("", self.name):
            yield from self._way_to(use.qmgr, f"queue {use.queue} at {use.qmgr}")
            return
        queue = self.queue(use.queue)
        if queue is None:
            yield "error", f"there is no queue {use.queue} at {self.name} (2085)"
            return
        yield from self._disabled(use, queue)
        kind = queue["TYPE"]
        if kind == "QALIAS":
            yield from self._alias(use, queue)
        elif kind == "QREMOTE":
            yield from self._remote(use, queue)
        elif kind == "QMODEL":
            yield "error", f"queue {use.queue} is a model queue: every open would make another queue"
        elif use.verb == GET:
            yield from self._backout(queue)

    def _disabled(self, use: Use, queue: dict[str, Any]) -> Iterator[tuple[str, str]]:
        if queue.get(use.verb) == "DISABLED":
            code = "2016" if use.verb == GET else "2051"
            yield "warning", f"queue {queue['QUEUE']} has {use.verb}(DISABLED) ({code})"

    def _alias(self, use: Use, alias: dict[str, Any]) -> Iterator[tuple[str, str]]:
        target, name = str(alias.get("TARGET", "")), alias["QUEUE"]
        if alias.get("TARGTYPE") == "TOPIC":
            if use.verb == GET:
                yield "error", f"alias {name} is of a topic, from which nothing can be got (2045)"
            elif self._shown(f"DISPLAY TOPIC('{target}')") is None:
                yield "error", f"alias {name} is of topic {target}, which does not exist (2082)"
            return
        base = self.queue(target)
        if base is None:
            yield "error", f"alias {name} is of queue {target}, which does not exist (2082)"
        elif base["TYPE"] in ("QALIAS", "QMODEL"):
            yield "error", f"alias {name} is of {target}, which is a {base['TYPE']} (2001)"
        else:
            yield from self._disabled(use, base)
            if base["TYPE"] == "QREMOTE":
                yield from self._remote(use, base)
            elif use.verb == GET:
                yield from self._backout(base)

    def _remote(self, use: Use, remote: dict[str, Any]) -> Iterator[tuple[str, str]]:
        name = remote["QUEUE"]
        if use.verb == GET:
            yield "error", f"queue {name} is a remote one: nothing can be got from it (2045)"
            return
        xmitq, target = str(remote.get("XMITQ", "")), str(remote.get("RQMNAME", ""))
        if xmitq:
            yield from self._transmission(xmitq, f"queue {name}")
        elif target == self.name:
            if remote.get("RNAME") and self.queue(str(remote["RNAME"])) is None:
                yield "error", f"queue {name} is of {remote['RNAME']}, which does not exist here (2085)"
        else:
            yield from self._way_to(target, f"queue {name}")

    def _way_to(self, qmgr: str, what: str) -> Iterator[tuple[str, str]]:
        """Find out whether messages for another queue manager have a transmission queue."""
        way = self.queue(qmgr)
        if way is not None and way["TYPE"] == "QREMOTE":  # an alias of the queue manager
            target, xmitq = str(way.get("RQMNAME", "")), str(way.get("XMITQ", ""))
            if target == self.name:
                return
            yield from self._transmission(xmitq or target, what)
        elif way is not None:
            yield from self._transmission(qmgr, what)
        elif self._own.get("DEFXMITQ"):
            yield from self._transmission(str(self._own["DEFXMITQ"]), what)
        else:
            yield "error", f"{what}: there is no transmission queue {qmgr} and no DEFXMITQ (2087)"

    def _transmission(self, name: str, what: str) -> Iterator[tuple[str, str]]:
        queue = self.queue(name)
        if queue is None:
            yield "error", f"{what}: its transmission queue {name} does not exist (2196)"
        elif queue["TYPE"] != "QLOCAL" or queue.get("USAGE") != "XMITQ":
            yield "error", f"{what}: {name} is no transmission queue, USAGE(XMITQ) (2092)"
        elif queue.get(PUT) == "DISABLED":
            yield "warning", f"{what}: its transmission queue {name} has PUT(DISABLED) (2051)"

    def _backout(self, queue: dict[str, Any]) -> Iterator[tuple[str, str]]:
        """Find out where messages go that fail too often: BOQNAME, else the dead-letter queue."""
        name, where = str(queue.get("BOQNAME", "")), "backout queue"
        if not name:
            name, where = str(self._own.get("DEADQ", "")), "dead-letter queue"
        if not name:
            what = f"queue {queue['QUEUE']} has no BOQNAME and {self.name} no DEADQ"
            yield "warning", f"{what}: a message that keeps failing stays first on its queue"
            return
        use = Use("", name, PUT)
        for severity, text in self._use(use):
            yield severity, f"{where} of {queue['QUEUE']}: {text}"

    def queue(self, name: str) -> dict[str, Any] | None:
        """Return the attributes of a queue; None if there is none of the name."""
        if name not in self._queues:
            quoted = name.replace("'", "''")
            self._queues[name] = self._shown(f"DISPLAY QUEUE('{quoted}') ALL") if name else None
        return self._queues[name]

    def _shown(self, command: str) -> dict[str, Any] | None:
        """Return the attributes of the one object that a DISPLAY shows."""
        return next((dict(reply.attributes) for reply in self._qm.mqsc(command) if reply.attributes), None)
