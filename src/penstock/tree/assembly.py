"""A whole message as a tree and back: Properties, MQMD, the chain of headers, the body.

`parse_message` splits a queue message along the formats that each header names; every folder is parsed on
demand. `serialise_message` joins it again: each header is updated to describe what follows it, and unchanged
parts are written as they arrived. Flow nodes call this; `Message` knows folders, this module knows their
order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import cython

from penstock.model import constants as mq
from penstock.model.ccsid import is_known
from penstock.model.constants import MQENC_NATIVE, MQFMT_NONE, MQFMT_RF_HEADER_2
from penstock.model.errors import error
from penstock.model.message import Message as QueueMessage
from penstock.model.rfh2 import attach_properties, unpack_rfh2
from penstock.model.rfh2_folders import decode_folder
from penstock.tree.builtin import DESCRIPTOR, HEADERS, PROPERTIES
from penstock.tree.core._domains import domain_names, domain_of_model
from penstock.tree.core._message import Message, queued_message
from penstock.tree.core._path import Path
from penstock.tree.core.missing import MISSING
from penstock.tree.headers.header import UTF8, Content, Header, HeaderBytes
from penstock.tree.headers.mqmd import MQMD, changed_message, message_of
from penstock.tree.properties import Properties

if TYPE_CHECKING:
    from penstock.model.message import Descriptor
    from penstock.tree.core._limits import Limits
    from penstock.tree.core._reference import Reference
    from penstock.tree.properties import About

HEADERS_MAX = 100  # in one message
_PRIORITY, _PERSISTENCE = Path("Priority"), Path("Persistence")
_ENCODING, _CCSID = Path("Encoding"), Path("CodedCharSetId")


class Description(NamedTuple):
    """A body's description by a node or an mcd folder: its domain, and set, type and format of a model."""

    domain: str = ""
    set: str = ""
    type: str = ""
    format: str = ""


def parse_message(
    source: QueueMessage,
    domain: str = "BLOB",
    model: object = None,
    *,
    set: str = "",
    type: str = "",
    format: str = "",
    mixed: bool = False,
    comments: bool = False,
    instructions: bool = False,
    doctype: bool = False,
    transactional: bool = False,
    limits: Limits | None = None,
) -> Message:
    """Return the tree of a queue message; a folder is parsed at its first access.

    The mcd folder of an MQRFH2 takes precedence over `domain`, `set`, `type` and `format`. Properties of the
    message become an MQRFH2 of their own. An inconsistent chain of headers raises the reason of the header;
    more than HEADERS_MAX raise 8141.
    """
    if source.properties:
        source = _with_header_of_properties(source)
    own, body = source.descriptor, source.body or b""
    encoding, ccsid = own.encoding, own.ccsid or UTF8
    headers: list[tuple[Header, HeaderBytes]] = []
    if own.format in _BY_FORMAT:
        found = _read_chain(
            body, Content(own.format, encoding, ccsid), Description(domain, set, type, format)
        )
        (domain, set, type, format), headers, body = found.said, found.headers, body[found.place :]
        encoding, ccsid = found.content.encoding, found.content.ccsid
    about = (source, (encoding, ccsid, set, type, format, transactional))
    message = _with_headers(Message() if limits is None else Message(limits=limits), about, headers)
    message.add_body(
        body,
        domain,
        model,
        message=(type.rpartition(":")[2] or None) if model is not None else None,  # {namespace}:name
        format=(format or None) if model is not None else None,
        ccsid=ccsid if ccsid == UTF8 or is_known(ccsid) else UTF8,
        encoding=encoding,
        mixed=mixed,
        comments=comments,
        instructions=instructions,
        doctype=doctype,
    )
    return message


