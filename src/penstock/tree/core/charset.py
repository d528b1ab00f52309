"""Character sets of bodies: the one of an XML document, and the same text as UTF-8.

The message's CCSID takes precedence over the document's declaration; a document without either is UTF-8 (XML
1.0, appendix F). Only character sets of messages are accepted, not every codec of Python. Scanners call this
if the text is not obviously UTF-8.
"""

from __future__ import annotations

import codecs
import re

from penstock.model import constants as mq
from penstock.model.ccsid import codec
from penstock.model.ccsid import decode as decode_ccsid
from penstock.model.errors import MQError, error

_DECLARED = re.compile(r"""<\?xml\s[^>]*?encoding\s*=\s*["']([A-Za-z][A-Za-z0-9._-]*)["']""")
_ACCEPTED = re.compile(
    r"utf-?8|utf-?16(-?(le|be))?|us-ascii|ascii|iso-?(8859|ir)-?\d+|latin-?\d+|l\d|(windows|cp|ibm)-?0*\d+"
    r"|ebcdic-cp-[a-z0-9]+|koi8-[ru]|shift[_-]jis|sjis|euc-(jp|kr)|gb2312|gbk|gb18030|big5(-?hkscs)?|macintosh"
)
_EBCDIC_NAMES = {
    "ebcdic-cp-us": "cp037",
    "ebcdic-cp-ca": "cp037",
    "ebcdic-cp-nl": "cp037",
    "ebcdic-cp-wt": "cp037",
}
_PENSTOCK = "penstock_cp"
_XML_NAMES = {
    "utf-8": "UTF-8",
    "utf-16-le": "UTF-16LE",
    "utf-16-be": "UTF-16BE",
    "utf-16": "UTF-16",
    "ascii": "US-ASCII",
    "latin-1": "ISO-8859-1",
    "iso8859-1": "ISO-8859-1",
    "shift_jis": "Shift_JIS",
    "cp932": "Shift_JIS",
}


def text_as_utf8(source: bytes, ccsid: int, encoding: int) -> tuple[bytes, str]:
    """Return a text in UTF-8 and its original codec, given by a CCSID."""
    return decode_ccsid(source, ccsid, encoding).encode("utf-8", "surrogatepass"), codec(ccsid, encoding)


def xml_as_utf8(source: bytes) -> tuple[bytes, str]:
    """Return an XML document in UTF-8 and its original codec, from its declaration."""
    name = _xml_codec(source)
    try:
        text = source.decode(name)
    except UnicodeDecodeError as problem:
        raise error(
            mq.PSRC_XML_ENCODING,
            f"not text in {name}: {problem.reason} at byte {problem.start}",
            offset=problem.start,
        ) from problem
    text = text.removeprefix("\ufeff")
    return text.encode("utf-8", "surrogatepass"), name


def xml_name(name: str) -> str:
    """Return the name of a codec in an XML declaration."""
    known = _XML_NAMES.get(name)
    if known:
        return known
    number = name.removeprefix(_PENSTOCK)
    if number != name:
        return f"IBM{int(number):03d}"
    ebcdic = re.fullmatch(r"cp(\d+)", name)
    if ebcdic:
        return f"windows-{ebcdic[1]}" if 1250 <= int(ebcdic[1]) <= 1258 else f"IBM{ebcdic[1]}"
    return re.sub(r"^iso8859-", "ISO-8859-", name)


def same_charset(name: str, other: str) -> bool:
    """Return whether two names mean the same character set; UTF-16 of any byte order is one."""
    try:
        one, two = codecs.lookup(_python_name(name)).name, codecs.lookup(_python_name(other)).name
    except (LookupError, ValueError):
        return False
    return one == two or (one.startswith("utf-16") and two.startswith("utf-16"))


def _xml_codec(source: bytes) -> str:
    if source.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    if source.startswith(b"<\x00"):
        return "utf-16-le"
    if source.startswith(b"\x00<"):
        return "utf-16-be"
    ebcdic = source.startswith(b"\x4c\x6f\xa7\x94")
    head = source[:400].decode("cp037" if ebcdic else "latin-1")
    declared = _DECLARED.search(head)
    if declared is None:
        return "cp037" if ebcdic else "utf-8"
    if declared[1].lower().startswith("utf-16") and not ebcdic:
        raise error(
            mq.PSRC_XML_ENCODING, f"the document says {declared[1]}, but it is not", encoding=declared[1]
        )
    return _accepted(declared[1])


def _accepted(declared: str) -> str:
    name = _python_name(declared)
    try:
        if not _ACCEPTED.fullmatch(declared.lower()):
            raise LookupError(declared)
        codecs.lookup(name)
    except LookupError:
        raise error(
            mq.PSRC_XML_ENCODING, f"encoding {declared!r} is not known here", encoding=declared
        ) from None
    return name


def _python_name(declared: str) -> str:
    lower = declared.lower()
    ibm = re.fullmatch(r"(?:ibm|cp)-?0*(\d+)", lower)
    if ibm:
        try:
            return codec(int(ibm[1]))
        except MQError as problem:
            raise LookupError(declared) from problem
    return _EBCDIC_NAMES.get(lower, lower)
