"""Folders that nodes of flows write and read: they are not part of a message's bytes.

EmailOutputHeader and EmailInputHeader have addresses and subject of a mail. JMSTransport has what a JMS
message has besides its body: `Transport_Folders` holds Header_Values, Standard_Properties,
Application_Properties and Message_MetaData. Room `flow` makes it from MQMD and MQRFH2, and back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.tree.core._arena import Domain

if TYPE_CHECKING:
    from penstock.tree.core._reference import Reference

EMAIL_FOLDER = "EmailOutputHeader"
EMAIL_INPUT_FOLDER = "EmailInputHeader"
JMS_FOLDER = "JMSTransport"


class NodeFolder(Domain):
    """A folder without bytes."""

    def __init__(self, name: str) -> None:
        super().__init__(name, text=False, part=False)

    def parse_into(self, folder: Reference, data: bytes) -> None:
        """Leave the folder empty: nothing of it is in a message's bytes."""

    def serialise_from(self, folder: Reference) -> bytes:
        """Return nothing: nodes read the folder."""
        return b""
