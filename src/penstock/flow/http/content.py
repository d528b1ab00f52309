"""Headers and types between trees and HTTP: what input, reply and request nodes share."""

from __future__ import annotations

from encodings import normalize_encoding
from encodings.aliases import aliases
from functools import cache
from typing import TYPE_CHECKING, Any

from penstock.flow.new_messages import UTF8
from penstock.model import constants as mq
from penstock.model.ccsid import codec, known_ccsids
from penstock.model.errors import error
from penstock.tree import MISSING, Path
from penstock.tree.headers.http import header_lines
from penstock.tree.xml.soap import NAMESPACES

if TYPE_CHECKING:
    from penstock.tree import Message

STATUS_MIN, STATUS_MAX = 200, 599
CHARSET_MAX = 40
_XML = ("XMLNSC", "XMLNS", "XML", "SOAP")
_VERSION = Path("SOAP", "Context", "SOAP_Version")
_NEWEST = list(NAMESPACES)[-1]


def header_pairs(message: Message, folder: str) -> list[tuple[str, str]]:
    """Return the headers in a folder of a message; 8140 for one that could inject another."""
    found = message.reference(Path(folder))
    form = None if found is None else found.form
    if found is None or form is None:
        return []
    return header_lines(form.serialise_from(found))


def content_type_of(message: Message) -> str:
    """Return the Content-Type of a body by its domain."""
    domain = message.domain
    if domain == "SOAP" and message.get(_VERSION) == _NEWEST:
        return "application/soap+xml; charset=utf-8"
    if domain in _XML:
        return "text/xml; charset=utf-8"
    if domain == "JSON":
        return "application/json; charset=utf-8"
    return "application/octet-stream"


def domain_of(content_type: str) -> str:
    """Return the domain for a body of a content type: JSON, XMLNSC, or BLOB for all others.

    >>> domain_of("application/problem+json; charset=utf-8")
    'JSON'
    """
    kind = content_type.partition(";")[0].strip().lower()
    if kind.endswith(("/json", "+json")):
        return "JSON"
    return "XMLNSC" if kind.endswith(("/xml", "+xml")) else "BLOB"


def charset_of(content_type: str) -> int:
    """Return the CCSID of a Content-Type's charset; that of UTF-8 if it names no known one."""
    for parameter in content_type.split(";")[1:]:
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "charset":
            return _charsets().get(_charset_name(value.strip().strip('"')[:CHARSET_MAX]), UTF8)
    return UTF8


@cache
def _charsets() -> dict[str, int]:
    return {_charset_name(codec(ccsid)): ccsid for ccsid in reversed(known_ccsids())}


def _charset_name(charset: str) -> str:
    """Return one name for all aliases of a charset. `codecs.lookup` would cache every name it was ever asked
    for.
    """
    name = normalize_encoding(charset).lower()
    return aliases.get(name, name)


def number_of(value: Any) -> int:
    """Return a status that was given somewhere, 0 for none; 8140 for an invalid one."""
    if value is MISSING or value is None or value == "":
        return 0
    text = str(value).strip()
    if not text.isdigit() or not STATUS_MIN <= int(text) <= STATUS_MAX:
        raise error(mq.PSRC_HEADER_FIELD, f"{text[:20]!r} is no status of a reply")
    return int(text)
