"""DISPLAY TPSTATUS, SBSTATUS and PUBSUB: topics, subscriptions and publish/subscribe as they are.

Replies are yielded one by one, so that the first of a million is available at once; the engine may change
between two of them. What a topic inherits is shown resolved. Called by `runner`; the rows are the engine's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.admin import command_authority, replies
from penstock.admin.commands.display import LOOKED_AT_MAX, find_all
from penstock.admin.commands.display_status import choose, read_status_wish
from penstock.admin.mqsc_parser import Parameters
from penstock.admin.words.choice import name_or_id, with_value
from penstock.model import constants as mq
from penstock.model import status
from penstock.model.status import blank, values
from penstock.qmgr.pubsub import topic_status

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.admin.context import Action, Context
    from penstock.admin.mqsc_parser import Command, Parameter
    from penstock.admin.replies import Pause, Reply
    from penstock.model.status import Row


ROWS: dict[str, type[Row]] = {
    "TOPIC": status.TopicStatus,
    "SUB": status.TopicSubscriberStatus,
    "PUB": status.TopicPublisherStatus,
}
FIRST = ("TOPICSTR", "SUB", "SUBTOPIC")
WILD = "#+*"
HEADS = {"TOPIC": ("TOPICSTR", "ADMIN"), "SUB": ("TOPICSTR", "SUBID"), "PUB": ("TOPICSTR", "ACTCONN")}


def display_topic_status(command: Command, context: Context) -> Action:
    """Run DISPLAY TPSTATUS of topics, of their subscriptions or of their publishers."""
    name = command.name.text if command.name.values else command.object_name
    parameters = Parameters(command)
    kind = parameters.take_keyword("TYPE", tuple(ROWS), "TOPIC")
    wild = any(letter in name for letter in WILD)
    wanted, where = read_status_wish(parameters, blank(ROWS[kind]), wild)

    def carry_out(context: Context) -> Iterator[Reply | Pause]:
        command_authority.check(context, command.verb, command.noun, command.given_name)
        shown = False
        passed = 0
        for row in _topic_rows(context, name, kind):
            found = None if row is None else _shown(row)
            if found is not None and (where is None or where.matches(found)):
                shown = True
                passed = 0
                yield replies.status("TOPIC", choose(found, wanted, HEADS[kind]))
                continue
            passed += 1
            if passed % LOOKED_AT_MAX == 0:
                yield replies.PAUSE
        if not shown:
            yield replies.not_found(name)

    return carry_out


def _topic_rows(context: Context, name: str, kind: str) -> Iterator[Row | None]:
    """Yield what there is to show, and None for each topic that has nothing.

    Subscriptions with wildcards match a topic before anybody has used it.
    """
    pubsub = context.engine.pubsub
    if kind == "SUB" and pubsub.tree.find(name) is None and not any(letter in name for letter in WILD):
        yield from topic_status.subscriber_rows(pubsub, name) or (None,)
    for node in topic_status.nodes(pubsub, name):
        if node is None:
            yield None
        elif kind == "TOPIC":
            yield topic_status.topic_row(pubsub, node, context.now)
        elif kind == "SUB":
            yield from topic_status.subscriber_rows(pubsub, node.text) or (None,)
        else:
            yield from topic_status.publisher_rows(pubsub, node) or (None,)


def _shown(row: Row) -> dict[str, Any]:
    """Return a row as it is displayed: that of a subscriber with its topic first."""
    found = values(row)
    if isinstance(row, status.TopicSubscriberStatus):
        return {name: found[name] for name in FIRST} | found
    return found


def display_subscription_status(command: Command, context: Context) -> Action:
    """Run DISPLAY SBSTATUS."""
    name = name_or_id(command)
    parameters = Parameters(command)
    number = parameters.take("SUBID") if with_value(command, "SUBID") else None
    types = {word: parameters.take_keyword(word, words, "ALL") for word, words in _CHOICES.items()}
    wanted, where = read_status_wish(parameters, blank(status.SubscriptionStatus), name.endswith("*"))

    def carry_out(context: Context) -> Iterator[Reply | Pause]:
        command_authority.check(context, command.verb, command.noun, command.given_name)
        shown = False
        for place, definition in enumerate(find_all(context, ("SUB",), name)):
            if definition is None or place % LOOKED_AT_MAX == LOOKED_AT_MAX - 1:
                yield replies.PAUSE
            if definition is None:
                continue
            subscription = context.engine.pubsub.subscriptions.get(definition.name)
            if subscription is None:
                continue
            found = values(topic_status.subscription_row(subscription))
            if all(_chosen(found[word], choice) for word, choice in types.items()):
                if (where is None or where.matches(found)) and _has_id(found, number):
                    shown = True
                    yield replies.status("SUB", choose(found, wanted, ("SUB", "SUBID")))
        if not shown:
            yield replies.not_found(name, mq.MQRC_NO_SUBSCRIPTION)

    return carry_out


def _has_id(found: dict[str, Any], number: Parameter | None) -> bool:
    return number is None or found["SUBID"] == number.text.upper()


_CHOICES = {"DURABLE": ("ALL", "YES", "NO"), "SUBTYPE": ("ALL", "USER", "ADMIN", "API", "PROXY")}


def _chosen(value: str, choice: str) -> bool:
    return choice in ("ALL", value) or (choice == "USER" and value != "PROXY")


def display_pubsub(command: Command, context: Context) -> Action:
    """Run DISPLAY PUBSUB."""
    parameters = Parameters(command)
    kind = parameters.take_keyword("TYPE", ("ALL", "LOCAL", "CHILD", "PARENT"), "LOCAL")
    found = values(topic_status.pubsub_row(context.engine.pubsub))
    wanted, _ = read_status_wish(parameters, found, False)

    def carry_out(context: Context) -> Iterator[Reply | Pause]:
        command_authority.check(context, command.verb, command.noun, command.given_name)
        rows = [found, *(values(each) for each in topic_status.relation_rows(context.engine.pubsub))]
        shown = [row for row in rows if kind in ("ALL", row["TYPE"])]
        for row in shown:
            yield replies.status("PUBSUB", choose(row, wanted, ("QMNAME", "TYPE", "STATUS")))
        if not shown:
            yield replies.not_found(kind)

    return carry_out
