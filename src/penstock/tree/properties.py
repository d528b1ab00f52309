"""Properties: the first folder of a tree, about the message; never part of its bytes.

Built from the descriptor on access. Changes in it are applied to the descriptor when the message is
serialised (`assembly`).
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

from penstock.tree.core._arena import Domain
from penstock.tree.core._path import Path
from penstock.tree.headers.mqmd import expiry_tenths, put_moment

if TYPE_CHECKING:
    from penstock.model.message import Message
    from penstock.tree.core._reference import Reference

FIELDS = (
    "MessageSet",
    "MessageType",
    "MessageFormat",
    "Encoding",
    "CodedCharSetId",
    "Transactional",
    "Persistence",
    "CreationTime",
    "ExpirationTime",
    "Priority",
    "ReplyIdentifier",
    "ReplyProtocol",
    "Topic",
    "ContentType",
    "IdentitySourceType",
    "IdentitySourceToken",
    "IdentitySourcePassword",
    "IdentitySourceIssuedBy",
    "IdentityMappedType",
    "IdentityMappedToken",
    "IdentityMappedPassword",
    "IdentityMappedIssuedBy",
)


_STEPS = tuple(Path(name) for name in FIELDS)

# The sources of Properties on first access: the message, and settings that an input has for all: encoding and
# CCSID of the body; set, type and format of its model; whether it was got in a unit of work.
Said = tuple[int, int, str, str, str, bool]
About = tuple["Message", Said]


class Properties(Domain):
    """The domain."""

    def __init__(self) -> None:
        super().__init__("Properties", text=False, part=False)

    def parse_into(self, folder: Reference, data: About | bytes) -> None:
        if isinstance(data, bytes):
            super().parse_into(folder, data)  # which refuses
            return
        message, (encoding, ccsid, set, type, format, transactional) = data
        date, time = put_moment(message.put_time)
        values: dict[str, Any] = dict.fromkeys(FIELDS, "")
        values |= {
            "MessageSet": set,
            "MessageType": type,
            "MessageFormat": format,
            "Encoding": encoding,
            "CodedCharSetId": ccsid,
            "Transactional": transactional,
            "Persistence": message.persistent,
            "CreationTime": dt.datetime.combine(date, time)
            if date is not None and time is not None
            else None,
            "ExpirationTime": expiry_tenths(message),
            "Priority": message.priority,
            "ReplyIdentifier": message.correl_id,
            "ReplyProtocol": "MQ",
            "Topic": None,
        }
        folder.add_values(_STEPS, values.values())
