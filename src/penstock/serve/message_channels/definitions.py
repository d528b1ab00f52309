"""Converts a CHANNEL definition to the settings of the ends in room `channel`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from penstock.channel import terms
from penstock.channel.receiver import Receiving
from penstock.channel.sender import Sending
from penstock.qmgr.channels.delivery import Delivery
from penstock.qmgr.clusters import own_objects
from penstock.qmgr.clusters.cluster_names import key_of
from penstock.qmgr.waiters import Match
from penstock.serve.channels import number_of

if TYPE_CHECKING:
    from penstock.channel.terms import Terms
    from penstock.qmgr.catalogue.attribute import Value
    from penstock.qmgr.objects import Definition
    from penstock.serve.server import Server

SENDERS = ("SDR", "SVR", "CLUSSDR")
RECEIVERS = ("RCVR", "RQSTR", "CLUSRCVR")
MESSAGE_CHANNELS = (*SENDERS, *RECEIVERS)


def definition_of(server: Server, name: str) -> Definition | None:
    """Return the definition of a channel; of a cluster sender what its partner's CLUSRCVR has made of it."""
    found: Definition | None = server.engine.objects.find("CHANNEL", name)
    if found is None or found.subtype == "CLUSSDR":
        return server.engine.clusters.members_part.definition(name) or found
    return found


def offer_of(server: Server, definition: Definition) -> Terms:
    """Return the offer of this end; MAXMSGL(0) is the queue manager's limit."""
    window = server.host.settings.channels.pipe_line_length
    engine = server.engine
    offered = terms.offered(definition.attributes, engine.uncommitted_max, window)
    longest = min(offered.message_max or engine.length_max, engine.length_max)
    return replace(offered, message_max=longest)


def sending_of(server: Server, definition: Definition) -> Sending:
    """Return the settings of a sending end."""
    values = definition.attributes
    return Sending(
        definition.name,
        str(values["XMITQ"]),
        offer_of(server, definition),
        number_of(definition, "BATCHLIM") << 10,
        number_of(definition, "BATCHINT") / 1000,
        number_of(definition, "BATCHHB") / 1000,
        values["USEDLQ"] == "YES",
        _words(values["COMPMSG"]),
        values["CONVERT"] == "YES",
        Match(correl_id=key_of(definition.name)) if definition.subtype == "CLUSSDR" else None,
        definition.subtype,
    )


def receiving_of(server: Server, definition: Definition, user: str, caller: str) -> Receiving:
    """Return the settings of a receiving end that puts as a user; blank for the queue manager's rights."""
    values = definition.attributes
    permissions = server.host.access.permissions(user) if user else None
    by_context = values["PUTAUT"] in ("CTX", "ALTMCA") and permissions is not None
    return Receiving(
        definition.name,
        offer_of(server, definition),
        Delivery(
            permissions,
            by_context,
            values["USEDLQ"] == "YES",
            definition.name,
            _clusters(server, definition),
            definition.subtype,
        ),
        number_of(definition, "MRRTY"),
        number_of(definition, "MRTMR") / 1000,
        caller,
        server.host.check_room,
    )


def _clusters(server: Server, definition: Definition) -> tuple[str, ...]:
    if definition.subtype != "CLUSRCVR":
        return ()
    return tuple(own_objects.clusters_of(server.engine, definition))


def _words(value: Value) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else (str(value),)
