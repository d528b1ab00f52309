"""CONVERT(YES): the sending end converts bodies to the character set of the receiving queue manager.

As MQ does it, segments go as they are, and so do bodies without a format, whose content is unknown. What
has a format and cannot be converted must not be sent. Programs do better to convert when they get a message.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.conversion import convert
from penstock.model.errors import error
from penstock.model.message import Descriptor

if TYPE_CHECKING:
    from penstock.model.message import Message

ENCODING = Descriptor().encoding  # of every queue manager here
SEGMENT = mq.MQMF_SEGMENT | mq.MQMF_LAST_SEGMENT


def convert_for(message: Message, ccsid: int) -> None:
    """Convert a message that is about to be sent; MQError says why it cannot be."""
    descriptor = message.descriptor
    if descriptor.flags & SEGMENT or not descriptor.format.strip(" \0"):
        return
    if (descriptor.ccsid, descriptor.encoding) == (ccsid, ENCODING):
        return
    done = convert(
        message.body or b"", descriptor.format, descriptor.ccsid, descriptor.encoding, ccsid, ENCODING
    )
    if done.warning:
        raise error(done.warning, f"CONVERT(YES): its body cannot be converted to CCSID {ccsid}")
    message.body, message.length = done.body, len(done.body)
    message.descriptor = descriptor.replace(ccsid=done.ccsid, encoding=done.encoding)
