"""The subscriber of queued publish/subscribe, and the request of its RegSub.

From a command (`psc_commands`) to a request that `subscribing` understands. A subscriber is a queue with, if
it wants, a correlation id; its subscriptions are named after it, their topic and their filter, unless the
command names them. Reads commands, changes nothing; called by `queued_pubsub`.
"""

from __future__ import annotations

from contextlib import suppress
from hashlib import sha256
from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.model.limits import TOPIC_STRING_LENGTH
from penstock.model.message import NO_ID, Message
from penstock.qmgr.pubsub.subscribing import SubscribeRequest
from penstock.qmgr.pubsub.topic_string import BY_CHARACTER, BY_TOPIC, parse_pattern

if TYPE_CHECKING:
    from penstock.qmgr.pubsub.psc_commands import PscCommand
    from penstock.qmgr.pubsub.subscription import Subscription
    from penstock.qmgr.pubsub.topic_string import Pattern


def patterns_of(command: PscCommand) -> list[Pattern]:
    """Return the parsed topics of a RegSub; invalid ones are refused later."""
    found = []
    for topic in command.topics:
        with suppress(MQError):
            found.append(parse_pattern(topic, scheme_of(command)))
    return found


def scheme_of(command: PscCommand) -> str:
    """Return how the wildcards of a command's topics are meant."""
    return BY_CHARACTER if command.has("WildcardChar") else BY_TOPIC


def check_point(command: PscCommand) -> None:
    """Raise 2298 for a subscription point: there is the default one alone."""
    point = command.values.get("SubPoint", "")
    if point.strip():
        raise error(
            mq.MQRC_FUNCTION_NOT_SUPPORTED, f"there is no subscription point {point}; leave SubPoint out"
        )


def request_of(command: PscCommand, destination: Destination, topic: str) -> SubscribeRequest:
    """Return the request of a RegSub; a repeated one replaces all settings."""
    options = mq.MQSO_CREATE | mq.MQSO_DURABLE
    options |= mq.MQSO_ANY_USERID if command.has("VariableUserId") else mq.MQSO_FIXED_USERID
    if command.has("PubOnReqOnly"):
        options |= mq.MQSO_PUBLICATIONS_ON_REQUEST
    if command.has("WildcardChar"):
        options |= mq.MQSO_WILDCARD_CHAR
    if command.has("Local"):
        options |= mq.MQSO_SCOPE_QMGR
    return SubscribeRequest(
        topic=topic,
        name=destination.name_for(topic, command),
        options=options,
        queue=destination.queue,
        qmgr=destination.qmgr,
        selector=command.values.get("Filter", ""),
        correl_id=destination.correl_id or NO_ID,
        user_data=command.values.get("SubUserData", ""),
        persistence=command.persistence or "ASPUB",
        properties="RFH2",
    )


class Destination:
    """Who a subscriber is to queued publish/subscribe: its queue, and a correlation id when it uses one.

    The queue manager's own name (`here`) and no name mean the same: `qmgr` is empty then.
    """

    def __init__(self, command: PscCommand, message: Message, here: str) -> None:
        self._here = here
        self.queue = command.values.get("QName", "") or message.descriptor.reply_to
        self.qmgr = command.values.get("QMgrName", "")
        if not self.queue:
            raise error(mq.MQRCCF_Q_NAME_ERROR, "neither QName nor a reply-to queue is given")
        if not command.values.get("QName", ""):
            self.qmgr = message.descriptor.reply_to_qmgr
        if self.qmgr == here:
            self.qmgr = ""
        self.correl_id = message.correl_id if command.has("CorrelAsId") else None
        if self.correl_id == NO_ID:
            raise error(mq.MQRCCF_CORREL_ID_ERROR, "CorrelAsId needs a correlation id")
        identity = f":{self.correl_id.hex().upper()}" if self.correl_id is not None else ""
        self.prefix = f"RFH2:{self.qmgr}:{self.queue}{identity}:"

    def name_for(self, topic: str, command: PscCommand) -> str:
        """Return the name of this subscriber's subscription to a topic, with a filter of its own if any."""
        given, wanted = command.values.get("SubName", ""), command.values.get("Filter", "")
        if given:
            return given
        name = self.prefix + topic + (f" WHERE {wanted}" if wanted else "")
        if len(name) <= TOPIC_STRING_LENGTH:
            return name
        return self.prefix + sha256(name.encode("utf-8", "surrogatepass")).hexdigest()

    def takes(self, subscription: Subscription) -> bool:
        """Return whether a subscription belongs to this subscriber: queue and identity are the same."""
        values = subscription.definition.attributes
        qmgr = "" if values["DESTQMGR"] == self._here else values["DESTQMGR"]
        same_queue = (values["DEST"], qmgr) == (self.queue, self.qmgr)
        return same_queue and subscription.correl_id == self.correl_id

    def registered(self, subscription: Subscription) -> bool:
        """Return whether a subscription is this subscriber's own, not one that an administrator gave it."""
        return subscription.definition.attributes.get("SUBTYPE") == "API" and self.takes(subscription)
