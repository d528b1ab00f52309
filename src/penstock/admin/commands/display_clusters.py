"""DISPLAY CLUSQMGR, QCLUSTER and TCLUSTER, and the cluster's rows of DISPLAY QUEUE and TOPIC ... CLUSINFO.

They show what this queue manager knows: a full repository everything, a partial one what was asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.admin import command_authority, replies
from penstock.admin.commands import display
from penstock.admin.commands.display_status import choose, fits, read_status_wish
from penstock.admin.mqsc_parser import Parameters
from penstock.admin.rows import date_of, time_of
from penstock.qmgr.catalogue.attributes import defaults
from penstock.qmgr.clusters.record import MEMBER, QUEUE, TOPIC, Key
from penstock.qmgr.pubsub import cluster_topics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.admin.commands.display import Wish
    from penstock.admin.context import Action, Context
    from penstock.admin.mqsc_parser import Command
    from penstock.admin.replies import Pause, Reply

    Row = dict[str, Any]

QUEUE_TYPES = {"QLOCAL": "QLOCAL", "QALIAS": "QALIAS", "QREMOTE": "QREMOTE"}
CHANNEL_DEFAULTS = {
    key: value
    for key, value in defaults("CHANNEL", "CLUSRCVR").items()
    if key not in ("CHLTYPE", "CLUSNL", "CLUSTER")
}
OF_MEMBER = sorted(CHANNEL_DEFAULTS)
OF_QUEUE = ["CLWLPRTY", "CLWLRANK", "DEFBIND", "DEFPRTY", "DEFPSIST", "DESCR", "PUT"]
OF_TOPIC = [
    "TOPICSTR",
    "CLROUTE",
    "DESCR",
    "PUB",
    "SUB",
    "PUBSCOPE",
    "SUBSCOPE",
    "PROXYSUB",
    "DEFPSIST",
    "DEFPRTY",
    "WILDCARD",
]
ROWS_AT_ONCE = 100
PLACE = ("CLUSQMGR", "QMID", "CLUSDATE", "CLUSTIME")
OWN_FIELDS = ("CLUSQMGR", "CHANNEL", "CLUSTER", "DEFTYPE", "QMTYPE", "STATUS", "SUSPEND", "VERSION", "XMITQ")
SWITCH_FIELDS = ("SWITCHTO", "SWLEFT")  # ours: the transmission queue to come, and messages left to move
FIELDS = {
    "CLUSQMGR": dict.fromkeys(
        (*OWN_FIELDS, *SWITCH_FIELDS, *PLACE, *OF_MEMBER),
        "",
    ),
    "QCLUSTER": dict.fromkeys(("QUEUE", "TYPE", "CLUSTER", "CLUSQT", *PLACE, *OF_QUEUE), ""),
    "TCLUSTER": dict.fromkeys(("TOPIC", "TYPE", "CLUSTER", "CLSTATE", *PLACE, *OF_TOPIC), ""),
}
NUMBERS = frozenset(
    ["DEFPRTY", "SWLEFT", *(key for key, value in CHANNEL_DEFAULTS.items() if isinstance(value, int))]
)
HEADS = {
    "CLUSQMGR": ("CLUSQMGR", "CHANNEL", "CLUSTER"),
    "QCLUSTER": ("QUEUE", "TYPE", "CLUSTER", "CLUSQMGR"),
    "TCLUSTER": ("TOPIC", "TYPE", "CLUSTER", "CLUSQMGR"),
}


def display_cluster_objects(command: Command, context: Context) -> Action:
    """Run DISPLAY CLUSQMGR, QCLUSTER or TCLUSTER."""
    noun, name = command.noun, command.object_name
    parameters = Parameters(command)
    chosen = {}
    for each in command.parameters:
        if each.name in ("CLUSTER", "CHANNEL") and each.values:
            chosen[each.name] = each.text
    for key in chosen:
        parameters.take(key)
    sample = {key: 0 if key in NUMBERS else value for key, value in FIELDS[noun].items()}
    wanted, where = read_status_wish(parameters, sample, name.endswith("*"))

    def carry_out(context: Context) -> Iterator[Reply | Pause]:
        command_authority.check(context, command.verb, noun, command.given_name)
        shown = False
        for place, found in enumerate(rows(context, noun), 1):
            if place % ROWS_AT_ONCE == 0:
                yield replies.PAUSE
            if not fits(str(next(iter(found.values()))), name) or (where and not where.matches(found)):
                continue
            if any(not fits(str(found[key]), value) for key, value in chosen.items()):
                continue
            shown = True
            yield replies.status(noun, choose(found, wanted, HEADS[noun]))
        if not shown:
            yield replies.not_found(name)

    return carry_out


def display_with_clusters(
    context: Context,
    noun: str,
    kinds: tuple[str, ...],
    wish: Wish,
    *,
    subtype: str = "",
    as_defined: bool = False,
) -> Iterator[Reply | Pause]:
    """Run DISPLAY QUEUE ... CLUSINFO: objects of this queue manager, then the instances in its clusters.

    The same for TOPIC, where TYPE(CLUSTER) leaves the own objects out.
    """
    of_topics = noun == "TOPIC"
    kind = "TCLUSTER" if of_topics else "QCLUSTER"
    found = [{**each, "TYPE": "CLUSTER"} for each in _topics(context)] if of_topics else queues(context)
    instances = [each for each in found if fits(str(each[noun]), wish.name) and wish.keeps(each)]
    if of_topics and subtype == "CLUSTER":
        command_authority.check(context, "DISPLAY", noun, wish.name)
        if not instances:
            yield replies.not_found(wish.name)
    else:
        subtype = "" if of_topics else subtype
        for piece in display.display(context, noun, kinds, wish, subtype=subtype, as_defined=as_defined):
            if not (instances and isinstance(piece, replies.Reply) and piece.failed):
                yield piece
    for each in instances:
        yield replies.status(kind, choose(each, wish.wanted, HEADS[kind]))


def rows(context: Context, noun: str) -> list[Row]:
    """Return all rows of a display."""
    return {"CLUSQMGR": _members, "QCLUSTER": queues, "TCLUSTER": _topics}[noun](context)


def _members(context: Context) -> list[Row]:
    clusters = context.engine.clusters
    found = [_member(context, member) for member in clusters.members()]
    known = {row["CHANNEL"] for row in found}
    for name, definition in clusters.members_part.manual().items():
        if name not in known:  # defined by hand, and never answered
            row = dict(FIELDS["CLUSQMGR"])
            row.update(_attributes(definition.attributes, OF_MEMBER))
            temporary = f"SYSTEM.TEMPQMGR.{definition.attributes['CONNAME']}"
            row.update(CLUSQMGR=temporary, CHANNEL=name, CLUSTER=str(definition.attributes["CLUSTER"]))
            row.update(DEFTYPE="CLUSSDR", QMTYPE="REPOS", STATUS=clusters.channel_state(name), SUSPEND="NO")
            row.update(_transmission(context, name))
            found.append(row)
    return found


def _member(context: Context, member: Any) -> Row:
    clusters = context.engine.clusters
    row = dict(FIELDS["CLUSQMGR"])
    row.update(_attributes(member.attributes, OF_MEMBER))
    row.update(_place(context, Key(member.cluster, MEMBER, member.channel, member.qmid), member.qmgr))
    row.update(
        CHANNEL=member.channel,
        CLUSTER=member.cluster,
        DEFTYPE="CLUSRCVR" if member.local else clusters.members_part.deftype(member.channel),
        QMTYPE="REPOS" if member.is_full else "NORMAL",
        STATUS="RUNNING" if member.local else clusters.channel_state(member.channel),
        SUSPEND="YES" if member.suspended else "NO",
        VERSION=member.version,
    )
    if not member.local:
        row.update(_transmission(context, member.channel))
    return row


def _transmission(context: Context, channel: str) -> Row:
    """Return the transmission queue of a channel, and how far it is with the change to another one."""
    used = context.engine.clusters.transmission
    current, wanted = used.queue_of(channel), used.switching.next_queue(channel)
    if current == wanted:
        return {"XMITQ": current, "SWITCHTO": "", "SWLEFT": 0}
    return {"XMITQ": current, "SWITCHTO": wanted, "SWLEFT": used.waiting(channel)}


def queues(context: Context) -> list[Row]:
    """Return the instances of cluster queues, other than those of this queue manager."""
    return [
        {
            **_object_row(context, "QCLUSTER", key, body, OF_QUEUE),
            "CLUSQT": "QMGR" if body.get("alias") else QUEUE_TYPES.get(str(body.get("type")), ""),
        }
        for key, body in _live(context, QUEUE)
    ]


def _topics(context: Context) -> list[Row]:
    states = cluster_topics.states(context.engine.clusters)
    return [
        {**_object_row(context, "TCLUSTER", key, body, OF_TOPIC), "CLSTATE": states.get(key, "ACTIVE")}
        for key, body in _live(context, TOPIC)
    ]


def _live(context: Context, kind: str) -> list[tuple[Key, dict[str, Any]]]:
    repository = context.engine.clusters.state.repository
    names = sorted(repository.names(kind))
    found = [each for name in names for each in repository.live(repository.named(kind, name))]
    return [each for each in found if each[0].cluster in context.engine.clusters.inside]


def _object_row(context: Context, noun: str, key: Key, body: dict[str, Any], wanted: list[str]) -> Row:
    row = dict(FIELDS[noun])
    row.update(_attributes(body.get("attributes") or {}, wanted))
    row.update(_place(context, key, str(body.get("qmgr", ""))))
    first = next(iter(row))
    row.update({first: key.name, "TYPE": noun, "CLUSTER": key.cluster})
    return row


def _place(context: Context, key: Key, qmgr: str) -> Row:
    """Return who has an object, and when this queue manager received it, by its own clock."""
    state = context.engine.clusters.state
    record = state.repository.records[key]
    moment = int(state.clock.wall - (state.clock.seconds - record.born))
    return {
        "CLUSQMGR": qmgr,
        "QMID": key.owner,
        "CLUSDATE": date_of(moment),
        "CLUSTIME": time_of(moment),
    }


def _attributes(given: Any, wanted: list[str]) -> Row:
    return {
        key: tuple(given[key]) if isinstance(given[key], list) else given[key]
        for key in wanted
        if key in given
    }