@cython.cclass
class Reader:
    """Makes the trees of one input's messages; facts that hold for all of them are computed once.

    `tree` does what `parse_message` does. Most messages have the descriptor of the previous one; then the
    start and the domain of their body are known already.
    """

    def __init__(
        self,
        domain: str,
        model: object = None,
        *,
        set: str = "",
        type: str = "",
        format: str = "",
        doctype: bool = False,
    ) -> None:
        self.domain = domain
        self.model = model
        self.set = set
        self.type = type
        self.format = format
        self.doctype = doctype
        self.last: Any = None  # a descriptor without headers: the body comes first
        self.form: Any = None
        self.encoding = self.text_ccsid = 0
        self.said: Any = None  # about messages in a unit of work, and about others

    def tree(self, source: QueueMessage, transactional: bool) -> Message:
        """Return the tree of a message; a folder is parsed at its first access."""
        if source.properties or (source.descriptor is not self.last and not self._plain(source.descriptor)):
            return parse_message(
                source,
                self.domain,
                self.model,
                set=self.set,
                type=self.type,
                format=self.format,
                doctype=self.doctype,
                transactional=transactional,
            )
        about = (source, self.said[0 if transactional else 1])
        body = b"" if source.body is None else source.body
        return queued_message(
            body, self.form, self.text_ccsid, self.encoding, PROPERTIES, about, DESCRIPTOR, source
        )

    def _plain(self, own: Descriptor) -> bool:
        """Remember what a descriptor implies, unless headers come first; raises 8131 and 8132 like a parse.

        An input that accepts document types uses the slower way, which has options.
        """
        if own.format in _BY_FORMAT or self.doctype:
            return False
        has_model = self.model is not None
        message = (self.type.rpartition(":")[2] or None) if has_model else None
        self.form = domain_of_model(
            self.domain, self.model, message, (self.format or None) if has_model else None
        )
        ccsid = own.ccsid or UTF8
        self.encoding = own.encoding
        self.text_ccsid = ccsid if ccsid == UTF8 or is_known(ccsid) else UTF8
        said = (own.encoding, ccsid, self.set, self.type, self.format)
        self.said = ((*said, True), (*said, False))
        self.last = own
        return True


def serialise_message(message: Message) -> QueueMessage:
    """Return the message of a tree: body with its headers, and the descriptor from MQMD and Properties.

    The last header before the body gives its format, encoding and character set; changes in Properties take
    precedence over values that were not changed. Several bodies follow each other in their order, as IBM's
    brokers write them. A header behind a body, and a folder of no domain, raise 8141.
    """
    quick = _with_new_body(message)
    return quick if quick is not None else _assembled(message, {})


def message_bytes(message: Message, ccsid: int = 0, encoding: int = 0) -> bytes:
    """Return headers and body; the body in a CCSID and an encoding, where 0 means the message's own."""
    asked = {name: number for name, number in (("ccsid", ccsid), ("encoding", encoding)) if number}
    return (_assembled(message, asked) if asked else serialise_message(message)).body or b""


def _assembled(message: Message, asked: dict[str, Any]) -> QueueMessage:
    parts = _parts(message, asked)
    quick = _with_changes(message, parts)
    if quick is not None:
        return quick
    links = [part for part in (parts.mqmd, *parts.headers) if part is not None]
    contents = [_link(folder).following(folder) for folder in links]
    own = (MQENC_NATIVE, UTF8)
    chunks: list[bytes] = []
    for place, folder in enumerate(links):
        content = _resolved(contents[place], own)
        if place + 1 < len(links):
            content = content._replace(format=_header(links[place + 1]).format)
        else:
            content = _about_body(content, folder, parts)
        said = contents[place]
        if content != _resolved(said, own):
            _link(folder).describe(folder, content)
        form = folder.form
        if isinstance(form, Header):
            chunks.append(form.write_in(folder, *own))
        own = (content.encoding, content.ccsid)
    own = (asked.get("encoding", own[0]), asked.get("ccsid", own[1]))  # without a link it is not known yet
    chunks += [_body_bytes(message, each, own[0], own[1]) for each in parts.bodies]
    result = message_of(parts.mqmd, b"".join(chunks))
    return _with_properties(result, parts)


