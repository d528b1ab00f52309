"""From entries of a record description to a model: IBM's rules for importing COBOL.

Text is a string padded on the right; DISPLAY numbers are external decimals, COMP and COMP-5 binary integers
of 2, 4 or 8 bytes, COMP-3 packed decimals; OCCURS repeats, DEPENDING ON by the field it names; REDEFINES is a
choice, which a field may decide (`choose`); otherwise the first alternative wins. Hyphens become underscores;
fillers are fields FILLER_1 and so on, so that nothing of a record is lost.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tree.model.copybook.entries import NAMES_ONLY, Entry, Picture, entry_of, picture_of
from penstock.tree.model.copybook.source import sentences
from penstock.tree.model.cwf import Cwf, CwfFormat
from penstock.tree.model.logical import Field, Group, Model, Type, check_depth

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

_FLOATS = {"FLOAT": 4, "DOUBLE": 8}


def import_copybook(
    text: str,
    *,
    name: str = "COPYBOOK",
    format: str = "CWF",
    free: bool | None = None,
    copy: Callable[[str], str] | None = None,
    choose: Mapping[str, tuple[str, tuple[object, ...]]] | None = None,
    ccsid: int = 0,
    encoding: int = 0,
) -> Model:
    """Return a model with a message for each 01 level and a CWF format.

    `choose` selects the alternative of a REDEFINES: field name to (deciding field, values). `ccsid` and
    `encoding` are for messages that do not specify them: 37 and 785 for z/OS data.
    """
    entries = [entry_of(sentence) for sentence in sentences(text, free=free, copy=copy)]
    notes = tuple(
        f"line {each.line}: {each.name} is {NAMES_ONLY[each.level]} and left out"
        for each in entries
        if each.level in NAMES_ONLY
    )
    roots = _nested(each for each in entries if each.level not in NAMES_ONLY)
    if not roots:
        raise error(mq.PSRC_MODEL_ERROR, "there is no record description in the copybook")
    importer = _Importer(format, {_name(key): value for key, value in (choose or {}).items()})
    if roots[0].level in (1, 77):
        messages = {_name(root.name): importer.message(root) for root in roots}
    else:
        messages = {name: importer.message(Entry(1, 1, name, children=roots))}
    return Model(name, messages, {format: CwfFormat(ccsid=ccsid, encoding=encoding)}, notes=notes)


def _nested(entries: Iterable[Entry]) -> list[Entry]:
    """Return the top entries with all others nested below them, by level number."""
    roots: list[Entry] = []
    above: list[Entry] = []
    for entry in entries:
        if entry.level == 88:
            if not above:
                raise error(
                    mq.PSRC_MODEL_ERROR, f"line {entry.line}: level 88 without a field", line=entry.line
                )
            above[-1].children.append(entry)
            continue
        while above and (above[-1].level >= entry.level or entry.level == 77):
            above.pop()
        (above[-1].children if above else roots).append(entry)
        above.append(entry)
    return roots


class _Importer:
    def __init__(self, format: str, choose: Mapping[str, tuple[str, tuple[object, ...]]]) -> None:
        self.format = format
        self.choose = choose
        self.fillers = 0

    def message(self, root: Entry) -> Type:
        self.fillers = 0
        children = [child for child in root.children if child.level != 88]
        if not children:
            return Type(self._field(root, Entry(0, 0, ""), 0))
        kind = Type(*self._members(children, root, 0))
        self._place(kind.members, 0)
        return kind

    def _place(self, members: Iterable[Field | Group], offset: int) -> int:
        """Return the end of members that begin here, and pad occurrences so that all are alike.

        If SYNCHRONIZED fields are in a table, every occurrence is padded so that the next one begins with the
        same alignment; a table of varying length counts as its shortest.
        """
        for member in members:
            offset = self._end(member, offset)
        return offset

    def _end(self, member: Field | Group, offset: int) -> int:
        if isinstance(member, Group) and member.compose == "choice":
            return max(self._end(each, offset) for each in member.members)
        if isinstance(member, Group):
            return self._place(member.members, offset)
        said = member.formats[self.format]
        assert isinstance(said, Cwf)
        if isinstance(member.type, str):
            offset = -(-offset // said.align) * said.align
            return offset + (said.length or 0) * member.min
        size = self._place(member.type.members, offset) - offset
        align = self._alignment(member.type)
        trail = -size % align if member.max != 1 else 0
        if trail:
            member.formats[self.format] = replace(said, trail=trail)
        return offset + (size + trail) * member.min

    def _alignment(self, group: Group) -> int:
        """Return the largest alignment of the contents of a group."""
        inner = [each for each in group.fields() if isinstance(each.type, Type)]
        said = [each.formats[self.format] for each in group.fields()]
        own = [each.align for each in said if isinstance(each, Cwf)]
        return max([1, *own, *(self._alignment(each.type) for each in inner if isinstance(each.type, Type))])

    def _members(self, entries: list[Entry], around: Entry, depth: int) -> list[Field | Group]:
        check_depth(depth, around.name)
        members: list[Field | Group] = []
        places: dict[str, int] = {}
        alternatives: dict[int, list[Field | Group]] = {}
        for entry in entries:
            made = self._member(entry, around, depth)
            if not entry.redefines:
                places[entry.name] = len(members)
                members.append(made)
                continue
            at = places.get(entry.redefines)
            if at is None:
                raise error(
                    mq.PSRC_MODEL_ERROR, f"line {entry.line}: {entry.redefines} is not there to be redefined"
                )
            alternatives.setdefault(at, [members[at]]).append(made)
            places[entry.name] = at
        for at, choices in alternatives.items():
            members[at] = Group(*choices, compose="choice")
        return members

    def _member(self, entry: Entry, around: Entry, depth: int) -> Field | Group:
        entry.usage = entry.usage or around.usage
        entry.sign = entry.sign or around.sign
        entry.separate = entry.separate or (around.separate and entry.sign == around.sign)
        children = [child for child in entry.children if child.level != 88]
        if children and entry.name == "FILLER" and entry.occurs is None:
            return Group(*self._members(children, entry, depth + 1))
        return self._field(entry, around, depth)

    def _field(self, entry: Entry, around: Entry, depth: int) -> Field:
        name = self._unique(entry)
        children = [child for child in entry.children if child.level != 88]
        least, most = entry.occurs or (1, 1)
        if not entry.depending:
            least = most
        about = {"repeat_from": _name(entry.depending), "when": self.choose.get(name)}
        if children:
            kind = Type(*self._members(children, entry, depth + 1))
            return Field(name, kind, min=least, max=most, **{self.format: Cwf(**about)})  # type: ignore[arg-type]
        logical, said = _physical(entry)
        said.update(about)
        values = tuple(each for child in entry.children for each in child.values)
        zero = "" if logical == "string" else b"" if logical == "binary" else 0
        default = entry.values[0] if entry.values else zero
        return Field(
            name,
            logical,
            min=least,
            max=most,
            default=default,
            values=values,
            **{self.format: Cwf(**said)},  # type: ignore[arg-type]
        )

    def _unique(self, entry: Entry) -> str:
        if entry.name != "FILLER":
            return _name(entry.name)
        self.fillers += 1
        return f"FILLER_{self.fillers}"


def _name(name: str) -> str:
    return name.upper().replace("-", "_")


def _physical(entry: Entry) -> tuple[str, dict[str, object]]:
    """Return the logical type of an elementary entry, and the properties of its bytes."""
    if entry.usage in _FLOATS:
        length = _FLOATS[entry.usage]
        return "float", {"length": length, "align": length if entry.synchronized else 1}
    if entry.usage == "INDEX":
        return "integer", {"length": 4, "align": 4 if entry.synchronized else 1}
    if entry.usage == "POINTER":
        return "binary", {"length": 4}
    if not entry.picture:
        raise error(
            mq.PSRC_MODEL_ERROR,
            f"line {entry.line}: {entry.name} has neither a picture nor fields",
            line=entry.line,
        )
    picture = picture_of(entry.picture, entry.line)
    if not picture.is_number:
        if picture.is_national:
            return "binary", {"length": picture.size}
        return "string", {"length": picture.size, "justify": "right" if entry.justified else "left"}
    return ("decimal" if picture.scale else "integer"), _number(entry, picture)


def _number(entry: Entry, picture: Picture) -> dict[str, object]:
    about: dict[str, object] = {"scale": picture.scale, "signed": picture.is_signed}
    if entry.usage in ("BINARY", "NATIVE"):
        if picture.digits > 18:
            raise error(
                mq.PSRC_MODEL_ERROR,
                f"line {entry.line}: a binary number has at most 18 digits",
                line=entry.line,
            )
        length = 2 if picture.digits <= 4 else 4 if picture.digits <= 9 else 8
        align = min(length, 4) if entry.synchronized else 1
        return about | {"physical": "integer", "length": length, "align": align}
    if entry.usage == "PACKED":
        positive = "C" if picture.is_signed else "F"
        return about | {"physical": "packed", "length": picture.digits // 2 + 1, "positive": positive}
    separate = entry.separate and picture.is_signed
    return about | {
        "physical": "external",
        "length": picture.digits + separate,
        "sign": (entry.sign or "trailing") if picture.is_signed else "none",
        "separate": separate,
    }
