"""The base class of headers: bytes before the body that describe what follows them.

A header's own numbers and text are in the encoding and CCSID that the previous header specifies; its fields
Format, Encoding and CodedCharSetId describe what follows. `assembly` reads and writes the chain; this module
handles one header. An untouched folder is written as it arrived.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from penstock.model import constants as mq
from penstock.model.constants import MQENC_NATIVE
from penstock.model.errors import error
from penstock.tree.core._arena import Domain
from penstock.tree.core._path import Path
from penstock.tree.core.missing import MISSING

if TYPE_CHECKING:
    from penstock.tree.core._reference import Reference

UTF8 = 1208
FORMAT, ENCODING, CCSID = Path("Format"), Path("Encoding"), Path("CodedCharSetId")


class Content(NamedTuple):
    """A header's description of the bytes after it."""

    format: str
    encoding: int
    ccsid: int


class HeaderBytes(NamedTuple):
    """One header as it arrived: its bytes, with their encoding and CCSID."""

    data: bytes
    encoding: int = MQENC_NATIVE
    ccsid: int = UTF8


class Header(Domain):
    """A header in front of the body; `format` is its name in the previous header."""

    format = ""
    field_names: tuple[str, ...] = ()  # none for a header that accepts any

    def parse_into(self, folder: Reference, data: HeaderBytes | bytes) -> None:
        """Build the fields of a header; plain bytes are in this machine's encoding and UTF-8."""
        self.build_from(folder, data if isinstance(data, HeaderBytes) else HeaderBytes(data))

    def build_from(self, folder: Reference, data: HeaderBytes) -> None:
        """Build the fields of a header."""
        raise NotImplementedError

    def measure(self, data: memoryview, encoding: int, ccsid: int) -> tuple[int, Content]:
        """Return the length of the header at the start of `data`, and its description of the rest."""
        raise NotImplementedError

    def pack(self, folder: Reference, encoding: int, ccsid: int) -> bytes:
        """Return the bytes of a folder in an encoding and a CCSID."""
        raise NotImplementedError

    def following(self, folder: Reference) -> Content:
        """Return a folder's description of what follows it, from its bytes if it is unchanged."""
        if not folder.is_changed and isinstance(folder.payload, HeaderBytes):
            payload = folder.payload
            return self.measure(memoryview(payload.data), payload.encoding, payload.ccsid)[1]
        return described_by(folder, self.name)

    def describe(self, folder: Reference, content: Content) -> None:
        """Update a folder so that it correctly describes what follows it."""
        describe_in(folder, content)

    def write_in(self, folder: Reference, encoding: int, ccsid: int) -> bytes:
        """Return the bytes of a folder: as they arrived if nothing has changed."""
        payload = folder.payload
        if isinstance(payload, HeaderBytes) and (payload.encoding, payload.ccsid) == (encoding, ccsid):
            if not folder.is_changed:
                return payload.data
        return self.pack(folder, encoding, ccsid)

    def serialise_from(self, folder: Reference) -> bytes:
        payload = folder.payload
        own = payload if isinstance(payload, HeaderBytes) else HeaderBytes(b"")
        return self.write_in(folder, own.encoding, own.ccsid)


def described_by(folder: Reference, name: str) -> Content:
    """Return the values of Format, Encoding and CodedCharSetId of a folder."""
    text = folder.get(FORMAT)
    encoding = number(folder, name, ENCODING, MQENC_NATIVE)
    ccsid = number(folder, name, CCSID, 0)
    return Content(str(text).rstrip(" \0") if text not in (MISSING, None) else "", encoding, ccsid)


def describe_in(folder: Reference, content: Content) -> None:
    """Set the three fields if they differ."""
    for path, wanted in ((ENCODING, content.encoding), (CCSID, content.ccsid)):
        if folder.get(path) != wanted:
            folder.set_value(path, wanted)
    text = folder.get(FORMAT)
    if not isinstance(text, str) or text.rstrip(" \0") != content.format:
        folder.set_value(FORMAT, f"{content.format:8}")


def number(folder: Reference, name: str, path: Path, default: int) -> int:
    """Return a field that must be a 32-bit number."""
    value = folder.get(path)
    if value is MISSING or value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int) or not -(2**31) <= value < 2**31:
        raise wrong_value(name, path, "a 32-bit integer", value)
    return value


def wrong_value(name: str, path: Path, wanted: str, value: object) -> Exception:
    """Return the error for a field of a header that cannot be written."""
    field = path.steps[0].name
    return error(
        mq.PSRC_HEADER_FIELD, f"{name}.{field} is {wanted}, not {value!r:.60}", header=name, field=field
    )
