"""MIME: headers and parts of a document as a tree; multi-part, nested, with its transfer encodings.

Headers are fields; a part's content is Data.BLOB.BLOB, decoded from base64 or quoted-printable; the parts of
a multi-part document are Parts.Part. On output, content is encoded as its header specifies, and a boundary
that occurs in a part is refused. Depth, parts and headers are limited.
"""

from __future__ import annotations

import base64
import binascii
import re
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.tree.core._arena import Domain
from penstock.tree.core._path import Path
from penstock.tree.core._values import as_characters
from penstock.tree.core.missing import MISSING

if TYPE_CHECKING:
    from penstock.tree.core._reference import Reference

DEPTH_MAX = 20
PARTS_MAX = 10_000
HEADERS_MAX = 1000  # of one part
LINE_MAX = 76  # characters of base64
_CONTENT = Path("Data", "BLOB", "BLOB")
_PARTS, _PREAMBLE, _EPILOGUE = Path("Parts"), Path("Preamble"), Path("Epilogue")
_OWN = ("Parts", "Data", "Preamble", "Epilogue")
_HEADER = re.compile(r"([!-9;-~]+):[ \t]*(.*)", re.DOTALL)
_BOUNDARY = re.compile(r"""(?i);\s*boundary\s*=\s*(?:"([^"]{1,70})"|([^\s";]{1,70}))""")
_BAD = re.compile(r"[\r\n\0]")


class MIME(Domain):
    """The domain."""

    def __init__(self) -> None:
        super().__init__("MIME", text=False)

    def parse_into(self, folder: Reference, data: bytes) -> None:
        _Reader().entity(folder, data, 0, 0)

    def serialise_from(self, folder: Reference) -> bytes:
        return _written(folder, 0)


class _Reader:
    """Reads one document, and counts its parts."""

    def __init__(self) -> None:
        self.parts = 0

    def entity(self, folder: Reference, data: bytes, depth: int, start: int) -> None:
        """Add headers and content of the part that starts here; recursive, but limited in depth."""
        if depth > DEPTH_MAX:
            raise _wrong(f"parts within parts more than {DEPTH_MAX} deep", start)
        pairs, content = _headers(data, start)
        start += len(data) - len(content)
        for name, value in pairs:
            folder.add_last_child(name, value)
        kind = _value(pairs, "content-type")
        boundary = _boundary(kind)
        if not kind.lower().startswith("multipart/") or boundary is None:
            decoded = _decoded(content, _value(pairs, "content-transfer-encoding"), start)
            folder.set(_CONTENT, decoded)
            return
        split = _split(content, boundary, start)
        if split.preamble.strip():
            folder.add_last_child("Preamble", split.preamble)
        above = folder.add_last_child("Parts")
        for part, place in split.parts:
            self.parts += 1
            if self.parts > PARTS_MAX:
                raise _wrong(f"more than {PARTS_MAX} parts", place)
            self.entity(above.add_last_child("Part"), part, depth + 1, place)
        if split.epilogue.strip():
            folder.add_last_child("Epilogue", split.epilogue)


class _Split(NamedTuple):
    preamble: bytes
    parts: list[tuple[bytes, int]]  # with where they start
    epilogue: bytes


def _wrong(what: str, offset: int) -> MQError:
    return error(mq.PSRC_MIME_STRUCTURE, f"offset {offset}: {what}", offset=offset)


def _split(content: bytes, boundary: str, start: int) -> _Split:
    """Split a multi-part content at its boundary lines (RFC 2046, 5.1)."""
    line = re.compile(
        rb"(?:\A|\r?\n)--" + re.escape(boundary.encode("latin-1")) + rb"(--)?[ \t]*(?=\r?\n|\Z)"
    )
    places = list(line.finditer(content))
    end = next((number for number, place in enumerate(places) if place[1]), None)
    if end is None:
        raise _wrong(f"the boundary {boundary!r:.80} does not close the parts", start + len(content))
    parts = []
    for begin, after in pairwise(places[: end + 1]):
        part = _behind_line(content[begin.end() : after.start()])
        parts.append((part, start + after.start() - len(part)))
    return _Split(content[: places[0].start()], parts, _behind_line(content[places[end].end() :]))


def _behind_line(data: bytes) -> bytes:
    return data[2:] if data.startswith(b"\r\n") else data[1:] if data.startswith(b"\n") else data