def _with_headers(message: Message, about: About, headers: list[tuple[Header, HeaderBytes]]) -> Message:
    """Add the folders before a body."""
    message.add_folder(PROPERTIES, about)
    message.add_folder(DESCRIPTOR, about[0])
    for header, data in headers:
        message.add_folder(header, data)
    return message


def _with_new_body(message: Message) -> QueueMessage | None:
    """Return the message of a tree in which only the body was changed; None for other changes, or headers."""
    payload = message.payload_beside_body(DESCRIPTOR)
    if not isinstance(payload, QueueMessage) or isinstance(message.body_form(), Header):
        return None
    source = payload
    own = source.descriptor
    if own.format in _BY_FORMAT:
        return None
    ccsid, encoding = own.ccsid if own.ccsid > 0 else UTF8, own.encoding
    data = message.body_as_it_came(ccsid, encoding)
    if data is None:
        body = message.body
        assert body is not None  # it has a form
        data = _body_bytes(message, body, encoding, ccsid)
    return source.with_body(data)


def _with_changes(message: Message, parts: _Parts) -> QueueMessage | None:
    """Return the message of a tree without headers, based on the original; None if that is impossible."""
    if parts.headers or parts.mqmd is None or len(parts.bodies) != 1:
        return None
    result = changed_message(parts.mqmd)
    if result is None or result.descriptor.format in _BY_FORMAT:
        return None
    own = result.descriptor
    content = Content(own.format, own.encoding, own.ccsid if own.ccsid > 0 else UTF8)
    said = _about_body(content, parts.mqmd, parts)
    if said != content:
        result.descriptor = own.replace(encoding=said.encoding, ccsid=said.ccsid)
    result.body = _body_bytes(message, parts.bodies[0], said.encoding, said.ccsid)
    result.length = len(result.body)
    return _with_properties(result, parts)


class _Parts(NamedTuple):
    properties: Reference | None
    mqmd: Reference | None
    headers: list[Reference]
    bodies: list[Reference]  # one, unless a program has added another to a copied one
    asked: dict[str, Any]  # encoding and ccsid of the body, whatever the message says


def _parts(message: Message, asked: dict[str, Any]) -> _Parts:
    properties = mqmd = None
    headers: list[Reference] = []
    bodies: list[Reference] = []
    for folder in message:
        form = folder.form
        if isinstance(form, Properties):
            properties = folder
        elif isinstance(form, MQMD):
            mqmd = folder
        elif isinstance(form, Header) and not bodies:
            headers.append(folder)
        elif form is None or isinstance(form, Header):
            why = "follows the body" if form is not None else "belongs to no domain"
            raise error(
                mq.PSRC_HEADER_CHAIN,
                f"folder {folder.name!r} {why}: the order is Properties, MQMD, headers, body",
            )
        elif form.part:
            bodies.append(folder)
    return _Parts(properties, mqmd, headers, bodies, asked)


class _Chain(NamedTuple):
    headers: list[tuple[Header, HeaderBytes]]
    place: int  # where the body begins
    content: Content
    said: Description


def _read_chain(body: bytes, content: Content, said: Description) -> _Chain:
    """Measure each header; return them and what follows the last."""
    view, place = memoryview(body), 0
    headers: list[tuple[Header, HeaderBytes]] = []
    for _ in range(HEADERS_MAX):
        header = _BY_FORMAT.get(content.format)
        if header is None:
            return _Chain(headers, place, content, said)
        length, behind = header.measure(view[place:], content.encoding, content.ccsid)
        data = HeaderBytes(bytes(view[place : place + length]), content.encoding, content.ccsid)
        headers.append((header, data))
        if header.format == MQFMT_RF_HEADER_2:
            said = _described(data, said)
        content = _resolved(behind, (content.encoding, content.ccsid))
        place += length
    raise error(mq.PSRC_HEADER_CHAIN, f"more than {HEADERS_MAX} headers in one message")


