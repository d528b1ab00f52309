"""Commands of MQ whose subject does not exist here: each is answered with what is missing.

Called by `runner`. Such a command is known, so it is no syntax error;
its parameters are not read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.admin import replies

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.admin.context import Context
    from penstock.admin.mqsc_parser import Command
    from penstock.admin.replies import Reply

MISSING = {
    (
        "DISPLAY",
        "AUTHSERV",
    ): "there are no installable authorization services; authority records are built in",
    ("DISPLAY", "POLICY"): "messages are not signed or encrypted by policy (AMS)",
    ("SET", "POLICY"): "messages are not signed or encrypted by policy (AMS)",
    ("PURGE", "CHANNEL"): "there are no MQTT channels",
}
RESET_QMGR = {
    "STATISTICS": "statistics messages are not written",
    "PUBSUB": "there is no publish/subscribe hierarchy",
    "ADVANCELOG": "the queue manager moves on to the next log file by itself",
    "REDUCELOG": "the queue manager frees log files by itself",
    "ARCHLOG": "the queue manager is not told of archived log files",
}


def unsupported(command: Command, context: Context) -> Iterator[Reply]:
    """Answer a command that cannot be carried out here."""
    context.go()
    yield replies.not_supported(f"{command.verb} {command.noun}", MISSING[command.verb, command.noun])
