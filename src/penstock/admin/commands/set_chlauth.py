"""SET CHLAUTH: channel authentication rules.

ACTION: ADD makes a rule (or adds to the list of a blocking one), REPLACE sets all of it, REMOVE deletes the
rule (or items of its list), REMOVEALL deletes all rules of the profile and type.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.admin import command_authority, replies
from penstock.admin.channel_authentication.rule import fault_in
from penstock.admin.notes import notes_on
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.qmgr.catalogue.attributes import Value, defaults
from penstock.qmgr.objects import SEPARATOR, channel_rule_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from penstock.admin.context import Context
    from penstock.admin.replies import Reply

PROFILE_LENGTH = 20
ACTIONS = ("ADD", "REPLACE", "REMOVE", "REMOVEALL")
NEEDED = {
    "BLOCKUSER": "USERLIST",
    "BLOCKADDR": "ADDRLIST",
    "SSLPEERMAP": "SSLPEER",
    "ADDRESSMAP": "ADDRESS",
    "USERMAP": "CLNTUSER",
    "QMGRMAP": "QMNAME",
}
LISTS = {"BLOCKUSER": "USERLIST", "BLOCKADDR": "ADDRLIST"}


def set_chlauth(
    context: Context, profile: str, rule: str, given: Mapping[str, Value], *, action: str = "ADD"
) -> Iterator[Reply]:
    """Add, replace or remove channel authentication records; `given` are attributes that were checked."""
    command_authority.check(context, "SET", "CHLAUTH", profile)
    if why := lack_of(profile, rule, action, given):
        raise error(mq.MQRCCF_PARM_CONFLICT, why, object=profile)
    if why := fault_of(profile, rule, action, given):
        raise error(mq.MQRCCF_PARM_VALUE_ERROR, why, object=profile)
    values: dict[str, Value] = {"CHLAUTH": profile, "TYPE": rule, **given}
    reply = _ACTIONS[action](context, profile, rule, values)
    added = action in ("ADD", "REPLACE") and not reply.failed
    yield reply.with_notes(notes_on("CHLAUTH", rule, profile, given)) if added else reply


def fault_of(profile: str, rule: str, action: str, given: Mapping[str, Value]) -> str:
    """Return which value of a record is wrong; empty if none is."""
    if len(profile) > PROFILE_LENGTH:
        return f"a channel profile has at most {PROFILE_LENGTH} characters"
    if rule == "BLOCKADDR" and profile != "*":
        return "TYPE(BLOCKADDR) is for all channels: CHLAUTH('*')"
    return fault_in(given) if rule and action in ("ADD", "REPLACE") else ""


def lack_of(profile: str, rule: str, action: str, given: Mapping[str, Value]) -> str:
    """Return the missing or conflicting attributes of a record as a text; empty if it is valid."""
    if not rule:
        return "SET CHLAUTH needs TYPE( type )"
    if rule not in NEEDED:
        return f"TYPE is one of {', '.join(NEEDED)}, not {rule}"
    if action not in ACTIONS:
        return f"ACTION is one of {', '.join(ACTIONS)}, not {action}"
    if action != "REMOVEALL" and not given.get(NEEDED[rule]):
        return f"TYPE({rule}) needs {NEEDED[rule]}( ... )"
    if action in ("REMOVE", "REMOVEALL") or rule in LISTS:
        return ""
    source = given.get("USERSRC", "MAP")
    if source == "MAP" and not given.get("MCAUSER"):
        return "USERSRC(MAP) needs MCAUSER( user )"
    return f"MCAUSER does not go with USERSRC({source})" if source != "MAP" and given.get("MCAUSER") else ""


def _add(context: Context, profile: str, rule: str, values: dict[str, Value]) -> Reply:
    name = channel_rule_name(profile, values)
    found = context.engine.objects.find("CHLAUTH", name)
    if found is None:
        return _replace(context, profile, rule, values)
    key = LISTS.get(rule)
    if key is None:
        return replies.failed(
            "AMQ8150E",
            "Penstock channel authentication record already exists.",
            mq.MQRCCF_CHLAUTH_ALREADY_EXISTS,
        )
    items = dict.fromkeys((*_items(found.attributes.get(key)), *_items(values.get(key))))
    context.engine.alter(found, {**values, key: tuple(items)}, context.now)
    return replies.done("CHLAUTH", replies.CHANGED)


def _replace(context: Context, profile: str, rule: str, values: dict[str, Value]) -> Reply:
    name = channel_rule_name(profile, values)
    context.engine.define("CHLAUTH", name, defaults("CHLAUTH", rule) | values, context.now, replace=True)
    return replies.done("CHLAUTH", replies.CHANGED)


def _remove(context: Context, profile: str, rule: str, values: dict[str, Value]) -> Reply:
    found = context.engine.objects.find("CHLAUTH", channel_rule_name(profile, values))
    if found is None:
        return _missing(profile)
    key = LISTS.get(rule)
    left: tuple[str, ...] = ()
    if key is not None:
        gone = frozenset(_items(values.get(key)))
        left = tuple(item for item in _items(found.attributes.get(key)) if item not in gone)
    if key is not None and left:
        context.engine.alter(found, {key: left}, context.now)
    else:
        context.engine.delete(found, context.now)
    return replies.done("CHLAUTH", replies.DELETED)


def _remove_all(context: Context, profile: str, rule: str, values: dict[str, Value]) -> Reply:
    objects = context.engine.objects
    prefix = SEPARATOR.join((profile, rule))
    gone = [each for each in objects.starting_with("CHLAUTH", prefix) if each.attributes["TYPE"] == rule]
    for each in gone:
        context.engine.delete(each, context.now)
    return replies.done("CHLAUTH", replies.DELETED)


def _missing(profile: str) -> Reply:
    return replies.failed(
        "AMQ8884E", f"Channel authentication record for {profile} not found.", mq.MQRCCF_WRONG_CHLAUTH_TYPE
    )


def _items(value: Value | None) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else ()


_ACTIONS = {"ADD": _add, "REPLACE": _replace, "REMOVE": _remove, "REMOVEALL": _remove_all}
