"""The trace context of a message: its property `traceparent`, or the same in the usr folder of its MQRFH2.

Flows and programs of other products write the header themselves; both forms mean the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.model.constants import MQFMT_RF_HEADER_2
from penstock.model.errors import MQError
from penstock.model.rfh2 import attach_properties, detach_properties
from penstock.telemetry.context import PROPERTY, parsed

if TYPE_CHECKING:
    from penstock.model.message import Message
    from penstock.telemetry.context import SpanContext

_BYTES = PROPERTY.encode()


def context_in(message: Message) -> SpanContext | None:
    """Return the context that a message carries."""
    found = parsed((message.properties or {}).get(PROPERTY))
    if found is None and message.descriptor.format == MQFMT_RF_HEADER_2 and _BYTES in (message.body or b""):
        try:
            return parsed(detach_properties(message.body or b"", message.descriptor)[0].get(PROPERTY))
        except MQError:
            return None  # no header after all
    return found


def give_context(message: Message, context: SpanContext) -> None:
    """Add a context to a message's properties."""
    if message.descriptor.format == MQFMT_RF_HEADER_2 and not message.properties:
        try:
            found, body, descriptor = detach_properties(message.body or b"", message.descriptor)
        except MQError:
            return  # a program's own data
        found[PROPERTY] = context.text
        message.body, message.descriptor = attach_properties(found, body, descriptor)
        message.length = len(message.body)
    else:
        message.properties = {**(message.properties or {}), PROPERTY: context.text}
