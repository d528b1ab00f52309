"""The annotations of message sets: from the attributes of a physical format to the terms of our models.

One table for each kind of format maps the attributes; an attribute that is in no table, or has an unknown
value, is reported and ignored. TDS and XML follow real message sets; no public set shows the annotations of
CWF, so there the names of the properties decide, and the physical type is read from an attribute or from the
name of an inner element.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.tree.model.cwf import Cwf
from penstock.tree.model.schema_documents import whole, wrong
from penstock.tree.model.tds import Tds, TdsType
from penstock.tree.model.xml import Xml

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.tree.model.schema_documents import Node
    from penstock.tree.model.schema_walk import Simple

Words = dict[str, Any]
Table = dict[str, tuple[str, Any]]  # attribute: our term, and a table of values, a function, or None for text

_BOOLEANS = {"true": True, "false": False}
_JUSTIFY = {"leftJustify": "left", "rightJustify": "right", "notApplicable": ""}
_NULLS = {
    "NullPadFill": "pad",
    "NullLogicalValue": "value",
    "NullLiteralValue": "literal",
    "NullLiteralFill": "fill",
}
_SEPARATIONS = {
    "TaggedDelimited": "tagged delimited",
    "TaggedFixedLength": "tagged fixed length",
    "TaggedEncodedLength": "tagged encoded length",
    "AllElementsDelimited": "all elements delimited",
    "VariableLengthElementsDelimited": "variable length elements delimited",
    "FixedLength": "fixed length",
    "UseDataPattern": "use data pattern",
    "Undefined": "undefined",
}
_RENDERINGS = {
    "XMLElement": "element",
    "XMLAttribute": "attribute",
    "XMLElementAttrID": "element attribute id",
    "XMLElementAttrVal": "element attribute value",
    "XMLElementAttrIDVal": "element attribute id value",
}
_ALIGN = {"oneByte": 1, "twoByte": 2, "fourByte": 4, "eightByte": 8, "sixteenByte": 16}
_UNITS = {"bytes": "bytes", "characters": "characters", "characterUnits": "characters"}
_LENGTH_TYPES: dict[str, Words] = {
    "fixedLength": {},
    "lengthEncoded1": {"prefix": 1},
    "lengthEncoded2": {"prefix": 2},
    "nullTerminated": {"terminated": True},
}
_PHYSICAL = {  # by what the name of a physical type begins with, in small letters
    "packeddecimal": "packed",
    "externaldecimal": "external",
    "integer": "integer",
    "float": "float",
    "string": "string",
    "fixedlengthstring": "string",
    "binary": "binary",
    "boolean": "boolean",
    "timeseconds": "seconds",
    "timemilliseconds": "milliseconds",
    "datetime": "time",
}


def _name(reference: str) -> str:
    """Return the last field of a reference."""
    return reference.split(";", maxsplit=1)[0].rstrip("/").replace(".", "/").rpartition("/")[2]


_COMMON: Table = {
    "justification": ("justify", _JUSTIFY),
    "paddingCharacter": ("pad", None),
    "format": ("format", None),
    "dateTimeFormat": ("format", None),
    "encodingNull": ("null", _NULLS),
    "encodingNullValue": ("null_value", None),
}
_TDS_FIELD: Table = {
    **_COMMON,
    "tag": ("tag", None),
    "dataPattern": ("pattern", None),
    "length": ("length", int),
    "virtualDecimalPoint": ("scale", int),
    "repeatingElementDelimiter": ("repeat_delimiter", None),
    "lengthReference": ("length_from", _name),
}
_TDS_GROUP: Table = {
    "dataElementSeparation": ("separation", _SEPARATIONS),
    "delimiter": ("delimiter", None),
    "groupIndicator": ("indicator", None),
    "groupTerminator": ("terminator", None),
    "tagDataSeparator": ("tag_data_separator", None),
    "tagLength": ("tag_length", int),
    "lengthOfEncodedLength": ("encoded_digits", int),
    "extraCharsInEncodedLength": ("encoded_extra", int),
    "observeElementLength": ("observe_length", _BOOLEANS),
    "suppressAbsentElementDelimiters": ("keep_trailing", {"endOfType": False, "never": True}),
}
_XML_FIELD: Table = {
    "render": ("render", _RENDERINGS),
    "xmlName": ("name", None),
    "idAttrName": ("id_name", None),
    "idAttrValue": ("id_value", None),
    "valueAttrName": ("value_name", None),
    "format": ("format", None),
    "dateTimeFormat": ("format", None),
}
_CWF_FIELD: Table = {
    **_COMMON,
    "lengthCount": ("length", int),
    "length": ("length", int),
    "lengthUnits": ("units", _UNITS),
    "lengthType": ("", _LENGTH_TYPES),
    "lengthReference": ("length_from", _name),
    "repeatReference": ("repeat_from", _name),
    "byteAlignment": ("align", _ALIGN),
    "leadingSkipCount": ("lead", int),
    "trailingSkipCount": ("trail", int),
    "signed": ("signed", _BOOLEANS),
    "signOrientation": ("sign", {"leading": "leading", "trailing": "trailing"}),
    "separateSign": ("separate", _BOOLEANS),
    "virtualDecimalPoint": ("scale", int),
}
_SETS: dict[str, Table] = {
    "CWF": {"defaultCCSID": ("ccsid", int)},
    "TDS": {
        "defaultCCSID": ("ccsid", int),
        "decimalPoint": ("point", None),
        "escapeCharacter": ("escape", None),
        "quoteCharacter": ("quote", None),
        "reservedChars": ("reserved", None),
    },
    "XML": {"rootTagName": ("root", None)},
}
_FIELDS: dict[str, Table] = {"CWF": _CWF_FIELD, "TDS": _TDS_FIELD, "XML": _XML_FIELD}
_PASSED = ("messageSetDefaultRep", "physicalType")
_SAYS_NOTHING = (("precision", "-1"), ("length", "-1"), ("virtualDecimalPoint", "-1"))
_NO_NEWS = (("positiveSign", "0"), ("signOrientation", "leading"))  # how TDS writes numbers by default
_ASCII = 367


class Annotations:
    """Reads annotations for the formats of one set; `note` receives what is ignored."""

    def __init__(self, note: Callable[[Node, str], None]) -> None:
        self.note = note
        self.formats: dict[str, tuple[str, Node]] = {}

    def of_set(self, name: str) -> Words:
        """Return a format's settings for the whole set."""
        kind, rep = self.formats[name]
        table = _SETS.get(kind, {})
        words = {
            word: self._value(rep, attribute, meaning)
            for attribute, (word, meaning) in table.items()
            if rep.get(attribute)
        }
        if words.get("ccsid") == _ASCII:
            words["ccsid"] = 0  # superseded by fields of the message itself
        return words

    def of_group(self, reps: list[Node]) -> dict[str, Any]:
        """Return the formats' properties of a type or group: only TDS has any."""
        about: dict[str, Any] = {}
        for name, (kind, defaults) in self.formats.items():
            mine = [rep for rep in reps if rep.get("messageSetDefaultRep") == name]
            if kind == "TDS" and mine:
                usual = {
                    word: defaults.get(attribute)
                    for attribute, (word, _) in _TDS_GROUP.items()
                    if defaults.get(attribute) and attribute != "tagLength"
                }
                about[name] = TdsType(**{**usual, **self._words(mine, _TDS_GROUP, "a type")})
            else:
                for rep in mine:
                    self._words([rep], {}, "a type")
        return about

    def of_field(self, field: Node, reps: list[Node], simple: Simple | None, xml: Words) -> dict[str, Any]:
        """Return the formats' properties of a field; its use takes precedence over its declaration."""
        about: dict[str, Any] = {}
        for name, (kind, defaults) in self.formats.items():
            mine = [rep for rep in reps if rep.get("messageSetDefaultRep") == name]
            words = self._words(mine, _FIELDS[kind], field.get("name"))
            if kind == "TDS":
                about[name] = Tds(**self._tds(words, defaults, simple))
            elif kind == "XML":
                about[name] = Xml(**{**xml, **words})
            else:
                about[name] = Cwf(**self._cwf(words, mine, simple))
        return about

    def _tds(self, words: Words, defaults: Node, simple: Simple | None) -> Words:
        words.setdefault("trim", defaults.get("trimFixLengthString", "NoTrim") != "NoTrim")
        words["true"] = defaults.get("booleanTrueRepresentation", "true")
        words["false"] = defaults.get("booleanFalseRepresentation", "false")
        derived = defaults.get("deriveDefaultLengthFromLogicalType") == "true"
        if derived and simple is not None and simple.length is not None:
            words.setdefault("length", simple.length)
        return words

    def _cwf(self, words: Words, reps: list[Node], simple: Simple | None) -> Words:
        physical = next((found for rep in reps if (found := self._physical(rep))), "")
        if physical:
            words["physical"] = physical
        if simple is not None and simple.name == "string":
            elsewhere = {"prefix", "terminated", "length_from"} & set(words)
            if simple.length is not None and not elsewhere:
                words.setdefault("length", simple.length)
        if physical == "external" and words.get("signed"):
            words.setdefault("sign", "trailing")
        return words

    def _physical(self, rep: Node) -> str:
        """Return the physical type that an annotation of CWF names."""
        said = [rep.get("physicalType"), *(child.tag.removeprefix("cwf") for child in rep)]
        for name in filter(None, said):
            low = name.replace(" ", "").lower()
            for start, physical in _PHYSICAL.items():
                if low.startswith(start):
                    return physical
            self.note(rep, f"physical type {name} is unknown and not taken")
        return ""

    def _words(self, reps: list[Node], table: Table, what: str) -> Words:
        """Return the terms for annotations; the first to specify one wins."""
        words: Words = {}
        for rep in reps:
            for source in (rep, *rep):
                for attribute, text in source.attributes.items():
                    if attribute in _PASSED or (attribute, text) in _SAYS_NOTHING:
                        continue
                    if attribute not in table and (attribute, text) in _NO_NEWS:
                        continue
                    if attribute not in table:
                        self.note(source, f"{what}: {attribute}={text!r} is unknown and not taken")
                    elif text:
                        self._take(words, source, attribute, table[attribute])
        return words

    def _take(self, words: Words, source: Node, attribute: str, entry: tuple[str, Any]) -> None:
        word, meaning = entry
        value = self._value(source, attribute, meaning)
        for key, each in (value if word == "" else {word: value}).items():
            if each is not None:
                words.setdefault(key, each)

    def _value(self, source: Node, attribute: str, meaning: Any) -> Any:
        text = source.get(attribute)
        if meaning is None:
            return text
        if meaning is int:
            return whole(source, attribute, text)
        if not isinstance(meaning, dict):
            return meaning(text)
        if text not in meaning:
            raise wrong(source, f"{attribute}={text!r} is not supported; there are {', '.join(meaning)}")
        return meaning[text]
