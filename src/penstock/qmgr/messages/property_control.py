"""How a get shows properties: beside the message, in an MQRFH2 before its data, or not at all.

The get's options decide; without one the queue's PROPCTL does, of which only FORCE overrides the
handle that every message has here. An MQRFH2 that a program put itself stays in the data unless an
option asks for something else. Called by `getting`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import MQError
from penstock.model.rfh2 import attach_properties, detach_properties
from penstock.model.rfh2_folders import SYNONYMS

if TYPE_CHECKING:
    from penstock.model.message import Message
    from penstock.qmgr.connections import Handle

OPTIONS = (
    mq.MQGMO_PROPERTIES_FORCE_MQRFH2
    | mq.MQGMO_NO_PROPERTIES
    | mq.MQGMO_PROPERTIES_IN_HANDLE
    | mq.MQGMO_PROPERTIES_COMPATIBILITY
)
COMPATIBLE = ("mcd.", "jms.", "usr.", "mqext.")


def wish(handle: Handle, message: Message, options: int) -> int:
    """Return the option that rules how this message is shown; 0 for as it is."""
    if not message.properties:
        return 0
    asked = options & OPTIONS
    if asked or handle.route is None or handle.queue is None:
        return asked
    path = handle.route.path
    opened = handle.queue.definition if len(path) == 1 else path[0]
    return mq.MQGMO_PROPERTIES_FORCE_MQRFH2 if opened.attributes.get("PROPCTL") == "FORCE" else 0


def show(message: Message, wanted: int) -> None:
    """Change a returned message so that its properties are where the options place them."""
    if wanted & mq.MQGMO_PROPERTIES_COMPATIBILITY:
        names = message.properties or ()
        compatible = any(
            ("." not in name and name not in SYNONYMS) or name.startswith(COMPATIBLE) for name in names
        )
        wanted = mq.MQGMO_PROPERTIES_FORCE_MQRFH2 if compatible else mq.MQGMO_NO_PROPERTIES
    if wanted & mq.MQGMO_PROPERTIES_FORCE_MQRFH2:
        _into_data(message)
        return
    _out_of_data(message)
    if wanted & mq.MQGMO_NO_PROPERTIES:
        message.properties = None


def _into_data(message: Message) -> None:
    properties = message.properties or {}
    body, descriptor = message.body or b"", message.descriptor
    if descriptor.format == mq.MQFMT_RF_HEADER_2:
        try:
            found, body, descriptor = detach_properties(body, descriptor)
        except MQError:
            found = {}
        if found == properties:
            message.properties = None
            return  # the program's own header contains them
    message.body, message.descriptor = attach_properties(properties, body, descriptor)
    message.length = len(message.body)
    message.properties = None


def _out_of_data(message: Message) -> None:
    if message.descriptor.format != mq.MQFMT_RF_HEADER_2:
        return
    try:
        _, message.body, message.descriptor = detach_properties(message.body or b"", message.descriptor)
    except MQError:
        return  # not a header after all: it stays data
    message.length = len(message.body)
