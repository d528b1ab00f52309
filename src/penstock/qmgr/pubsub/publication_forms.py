"""The rarer forms of a publication's copies: other identities, headers, destinations, and failures.

`publishing` calls here for what is not the usual case: a subscription with an identity or user data of its
own, PSPROP(RFH2), COMPAT or NONE, a destination behind an alias or at another queue manager, a queue that
takes no more. What fails goes to the dead-letter queue where USEDLQ allows it; what then still fails
makes the publish fail where PMSGDLV or NPMSGDLV demands it, before anything was handed over. Compiled
through `publication_forms.pxd`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.model.message import NO_TOKEN, Message
from penstock.model.rfh1 import Rfh1
from penstock.model.rfh2 import Rfh2
from penstock.qmgr.messages import dead_letters
from penstock.qmgr.names.name_resolution import resolve
from penstock.qmgr.pubsub.subscription import HEADED
from penstock.qmgr.putting import for_transmission

if TYPE_CHECKING:
    from penstock.model.message import Descriptor
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.pubsub.subscription import Subscription
    from penstock.qmgr.pubsub.topic_tree import TopicNode
    from penstock.qmgr.unit_of_work import UnitOfWork

    Failure = tuple[Subscription, int]

DESCRIPTORS_KEPT = 1000
OWN_PROPERTIES = ("MQTopicString", "MQPubLevel", "MQIsRetained", "MQSubUserData")
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


class Forms:
    """What turns one message into the copy of a particular subscription."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._descriptors: dict[tuple[int, str, bytes | None, str], tuple[Descriptor, Descriptor]] = {}

    def special(self, subscription: Subscription) -> bool:
        """Return whether a copy has a body of its own."""
        return subscription.properties in HEADED

    def served(self, groups: set[tuple[str, bytes | None]], subscription: Subscription) -> bool:
        """Return whether a subscription's group has its copy already; from now on it has."""
        group = str(subscription.definition.attributes["DEST"]), subscription.correl_id
        if group in groups:
            return True
        groups.add(group)
        return False

    def dress(self, copy: Message, subscription: Subscription, message: Message) -> None:
        """Give a copy the identity, the persistence and the user data of its subscription."""
        if subscription.persistence != "ASPUB":
            copy.persistent = self._lasts(subscription, copy)
        copy.descriptor = self._descriptor(subscription, message.descriptor)
        properties = dict(message.properties or {})
        if subscription.properties == "NONE":
            properties = {name: value for name, value in properties.items() if name not in OWN_PROPERTIES}
        elif subscription.user_data:
            properties["MQSubUserData"] = subscription.user_data
        else:
            return
        copy.properties = properties or None

    def _descriptor(self, subscription: Subscription, original: Descriptor) -> Descriptor:
        token, data = subscription.token, subscription.identity_data
        if token is None and not data and subscription.user == original.user_id:
            return original
        key = (id(original), subscription.user, token, data)
        known = self._descriptors.get(key)
        if known is None:
            changed = original.replace(
                user_id=subscription.user, accounting_token=token or NO_TOKEN, appl_identity_data=data
            )
            if len(self._descriptors) >= DESCRIPTORS_KEPT:
                self._descriptors.clear()
            known = self._descriptors[key] = (original, changed)
        return known[1]

    def _lasts(self, subscription: Subscription, copy: Message) -> bool:
        queue = copy.queue
        wanted = (
            queue.default_persistent
            if subscription.persistence == "ASQDEF"
            else subscription.persistence == "YES"
        )
        return bool(wanted and not queue.temporary)

    def give_back(self, copies: list[Message]) -> None:
        """Give back the places that copies had taken."""
        for copy in copies:
            copy.queue.depth -= 1
            copy.queue.puts_undone += 1
            copy.queue = None
        copies.clear()

    def settle(
        self,
        node: TopicNode,
        message: Message,
        copies: list[Message],
        others: list[Subscription],
        failed: list[Failure],
        unit: UnitOfWork | None,
        now: float,
    ) -> None:
        """Deliver the special copies and handle failures; 2502 if the topic's rules forbid them."""
        made: list[tuple[Any, Message]] = []
        for subscription in others:
            try:
                made.append(self._make(node, subscription, message, now))
                subscription.last_message = now
                subscription.count += 1
            except MQError as failure:
                failed.append((subscription, failure.reason))
        letters = False
        if failed:
            letters = node.settings.values["USEDLQ"] == "YES" and self._letters_fit(message, len(failed))
            if not letters:
                self._check_rules(node, message, copies, failed)
        for queue, copy in made:
            self.engine.enqueue(queue, copy, unit)
        for subscription, reason in failed if letters else ():
            target = str(subscription.definition.attributes["DEST"])
            dead_letters.send(self.engine, message, reason, target, self.engine.name, unit, now)

    def _letters_fit(self, message: Message, count: int) -> bool:
        dead = self.engine.queues.get(str(self.engine.definition.attributes["DEADQ"]))
        if dead is None or not count:
            return False
        try:
            self.engine.check_put(dead, message, None)
        except MQError:
            return False
        return int(dead.depth) + count <= int(dead.depth_max)

    def _check_rules(
        self, node: TopicNode, message: Message, copies: list[Message], failed: list[Failure]
    ) -> None:
        rule = node.settings.values["PMSGDLV" if message.persistent else "NPMSGDLV"]
        for subscription, reason in failed:
            if rule == "ALL" or (rule == "ALLDUR" and subscription.durable):
                self.give_back(copies)
                detail = f"subscription {subscription.name} could not take the publication (reason {reason})"
                raise error(
                    mq.MQRC_PUBLICATION_FAILURE,
                    detail,
                    topic=node.text,
                    subscription=subscription.name,
                    cause=reason,
                )

    def _make(
        self, node: TopicNode, subscription: Subscription, message: Message, now: float
    ) -> tuple[Any, Message]:
        """Return the queue and the copy of a subscription that is not the usual case."""
        engine = self.engine
        if subscription.proxy:
            route = engine.pubsub.neighbours.links.route_of(subscription)
        else:
            attributes = subscription.definition.attributes
            route = resolve(engine, str(attributes["DEST"]), str(attributes["DESTQMGR"]))
        if route.queue is None or route.put_inhibited_by() is not None:
            raise error(
                mq.MQRC_PUT_INHIBITED if route.queue else mq.MQRC_UNKNOWN_OBJECT_NAME,
                f"{subscription.definition.attributes['DEST']} takes no publications",
            )
        if not route.remote and len(route.path) == 1 and route.choice is None:
            subscription.queue = route.queue  # the queue was deleted and is back
        route = engine.clusters.workload.settled(route, message)
        assert route.queue is not None
        copy = engine.pubsub.publisher.copy_for(subscription, route.queue, message)
        if subscription.proxy:
            engine.pubsub.neighbours.republisher.leave(copy, subscription, node.settings)
        else:
            self.dress(copy, subscription, message)
        copy.queue = None
        if subscription.properties == "RFH2":
            _with_rfh2(copy)
        elif subscription.properties == "COMPAT":
            _with_rfh1(copy)
        if route.remote:
            copy = for_transmission(engine, route, copy, now)
        engine.check_put(route.queue, copy, None)
        return route.queue, copy

    def keeper(self, node: TopicNode, message: Message, now: float) -> Any:
        """Return what keeps a publication as its topic's retained one."""
        return self.engine.pubsub.retained.keeper(node, message, now)


