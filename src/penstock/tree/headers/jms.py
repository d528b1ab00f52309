"""JMSTransport: what a JMS message has besides its body, as a folder. It is not part of a message's bytes.

`Transport_Folders` below it holds Header_Values, Standard_Properties, Application_Properties and
Message_MetaData. Room `flow` makes it from MQMD and MQRFH2, and the other way round.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.tree.core._arena import Domain

if TYPE_CHECKING:
    from penstock.tree.core._reference import Reference

JMS_FOLDER = "JMSTransport"


class JMSTransport(Domain):
    """The domain."""

    def __init__(self) -> None:
        super().__init__(JMS_FOLDER, text=False, part=False)

    def parse_into(self, folder: Reference, data: bytes) -> None:
        """Leave the folder empty: nothing of it is in a message's bytes."""

    def serialise_from(self, folder: Reference) -> bytes:
        """Return nothing: the contents of the folder are sent as descriptor and properties."""
        return b""
