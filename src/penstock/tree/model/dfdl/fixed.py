"""DFDL data without delimiters: from properties to CWF's properties of a field.

Lengths are explicit, implied by the type, prefixed, given by an earlier field, or the rest; numbers binary,
packed or zoned. `NeedsText` means that a message has delimiters or textual numbers, so that `dfdl.text`
handles it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.tree.model.cwf import Cwf
from penstock.tree.model.schema_documents import wrong

if TYPE_CHECKING:
    from penstock.tree.model.dfdl.properties import Properties
    from penstock.tree.model.schema_walk import Simple

_WIDTHS = {"byte": 1, "short": 2, "int": 4, "long": 8, "float": 4, "double": 8, "boolean": 4}
_ORDERS = {"bigEndian": "big", "littleEndian": "little"}
_NUMBERS = ("integer", "decimal")
_UNSIGNED = ("unsigned", "nonNegative")
_ZONED = {
    "asciiStandard": "ascii",
    "asciiTranslatedEBCDIC": "ascii-ebcdic",
}


class NeedsText(Exception):
    """The message is text with delimiters."""


def fixed_field(
    said: Properties, simple: Simple, prefix: Properties | None, *, is_mixed: bool = False
) -> Cwf:
    """Return CWF's properties of a simple element; `prefix` are those of its length prefix.

    `is_mixed` allows numbers as text, which a message without binary data leaves to `dfdl.text`.
    """
    words: dict[str, Any] = {"order": _ORDERS.get(said.get("byteOrder", ""), "")}
    is_text = said.get("representation", "text") == "text" and simple.name != "binary"
    if simple.name == "string" or (is_text and simple.name not in _NUMBERS):
        if simple.name not in ("string", "date", "time", "dateTime"):
            raise NeedsText
        words |= _text(said, simple)
    elif is_text:
        words |= _digits(said) if is_mixed and _is_standard(said) else _zoned(said)
    elif simple.name in _NUMBERS:
        words |= _binary_number(said, simple)
    elif simple.name == "float":
        words["floating"] = {"ieee": "ieee", "ibm390Hex": "s390"}.get(said.get("binaryFloatRep", ""), "")
    elif simple.name == "boolean":
        true, false = said.number("binaryBooleanTrueRep", 1), said.number("binaryBooleanFalseRep")
        width = _length(said, simple)
        words |= {"true": true.to_bytes(width, "big"), "false": false.to_bytes(width, "big")}
    words |= fixed_place(said)
    words |= _sized(said, simple, prefix)
    return Cwf(**words)


def fixed_place(said: Properties) -> dict[str, Any]:
    """Return the position of a part: its alignment and what is skipped."""
    bits = said.get("alignmentUnits", "bytes") == "bits"
    align = 1 if said.get("alignment", "1") == "implicit" else said.number("alignment", 1)
    return {
        "align": max(align // 8, 1) if bits else align,
        "lead": said.number("leadingSkip"),
        "trail": said.number("trailingSkip"),
    }


def _text(said: Properties, simple: Simple) -> dict[str, Any]:
    words: dict[str, Any] = {"trim": said.get("textTrimKind", "none") == "padChar"}
    if simple.name == "string":
        words["justify"] = said.one_of("textStringJustification", "left", "right")
        words["pad"] = said.literal("textStringPadCharacter") or " "
    elif said.get("calendarPatternKind") == "explicit":
        words["format"] = said.get("calendarPattern", "")
    return words


def _is_standard(said: Properties) -> bool:
    return said.get("textNumberRep", "standard") == "standard"


def _digits(said: Properties) -> dict[str, Any]:
    """Return the properties of a number as text of a fixed length."""
    if said.literal("textStandardDecimalSeparator") not in ("", "."):
        raise wrong(said.node, "numbers as text beside binary data have a decimal point")
    pattern = said.get("textNumberPattern", "")
    pad = "0" if pattern.startswith("0") else said.literal("textNumberPadCharacter") or "0"
    justify = said.one_of("textNumberJustification", "right", "left")
    return {"physical": "digits", "pad": pad, "justify": justify, "scale": virtual_scale(pattern)}


def _zoned(said: Properties) -> dict[str, Any]:
    if _is_standard(said):
        raise NeedsText
    pattern = said.get("textNumberPattern", "")
    sign = "leading" if pattern.startswith("+") else "trailing" if pattern.endswith("+") else "none"
    words: dict[str, Any] = {"physical": "external", "sign": sign, "signed": sign != "none"}
    words["scale"] = virtual_scale(pattern)
    style = _ZONED.get(said.get("textZonedSignStyle", ""))
    if style is not None:
        words["overpunch"] = style if "EBCDIC" not in said.get("encoding", "").upper() else ""
    return words


def virtual_scale(pattern: str) -> int:
    """Return the number of digits after the virtual point of a number's pattern."""
    _, point, behind = pattern.split(";", maxsplit=1)[0].partition("V")
    return sum(each in "0#" for each in behind) if point else 0


