"""The words of PING QMGR and PING CHANNEL."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from penstock.admin import machinery
from penstock.admin.commands.queue_manager import ping_qmgr
from penstock.admin.machinery import Request
from penstock.admin.mqsc_parser import Parameters
from penstock.admin.words.runtime_options import read_options

if TYPE_CHECKING:
    from penstock.admin.context import Action, Context
    from penstock.admin.mqsc_parser import Command

DATA_LENGTH_DEFAULT, DATA_LENGTH_MIN, DATA_LENGTH_MAX = 64, 16, 32768


def read_ping(command: Command, context: Context) -> Action:
    """Read PING."""
    parameters = Parameters(command)
    if command.noun == "QMGR":
        read_options(parameters, {})
        return ping_qmgr
    name = command.object_name
    length = parameters.take_number("DATALEN", DATA_LENGTH_DEFAULT, DATA_LENGTH_MIN, DATA_LENGTH_MAX)
    read_options(parameters, {})
    request = Request("PING", "CHANNEL", name, {"DATALEN": str(length)})
    return partial(machinery.carry_out, request=request)
