"""Properties: the folder about a message that stands first in its tree; never part of its bytes.

Its fields flow to the message descriptor when the message is put; that is the flow's business.
"""

from __future__ import annotations

from penstock.tree._arena import Domain

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


class Properties(Domain):
    """The domain."""

    def __init__(self) -> None:
        super().__init__("Properties", text=False, part=False)
