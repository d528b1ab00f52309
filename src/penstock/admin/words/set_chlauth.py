"""The words of SET CHLAUTH."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from penstock.admin.commands.set_chlauth import ACTIONS, fault_of, lack_of, set_chlauth
from penstock.admin.mqsc_parser import Parameters
from penstock.admin.words.values import drop_tolerated, read_subtype, read_values

if TYPE_CHECKING:
    from penstock.admin.context import Action, Context
    from penstock.admin.mqsc_parser import Command


def read_set_chlauth(command: Command, context: Context) -> Action:
    """Read SET CHLAUTH."""
    profile = command.object_name.rstrip(" ")
    parameters = Parameters(command)
    rule = read_subtype("CHLAUTH", parameters)
    action = parameters.take_keyword("ACTION", ACTIONS, "ADD")
    drop_tolerated(parameters)
    given = read_values("CHLAUTH", rule, parameters.rest())
    if fault := fault_of(profile, rule, action, given):
        raise command.name.value_fault(fault)
    if why := lack_of(profile, rule, action, given):
        raise command.name.fault(why)
    return partial(set_chlauth, profile=profile, rule=rule, given=given, action=action)
