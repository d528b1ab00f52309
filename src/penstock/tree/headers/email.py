"""EmailOutputHeader: addresses and subject of a mail, as a folder. It is not part of a message's bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.tree.core._arena import Domain

if TYPE_CHECKING:
    from penstock.tree.core._reference import Reference

EMAIL_FOLDER = "EmailOutputHeader"


class EmailOutputHeader(Domain):
    """The domain."""

    def __init__(self) -> None:
        super().__init__(EMAIL_FOLDER, text=False, part=False)

    def parse_into(self, folder: Reference, data: bytes) -> None:
        """Leave the folder empty: nothing of it is in a message's bytes."""

    def serialise_from(self, folder: Reference) -> bytes:
        """Return nothing: the node that sends the mail reads the folder."""
        return b""
