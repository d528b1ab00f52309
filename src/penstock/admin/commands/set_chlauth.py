"""SET CHLAUTH: channel authentication rules.

ACTION: ADD makes a rule (or adds to the list of a blocking one), REPLACE sets all of it, REMOVE deletes the
rule (or items of its list), REMOVEALL deletes all rules of the profile and type.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.admin import replies
from penstock.admin.channel_authentication.rule import fault_in
from penstock.admin.commands.values import drop_tolerated, read_subtype, read_values
from penstock.admin.mqsc_parser import Parameters
from penstock.admin.notes import notes_on
from penstock.qmgr.attributes import Value, defaults
from penstock.qmgr.objects import SEPARATOR, channel_rule_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.admin.context import Context
    from penstock.admin.mqsc_parser import Command
    from penstock.admin.replies import Reply

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
PROFILE_LENGTH = 20


def set_chlauth(command: Command, context: Context) -> Iterator[Reply]:
    """Run SET CHLAUTH."""
    profile = command.object_name.rstrip(" ")
    parameters = Parameters(command)
    rule = read_subtype("CHLAUTH", parameters)
    action = parameters.take_keyword("ACTION", ACTIONS, "ADD")
    drop_tolerated(parameters)
    given = read_values("CHLAUTH", rule, parameters.rest())
    _check(command, profile, rule, action, given)
    context.go()
    values: dict[str, Value] = {"CHLAUTH": profile, "TYPE": rule, **given}
    reply = _ACTIONS[action](context, profile, rule, values)
    added = action in ("ADD", "REPLACE") and not reply.failed
    yield reply.with_notes(notes_on("CHLAUTH", rule, profile, given)) if added else reply


def _check(command: Command, profile: str, rule: str, action: str, given: dict[str, Value]) -> None:
    if len(profile) > PROFILE_LENGTH:
        raise command.name.value_fault(f"a channel profile has at most {PROFILE_LENGTH} characters")
    if not rule:
        raise command.name.fault("SET CHLAUTH needs TYPE( type )")
    if rule == "BLOCKADDR" and profile != "*":
        raise command.name.value_fault("TYPE(BLOCKADDR) is for all channels: CHLAUTH('*')")
    if action != "REMOVEALL" and not given.get(NEEDED[rule]):
        raise command.name.fault(f"TYPE({rule}) needs {NEEDED[rule]}( ... )")
    if action in ("REMOVE", "REMOVEALL"):
        return
    fault = fault_in(given)
    if fault:
        raise command.name.value_fault(fault)
    if rule in LISTS:
        return
    source = given.get("USERSRC", "MAP")
    if source == "MAP" and not given.get("MCAUSER"):
        raise command.name.fault("USERSRC(MAP) needs MCAUSER( user )")
    if source != "MAP" and given.get("MCAUSER"):
        raise command.name.fault(f"MCAUSER does not go with USERSRC({source})")


def _add(context: Context, profile: str, rule: str, values: dict[str, Value]) -> Reply:
    name = channel_rule_name(profile, values)
    found = context.engine.objects.find("CHLAUTH", name)
    if found is None:
        return _replace(context, profile, rule, values)
    key = LISTS.get(rule)
    if key is None:
        return replies.failed("AMQ8150E", "Penstock channel authentication record already exists.", 3337)
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
    return replies.failed("AMQ8884E", f"Channel authentication record for {profile} not found.", 3336)


def _items(value: Value | None) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else ()


_ACTIONS = {"ADD": _add, "REPLACE": _replace, "REMOVE": _remove, "REMOVEALL": _remove_all}