def _headers(data: bytes, start: int) -> tuple[list[tuple[str, str]], bytes]:
    """Return the headers, with continuation lines joined, and what follows the empty line."""
    pairs: list[tuple[str, str]] = []
    place = 0
    while place < len(data):
        end = data.find(b"\n", place)
        end = len(data) if end < 0 else end
        line = data[place:end].removesuffix(b"\r").decode("latin-1")
        here, place = place, end + 1
        if not line:
            return pairs, data[place:]
        if line[0] in " \t" and pairs:
            pairs[-1] = (pairs[-1][0], f"{pairs[-1][1]} {line.strip()}")
            continue
        found = _HEADER.fullmatch(line)
        if found is None or len(pairs) == HEADERS_MAX:
            raise _wrong(f"no MIME header, or more than {HEADERS_MAX}: {line[:60]!r}", start + here)
        pairs.append((found[1], found[2].rstrip()))
    return pairs, b""


def _value(pairs: list[tuple[str, str]], name: str) -> str:
    return next((value for key, value in pairs if key.lower() == name), "")


def _boundary(kind: str) -> str | None:
    found = _BOUNDARY.search(kind)
    return None if found is None else found[1] or found[2]


def _decoded(content: bytes, encoding: str, start: int) -> bytes:
    how = encoding.strip().lower()
    if how == "base64":
        try:
            return base64.b64decode(re.sub(rb"\s+", b"", content), validate=True)
        except binascii.Error as problem:
            raise _wrong(f"a part is not base64: {problem}", start) from problem
    return binascii.a2b_qp(content) if how == "quoted-printable" else content


def _encoded(content: bytes, encoding: str) -> bytes:
    how = encoding.strip().lower()
    if how == "base64":
        text = base64.b64encode(content)
        return b"\r\n".join(text[i : i + LINE_MAX] for i in range(0, len(text), LINE_MAX))
    if how == "quoted-printable":
        # Line ends are content too: nothing may be lost in a part that is not text.
        return binascii.b2a_qp(content, quotetabs=True, istext=False).replace(b"=\n", b"=\r\n")
    if how not in ("", "7bit", "8bit", "binary"):
        raise error(
            mq.PSRC_MIME_STRUCTURE, f"transfer encoding {encoding!r:.40} is not known", encoding=encoding
        )
    return content


def _written(folder: Reference, depth: int) -> bytes:
    """Return the bytes of one part; trees deeper than DEPTH_MAX are refused, so this may be recursive."""
    if depth > DEPTH_MAX:
        raise error(mq.PSRC_MIME_STRUCTURE, f"parts within parts more than {DEPTH_MAX} deep")
    pairs = [(field.name, _checked(field)) for field in folder if field.name not in _OWN]
    head = "".join(f"{name}: {value}\r\n" for name, value in pairs).encode("latin-1") + b"\r\n"
    parts = folder.reference(_PARTS)
    if parts is None:
        return head + _encoded(_bytes(folder, _CONTENT), _value(pairs, "content-transfer-encoding"))
    boundary = _boundary(_value(pairs, "content-type"))
    if boundary is None:
        raise error(mq.PSRC_MIME_STRUCTURE, "a document with Parts needs a Content-Type with a boundary")
    mark = b"--" + boundary.encode("latin-1")
    chunks = [head]
    preamble = _bytes(folder, _PREAMBLE)
    if preamble:
        chunks += [preamble, b"\r\n"]
    for part in parts:
        data = _written(part, depth + 1)
        if mark in data:
            raise error(
                mq.PSRC_MIME_STRUCTURE, f"the boundary {boundary!r:.80} occurs in a part", boundary=boundary
            )
        chunks += [mark, b"\r\n", data, b"\r\n"]
    return b"".join([*chunks, mark, b"--\r\n", _bytes(folder, _EPILOGUE)])


def _checked(field: Reference) -> str:
    value = as_characters(field.value)
    if not _HEADER.fullmatch(f"{field.name}:") or _BAD.search(value) or max(value, default="") > "\xff":
        raise error(mq.PSRC_MIME_STRUCTURE, f"no MIME header: {field.name!r:.60}", field=field.name)
    return value


def _bytes(folder: Reference, path: Path) -> bytes:
    value = folder.get(path)
    if value is MISSING or value is None:
        return b""
    return value if isinstance(value, bytes) else as_characters(value).encode()
