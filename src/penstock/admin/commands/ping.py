"""PING QMGR and PING CHANNEL: is somebody there?

Called by `runner`. A queue manager that can run the command is there; a channel is asked by `machinery`.
Changes nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.admin import machinery, replies
from penstock.admin.commands.runtime_options import read_options
from penstock.admin.machinery import Request
from penstock.admin.mqsc_parser import Parameters

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.admin.context import Context
    from penstock.admin.mqsc_parser import Command
    from penstock.admin.replies import Pause, Reply

DATA_LENGTH_DEFAULT, DATA_LENGTH_MIN, DATA_LENGTH_MAX = 64, 16, 32768


def ping(command: Command, context: Context) -> Iterator[Reply | Pause]:
    """Run PING; a queue manager that reads the command is there."""
    parameters = Parameters(command)
    if command.noun == "QMGR":
        read_options(parameters, {})
        context.go()
        yield replies.accepted("AMQ8415I", "Ping Penstock Queue Manager command complete.")
        return
    name = command.object_name
    length = parameters.take_number("DATALEN", DATA_LENGTH_DEFAULT, DATA_LENGTH_MIN, DATA_LENGTH_MAX)
    read_options(parameters, {})
    context.go()
    yield from machinery.carry_out(Request("PING", "CHANNEL", name, {"DATALEN": str(length)}), context)