def _binary_number(said: Properties, simple: Simple) -> dict[str, Any]:
    bits = said.number("length") if said.get("lengthUnits") == "bits" and simple.name == "integer" else 0
    if bits % 8 and said.get("lengthKind", "explicit") == "explicit":
        if said.get("byteOrder", "bigEndian") != "bigEndian" or not simple.base.startswith(_UNSIGNED):
            raise wrong(said.node, "a field of bits is an unsigned number, its high bit first")
        return {"physical": "bits", "bits": bits, "signed": False}
    rep = said.one_of("binaryNumberRep", "binary", "packed")
    signed = not simple.base.startswith(_UNSIGNED)
    if simple.base == "decimal":
        signed = said.get("decimalSigned", "yes") == "yes"
    words: dict[str, Any] = {"signed": signed, "scale": said.number("binaryDecimalVirtualPoint")}
    words["physical"] = "packed" if rep == "packed" else "integer"
    if rep == "packed":
        codes = said.get("binaryPackedSignCodes", "C D F C").split()
        words["positive"] = codes[0] if signed or len(codes) < 3 else codes[2]
    return words


def _prefixed(said: Properties, prefix: Properties | None) -> dict[str, Any]:
    if prefix is None or said.get("prefixIncludesPrefixLength", "no") == "yes":
        raise wrong(said.node, "a length prefix has a type, and does not count itself")
    length = prefix.number("length")
    if prefix.get("representation", "text") != "text":
        if length not in (1, 2, 4):
            raise wrong(said.node, "a binary length prefix has 1, 2 or 4 bytes")
        return {"prefix": length}
    if not _is_standard(prefix):
        raise wrong(said.node, "a length prefix of text is a standard number")
    units = "characters" if said.get("lengthUnits") == "characters" else "bytes"
    return {"prefix": length, "prefix_digits": True, "units": units}


def _sized(said: Properties, simple: Simple, prefix: Properties | None) -> dict[str, Any]:
    kind = said.one_of(
        "lengthKind", "explicit", "implicit", "prefixed", "endOfParent", "delimited", "pattern"
    )
    if kind in ("delimited", "pattern"):
        raise NeedsText
    if kind == "endOfParent":
        return {"to_end": True}
    if kind == "prefixed":
        return _prefixed(said, prefix)
    if said.get("length", "").startswith("{") and kind == "explicit":
        return {"length_from": said.field("length")}
    units = said.one_of("lengthUnits", "bytes", "characters", "bits")
    return {"length": _length(said, simple), "units": "characters" if units == "characters" else "bytes"}


def _length(said: Properties, simple: Simple) -> int:
    """Return the length from a property or the type, in length units."""
    if said.get("lengthKind", "explicit") == "explicit" and said.get("length", ""):
        number = said.number("length")
        return number // 8 if said.get("lengthUnits") == "bits" else number
    if simple.name in ("string", "binary") and simple.length is not None:
        return simple.length
    width = _WIDTHS.get(simple.base.removeprefix("unsigned").lower())
    if width is None or simple.name == "string":
        raise wrong(said.node, f"{said.node.get('name')} needs a length")
    return width
