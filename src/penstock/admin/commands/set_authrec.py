"""SET AUTHREC and DELETE AUTHREC: what users and groups may do with objects.

A record is one profile, one type of object and one user or group. Words for several authorities (ALL,
ALLMQI, ALLADM) are stored as those authorities.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.admin import command_authority, replies
from penstock.model import constants as mq
from penstock.qmgr.objects import authority_record_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from penstock.admin.context import Context
    from penstock.admin.replies import Reply

    Entities = Sequence[tuple[str, str]]  # PRINCIPAL or GROUP, and the name


def set_authrec(
    context: Context,
    profile: str,
    object_type: str,
    entities: Entities,
    *,
    adding: frozenset[str] = frozenset(),
    removing: frozenset[str] = frozenset(),
) -> Iterator[Reply]:
    """Give users and groups authorities, and take others away."""
    command_authority.check(context, "SET", "AUTHREC")
    for entity_type, entity in entities:
        _change(context, profile, object_type, entity_type, entity, adding, removing)
    yield replies.done("AUTHREC", replies.CHANGED)


def delete_authrec(context: Context, profile: str, object_type: str, entities: Entities) -> Iterator[Reply]:
    """Remove the records of users and groups."""
    command_authority.check(context, "DELETE", "AUTHREC")
    for entity_type, entity in entities:
        name = authority_record_name(profile, object_type, entity_type, entity)
        found = context.engine.objects.find("AUTHREC", name)
        if found is None:
            yield replies.failed(
                "AMQ8459E",
                f"Authority record for {profile} and {entity} not found.",
                mq.MQRCCF_AUTH_VALUE_ERROR,
            )
            return
        context.engine.delete(found, context.now)
    yield replies.done("AUTHREC", replies.DELETED)


def _change(
    context: Context,
    profile: str,
    object_type: str,
    entity_type: str,
    entity: str,
    adding: frozenset[str],
    removing: frozenset[str],
) -> None:
    name = authority_record_name(profile, object_type, entity_type, entity)
    found = context.engine.objects.find("AUTHREC", name)
    before = found.attributes.get("AUTHLIST", ()) if found is not None else ()
    now = (frozenset(before) if isinstance(before, tuple) else frozenset()) | adding
    listed = tuple(sorted(now - removing))
    if found is not None:
        context.engine.alter(found, {"AUTHLIST": listed}, context.now)
        return
    values = {"PROFILE": profile, "ENTITY": entity, "ENTTYPE": entity_type, "OBJTYPE": object_type}
    context.engine.define("AUTHREC", name, {**values, "AUTHLIST": listed}, context.now)