def _described(data: HeaderBytes, said: Description) -> Description:
    """Return the description in the mcd folder of an MQRFH2, if there is one."""
    for text in unpack_rfh2(data.data, data.encoding, data.ccsid)[0].folders:
        if not text.lstrip(" \0").startswith("<mcd"):
            continue
        found = {path: str(value or "") for path, value in decode_folder(text).values}
        known = {name.lower(): name for name in domain_names()}
        domain = known.get(found.get("Msd", "").lower(), said.domain)
        said = Description(
            domain, found.get("Set", said.set), found.get("Type", said.type), found.get("Fmt", said.format)
        )
    return said


def _with_header_of_properties(source: QueueMessage) -> QueueMessage:
    """Return a message whose properties are in an MQRFH2 before the body."""
    body, descriptor = attach_properties(source.properties or {}, source.body or b"", source.descriptor)
    copy = source.snapshot()
    copy.body, copy.descriptor, copy.properties = body, descriptor, None
    copy.length = len(body)
    return copy


def _resolved(content: Content, own: tuple[int, int]) -> Content:
    """Return content whose CCSID is a number: 0 and negative values mean that of the header itself."""
    return content if content.ccsid > 0 else content._replace(ccsid=own[1])


def _about_body(content: Content, folder: Reference, parts: _Parts) -> Content:
    """Return what the last header must state: no header format, and the requested or changed Properties."""
    if content.format in _BY_FORMAT:
        content = content._replace(format=MQFMT_NONE)
    properties = parts.properties
    if properties is None or not properties.is_changed:
        return content._replace(**parts.asked)
    for path, name in ((_ENCODING, "encoding"), (_CCSID, "ccsid")):
        field = properties.reference(path)
        if field is None or not field.is_changed or not isinstance(field.value, int):
            continue
        own = folder.reference(path) if folder.is_changed else None
        if own is None or not own.is_changed:
            changes: dict[str, Any] = {name: field.value}
            content = content._replace(**changes)
    return content._replace(**parts.asked)


def _body_bytes(message: Message, body: Reference, encoding: int, ccsid: int) -> bytes:
    """Return the body in an encoding and a CCSID: as it arrived if those are its own and it is unchanged."""
    if (message.ccsid or UTF8) == ccsid and (message.encoding == encoding or not message.ccsid):
        return message.folder_bytes(body)
    form = body.form
    if form is None or (not form.text and not is_known(ccsid)):
        return message.folder_bytes(body)
    return message.folder_bytes(body, ccsid=ccsid, encoding=encoding)


def _with_properties(message: QueueMessage, parts: _Parts) -> QueueMessage:
    """Apply priority and persistence changed in Properties to a descriptor that was not changed there."""
    if parts.properties is None or not parts.properties.is_changed:
        return message
    priority, persistence = parts.properties.get(_PRIORITY), parts.properties.get(_PERSISTENCE)
    if _wins(parts, _PRIORITY) and isinstance(priority, int):
        message.priority = priority
    if _wins(parts, _PERSISTENCE) and persistence not in (MISSING, None):
        message.persistent = bool(persistence)
    return message


def _wins(parts: _Parts, path: Path) -> bool:
    field = parts.properties.reference(path) if parts.properties is not None else None
    if field is None or not field.is_changed:
        return False
    own = parts.mqmd.reference(path) if parts.mqmd is not None and parts.mqmd.is_changed else None
    return own is None or not own.is_changed


def _link(folder: Reference) -> Header | MQMD:
    form = folder.form
    assert isinstance(form, Header | MQMD)
    return form


def _header(folder: Reference) -> Header:
    form = folder.form
    assert isinstance(form, Header)
    return form


_BY_FORMAT = {header.format: header for header in HEADERS}