def _with_rfh2(copy: Message) -> None:
    """Put the publish/subscribe properties into an MQRFH2 before the body."""
    properties = dict(copy.properties or {})
    topic = str(properties.get("MQTopicString", "")).translate(_ESCAPES)
    retained = "<PubOpt>IsRetainedPub</PubOpt>" if properties.get("MQIsRetained") else ""
    data = str(properties.get("MQSubUserData", "")).translate(_ESCAPES)
    given = f"<SubUserData>{data}</SubUserData>" if data else ""
    folder = f"<psc><Command>Publish</Command>{retained}<Topic>{topic}</Topic>{given}</psc>"
    descriptor = copy.descriptor
    header = Rfh2((folder,), descriptor.encoding, descriptor.ccsid, descriptor.format)
    _prefix(copy, header.pack(), mq.MQFMT_RF_HEADER_2)


def _with_rfh1(copy: Message) -> None:
    """Put the publish/subscribe properties into an MQRFH of version 1 before the body."""
    properties = copy.properties or {}
    pairs = [("MQPSCommand", "Publish"), ("MQPSTopic", str(properties.get("MQTopicString", "")))]
    if properties.get("MQIsRetained"):
        pairs.insert(1, ("MQPSPubOpts", "IsRetainedPub"))
    if properties.get("MQSubUserData"):
        pairs.append(("MQPSSubUserData", str(properties["MQSubUserData"])))
    descriptor = copy.descriptor
    header = Rfh1(tuple(pairs), descriptor.encoding, descriptor.ccsid, descriptor.format)
    _prefix(copy, header.pack(), mq.MQFMT_RF_HEADER_1)


def _prefix(copy: Message, header: bytes, form: str) -> None:
    copy.body = header + (copy.body or b"")
    copy.length = len(copy.body)
    copy.descriptor = copy.descriptor.replace(format=form, encoding=mq.MQENC_NATIVE, ccsid=1208)
    kept = {name: value for name, value in (copy.properties or {}).items() if name not in OWN_PROPERTIES}
    copy.properties = kept or None
