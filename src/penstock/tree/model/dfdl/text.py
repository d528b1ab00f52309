"""DFDL data with delimiters: from properties to TDS's properties of a field and a group.

A sequence with a separator is delimited, one with initiated content is tagged, one without a separator is
fixed; there a field with a terminator or an initiator gets its own group (`enclosed`). All of it is text:
binary representations are refused.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from penstock.tree.model.dfdl.fixed import virtual_scale
from penstock.tree.model.logical import Field, Group
from penstock.tree.model.schema_documents import wrong
from penstock.tree.model.tds import Tds, TdsType

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.tree.model.dfdl.properties import Formats, Properties
    from penstock.tree.model.schema_walk import Simple

_NEVER = "<U+0001>"  # a required delimiter that is not defined
_ANY_LENGTH = -1
_PADDED = {"string": "String", "integer": "Number", "decimal": "Number", "float": "Number"}
_KEEPING = ("never", "required")


def delimiter(said: Properties, name: str) -> str:
    """Return a delimiter in TDS's notation."""
    return said.literal(name).replace("<", "<LT>")


def text_field(said: Properties, simple: Simple) -> Tds:
    """Return TDS's properties of a simple element."""
    if said.get("representation", "text") != "text" or simple.name == "binary":
        what = "binary data beside delimiters, text numbers or optional fields is not supported"
        raise wrong(said.node, f"{said.node.get('name')}: {what}")
    words: dict[str, Any] = {**_sized(said, simple), **_padded(said, simple), **_valued(said, simple)}
    return Tds(**words)


def _sized(said: Properties, simple: Simple) -> dict[str, Any]:
    kind = said.one_of("lengthKind", "delimited", "explicit", "implicit", "endOfParent", "pattern")
    if kind == "pattern":
        return {"pattern": said.get("lengthPattern", "")}
    if kind == "explicit" and said.get("length", "").startswith("{"):
        return {"length_from": said.field("length")}
    if kind == "explicit":
        return {"length": said.number("length")}
    return {"length": simple.length} if kind == "implicit" else {}


def _padded(said: Properties, simple: Simple) -> dict[str, Any]:
    sort = _PADDED.get(simple.name, "Boolean" if simple.name == "boolean" else "Calendar")
    return {
        "justify": said.one_of(
            f"text{sort}Justification", "right" if sort == "Number" else "left", "left", "right"
        ),
        "pad": delimiter(said, f"text{sort}PadCharacter"),
        "trim": said.get("textTrimKind", "none") == "padChar",
    }


def _valued(said: Properties, simple: Simple) -> dict[str, Any]:
    words: dict[str, Any] = {}
    if simple.name in ("integer", "decimal", "float"):
        said.one_of("textNumberRep", "standard")
        words["point"] = said.literal("textStandardDecimalSeparator")
        pattern = said.get("textNumberPattern", "")
        if "V" in pattern:
            words["scale"] = virtual_scale(pattern)
    elif simple.name == "boolean":
        words["true"] = said.literal("textBooleanTrueRep") or "true"
        words["false"] = said.literal("textBooleanFalseRep") or "false"
    elif simple.name != "string" and said.get("calendarPatternKind") == "explicit":
        words["format"] = said.get("calendarPattern", "")
    return words


def text_group(
    said: Properties, compose: str, formats: Formats, members: Iterable[Field | Group], name: str
) -> TdsType:
    """Return the separation of a group's members."""
    parts = list(members)
    separator = delimiter(said, "separator") if compose != "choice" else ""
    opening, closing = delimiter(said, "initiator"), delimiter(said, "terminator")
    position = said.one_of("separatorPosition", "infix", "prefix", "postfix")
    if separator and position == "prefix":
        opening += separator
    if separator and position == "postfix":
        closing = separator + closing
    words = {"indicator": opening, "terminator": closing, **_escapes(said, formats)}
    words["keep_trailing"] = (
        said.get("separatorSuppressionPolicy") or said.get("separatorPolicy", "")
    ) in _KEEPING
    if said.get("initiatedContent") == "yes" and (separator or compose == "choice"):
        return TdsType(
            "tagged delimited", separator or _NEVER, tag_length=_ANY_LENGTH, observe_length=True, **words
        )
    if separator:
        return TdsType("all elements delimited", separator, observe_length=True, **words)
    if compose == "choice":
        return TdsType("variable length elements delimited", _NEVER, **words)
    if any(_about(each, name).pattern for each in parts):
        return TdsType("use data pattern", **words)
    return TdsType("fixed length", **words)


def _escapes(said: Properties, formats: Formats) -> dict[str, Any]:
    scheme = formats.escape_scheme(said)
    if scheme is None:
        return {}
    extra = scheme.get("extraEscapedCharacters", "")
    words = {"reserved": "".join(delimiter_of(scheme, each) for each in extra.split())}
    if scheme.one_of("escapeKind", "escapeCharacter", "escapeBlock") == "escapeCharacter":
        return {**words, "escape": scheme.literal("escapeCharacter")}
    start, end = scheme.literal("escapeBlockStart"), scheme.literal("escapeBlockEnd")
    if start != end or scheme.literal("escapeEscapeCharacter") not in ("", start):
        raise wrong(scheme.node, "an escape block begins and ends with the same character, doubled within")
    return {**words, "quote": start}


def delimiter_of(said: Properties, text: str) -> str:
    """Return one literal of a list."""
    return said.decoded("extraEscapedCharacters", text).replace("<", "<LT>")


def enclosed(field: Field, said: Properties, name: str) -> Field | Group:
    """Return a simple field in its own group, if it has an initiator or a terminator."""
    opening, closing = delimiter(said, "initiator"), delimiter(said, "terminator")
    if not opening and not closing:
        return field
    about: dict[str, Any] = {name: TdsType("all elements delimited", closing or _NEVER, opening, closing)}
    least, most = field.min, field.max
    field.min, field.max = 1, 1
    return Group(field, min=least, max=None if most == -1 else most, **about)


def open_ended(field: Field, name: str) -> Field | Group:
    """Return a field of a fixed group that ends with the enclosing group."""
    about = _about(field, name)
    if not isinstance(field.type, str) or about.length is not None or about.length_from or about.pattern:
        return field
    around: dict[str, Any] = {name: TdsType("all elements delimited", _NEVER)}
    return Group(field, **around)


def tagged(member: Field | Group, said: Properties, name: str) -> Field | Group:
    """Return a member of a tagged group: its initiator is its tag; inner groups are ignored."""
    if isinstance(member, Group):
        member.formats.pop(name, None)
        return member
    tag = delimiter(said, "initiator")
    if not tag:
        raise wrong(said.node, f"{member.name} needs an initiator: the content around it is initiated")
    member.formats[name] = replace(_about(member, name), tag=tag)
    around = member.type.formats.get(name) if isinstance(member.type, Group) else None
    if isinstance(member.type, Group) and isinstance(around, TdsType):
        member.type.formats[name] = replace(around, indicator=around.indicator.removeprefix(tag))
    return member


def _about(member: Field | Group, name: str) -> Tds:
    said = member.formats.get(name)
    return said if isinstance(said, Tds) else Tds()
