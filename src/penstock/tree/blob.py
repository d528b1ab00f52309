"""BLOB: an uninterpreted body; one field, BLOB, holds its bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tree.core._arena import Domain
from penstock.tree.core._path import Path
from penstock.tree.core._values import as_characters
from penstock.tree.core.missing import MISSING

if TYPE_CHECKING:
    from penstock.tree.core._reference import Reference

_BLOB = Path("BLOB")


class BLOB(Domain):
    """The domain."""

    def __init__(self) -> None:
        super().__init__("BLOB", text=False)

    def parse_into(self, folder: Reference, data: bytes) -> None:
        folder.add_last_child("BLOB", data)

    def serialise_from(self, folder: Reference) -> bytes:
        value = folder.get(_BLOB)
        if value is None or value is MISSING:
            return b""
        if not isinstance(value, bytes):
            raise error(mq.PSRC_SERIALISE_ERROR, f"field BLOB holds bytes, not {as_characters(value)!r}")
        return value
