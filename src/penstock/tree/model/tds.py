"""MRM TDS in a model: the physical properties of tagged and delimited text, compiled to a plan.

`TdsFormat` is a format of a model, `TdsType` its properties of a type or group (the separation of its
elements), `Tds` its properties of a field. A type without properties is like the enclosing one, without its
indicator and terminator.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tree.model._codec import entered
from penstock.tree.model.cwf import COMPOSE, VALUE
from penstock.tree.model.logical import (
    TIMES_MAX,
    Field,
    Group,
    check_depth,
    checks_of,
    is_uncertain,
    occurrences,
)
from penstock.tree.model.mnemonics import plain
from penstock.tree.model.text_codecs import text_codec
from penstock.tree.tagged import _domain as _tds
from penstock.tree.tagged._domain import EscapedCodec, Stops, TdsDomain, TdsPart, TdsPlan

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock.tree.model.logical import Model

SEPARATIONS = {
    "tagged delimited": _tds.TAGGED_DELIMITED,
    "tagged fixed length": _tds.TAGGED_FIXED,
    "tagged encoded length": _tds.TAGGED_ENCODED,
    "all elements delimited": _tds.ALL_DELIMITED,
    "variable length elements delimited": _tds.VARIABLE_DELIMITED,
    "fixed length": _tds.FIXED_LENGTH,
    "use data pattern": _tds.DATA_PATTERN,
    "undefined": _tds.DATA_PATTERN,  # an embedded message: one value to the end of the text
}


@dataclass(frozen=True, slots=True)
class TdsType:
    """The separation of the elements of a type or group; see docs/reference/message-models.md."""

    separation: str = "all elements delimited"
    delimiter: str = ""
    indicator: str = ""
    terminator: str = ""
    tag_data_separator: str = ""
    tag_length: int = 0  # -1: tags of different lengths, distinguished by their text
    encoded_digits: int = 0
    encoded_extra: int = 0
    keep_trailing: bool = False
    observe_length: bool = False
    escape: str = ""
    quote: str = ""
    reserved: str = ""


@dataclass(frozen=True, slots=True)
class Tds:
    """TDS's properties of a field."""

    tag: str = ""
    length: int | None = None
    length_from: str = ""
    pattern: str = ""
    repeat_delimiter: str = ""
    justify: str = ""
    pad: str = ""
    trim: bool = True
    scale: int | None = None
    point: str = ""
    format: str = ""
    true: str = "true"
    false: str = "false"
    binary: str = "hex"
    null: str = "none"
    null_value: Any = None


@dataclass(frozen=True, slots=True)
class TdsFormat:
    """The format TDS: defaults for messages and fields."""

    ccsid: int = 0
    point: str = "."
    escape: str = ""
    quote: str = ""
    reserved: str = ""

    kind = "TDS"

    def domain(
        self,
        name: str,
        model: Model,
        message: str,
        format: str,
        checker: Callable[[], object] | None = None,
    ) -> TdsDomain:
        """Return the domain for one message of a model; `checker` starts its tests, if it has any."""
        plan = _Compiler(self, format, checker).compiled(model.messages[message])
        return TdsDomain(name, plan, ccsid=self.ccsid, namespaces=bool(model.namespace))


class _Placed(NamedTuple):
    """A member of a group or of a nested one, and the rest of that one: see `Part`."""

    member: Field | Group
    loose: int = 0
    alternative: int = 0
    spare: bool = False
    times: int = 1  # occurrences of the enclosing groups, -1 without a limit


class _Compiler:
    def __init__(self, settings: TdsFormat, format: str, checker: Callable[[], object] | None) -> None:
        self.settings = settings
        self.format = format
        self.checker = checker  # None: there are no tests, so no part has any
        self.slots: dict[str, int] = {}
        self.seen: set[str] = set()

    def compiled(self, message: Group) -> TdsPlan:
        names = sorted(set(self._referred(message, 0)))
        self.slots = {name: slot for slot, name in enumerate(names)}
        root = TdsPart("")
        root.stops = Stops(())
        root.checks = message.checks if self.checker is not None else None
        self._group(root, message, self._said(message, TdsType()), (), 0)
        return TdsPlan(root, len(self.slots), self.checker)

    def _referred(self, group: Group, depth: int) -> Iterator[str]:
        for member in group.members:
            said = member.formats.get(self.format)
            if isinstance(said, Tds) and said.length_from:
                yield said.length_from
            inner = member if isinstance(member, Group) else member.type
            if isinstance(inner, Group):
                yield from self._referred(inner, check_depth(depth, self.format))

    def _said(self, group: Group, around: TdsType) -> TdsType:
        said = group.formats.get(self.format)
        if said is None:
            return replace(around, indicator="", terminator="")
        if not isinstance(said, TdsType):
            raise error(
                mq.PSRC_MODEL_ERROR,
                f"{self.format} is TDS, so a type says TdsType(...) about it, not {said!r}",
            )
        return said

    def _group(
        self, part: TdsPart, group: Group, said: TdsType, outer: tuple[bytes, ...], depth: int
    ) -> None:
        check_depth(depth, part.name or self.format)
        if said.separation not in SEPARATIONS:
            raise error(
                mq.PSRC_MODEL_ERROR, f"separation {said.separation!r}; there are {', '.join(SEPARATIONS)}"
            )
        part.compose = COMPOSE[group.compose]
        part.separation = SEPARATIONS[said.separation]
        part.indicator, part.terminator = _bytes(said.indicator), _bytes(said.terminator)
        part.delimiter = _bytes(said.delimiter)
        part.encoded_digits, part.encoded_extra = said.encoded_digits, said.encoded_extra
        part.keep_trailing, part.observe_length = said.keep_trailing, said.observe_length
        self._checked(part, said)
        around = (*outer, part.delimiter, part.terminator)
        tagged = part.separation <= _tds.TAGGED_ENCODED
        members = (
            _merged(list(self._flattened(group)), self.format) if tagged else map(_Placed, group.members)
        )
        part.parts = tuple(self._placed(each, part, said, around, depth + 1) for each in members)
        self._limited(part)
        part.hollow = not part.named and not (part.parts or part.indicator or part.terminator)

    def _limited(self, group: TdsPart) -> None:
        """Give parts of one name a common limit where only tags distinguish them; record whose tags do."""
        if group.separation > _tds.TAGGED_ENCODED:
            return
        first: dict[str, int] = {}
        tags: dict[tuple[str, bytes], int] = {}
        for at, part in enumerate(group.parts):
            part.namesake = first.setdefault(part.name, at)
            tags[part.name, part.lead_in] = tags.get((part.name, part.lead_in), 0) + 1
        for part in group.parts:
            part.telling = tags[part.name, part.lead_in] == 1
        for at in first.values():
            limits = [part.limit for part in group.parts if part.namesake == at]
            limit = -1 if min(limits) < 0 else min(sum(limits), TIMES_MAX)
            for part in group.parts:
                part.limit = limit if part.namesake == at else part.limit

    def _checked(self, part: TdsPart, said: TdsType) -> None:
        what = f"{part.name or 'the message'}: {said.separation}"
        needs_delimiter = part.separation in (
            _tds.TAGGED_DELIMITED,
            _tds.ALL_DELIMITED,
            _tds.VARIABLE_DELIMITED,
        )
        if needs_delimiter and not part.delimiter:
            raise error(mq.PSRC_MODEL_ERROR, f"{what} needs a delimiter")
        if part.separation <= _tds.TAGGED_ENCODED and not (said.tag_data_separator or said.tag_length):
            raise error(mq.PSRC_MODEL_ERROR, f"{what} needs a tag data separator or a tag length")
        if part.separation == _tds.TAGGED_ENCODED and not 1 <= said.encoded_digits <= 9:
            raise error(mq.PSRC_MODEL_ERROR, f"{what} needs 1 to 9 digits of encoded length")

    def _flattened(self, group: Group) -> Iterator[_Placed]:
        """Yield the members where tags decide: those of inner groups without properties are included."""
        numbers = count(1)

        def inside(
            group: Group, loose: int, alternative: int, chosen: bool, spare: bool, times: int
        ) -> Iterator[_Placed]:
            for member in group.members:
                if not isinstance(member, Group) or self.format in member.formats or member.checks:
                    yield _Placed(member, loose, alternative, spare, times)
                    continue
                together = loose or (next(numbers) if member.max != 1 else 0)
                still = chosen and member.compose == "choice" and member.max == 1
                shared = alternative or (next(numbers) if chosen and not still else 0)
                needless = spare or member.min == 0 or member.compose == "choice"
                yield from inside(member, together, shared, still, needless, occurrences(times, member.max))

        return inside(group, 0, 0, group.compose == "choice", False, 1)

    def _placed(
        self, placed: _Placed, group: TdsPart, around: TdsType, outer: tuple[bytes, ...], depth: int
    ) -> TdsPart:
        part = self._member(placed.member, around, outer, depth)
        part.around, part.loose = group, placed.loose
        part.alternative, part.spare = placed.alternative, placed.spare
        part.limit = occurrences(placed.times, part.most)
        return part

    def _member(
        self, member: Field | Group, around: TdsType, outer: tuple[bytes, ...], depth: int
    ) -> TdsPart:
        if isinstance(member, Group):
            part = TdsPart("")
            said = Tds()
        else:
            part = TdsPart(member.name, member.namespace)
            given = member.formats.get(self.format, Tds())
            if not isinstance(given, Tds):
                raise error(
                    mq.PSRC_MODEL_ERROR,
                    f"{self.format} is TDS, so a field says Tds(...) about it, not {given!r}",
                )
            said = given
        part.least, part.most = member.min, member.max
        if self.checker is not None:
            part.checks, part.uncertain = checks_of(member), is_uncertain(member)
        part.repeat_delimiter = _bytes(said.repeat_delimiter) if member.max != 1 else b""
        part.stops = Stops((*outer, part.repeat_delimiter))
        part.lead_in = self._lead_in(part, said, around)
        if said.pattern:
            part.pattern = _pattern(part, said.pattern)
        inner = member if isinstance(member, Group) else member.type
        if isinstance(inner, Group):
            stops = (*outer, part.repeat_delimiter)
            self._group(part, inner, self._said(inner, around), stops, depth)
        elif isinstance(member, Field):
            self._leaf(part, member, said, around)
        return part

    def _lead_in(self, part: TdsPart, said: Tds, around: TdsType) -> bytes:
        if SEPARATIONS[around.separation] > _tds.TAGGED_ENCODED:
            return b""
        if not said.tag:
            raise error(
                mq.PSRC_MODEL_ERROR,
                f"{part.name or 'a group or value'} needs a tag: elements around it are told apart by tags",
            )
        if around.tag_length > 0 and len(said.tag) != around.tag_length:
            raise error(
                mq.PSRC_MODEL_ERROR, f"tag {said.tag!r} of {part.name} has not {around.tag_length} characters"
            )
        return _bytes(said.tag) + _bytes(around.tag_data_separator)

    def _leaf(self, part: TdsPart, field: Field, said: Tds, around: TdsType) -> None:
        assert isinstance(field.type, str)
        self._protected(part, around)
        part.is_string = field.type == "string"
        part.pad = _bytes(said.pad or " ")
        part.pad_left = said.justify == "right"
        part.length = -1 if said.length is None else said.length
        if part.length < 0 and not said.length_from and self._needs_length(around):
            raise error(
                mq.PSRC_MODEL_ERROR,
                f"field {part.name or VALUE}: {around.separation} needs its length",
                field=part.name,
            )
        key = (part.stops.texts, part.escape, part.quote)
        part.codec = text_codec(field.name or VALUE, field.type, said, self.settings.point, key)
        if part.escape >= 0 or part.quote >= 0:
            part.escaped = entered(
                EscapedCodec(part.codec, part.escape, part.quote), ("escaped", part.codec.number)
            )
        if field.has_default:
            part.has_default, part.default = True, field.default
        if said.length_from:
            if said.length_from not in self.seen:
                raise error(
                    mq.PSRC_MODEL_ERROR,
                    f"field {part.name} depends on {said.length_from}, which is not before it",
                )
            part.length_slot = self.slots[said.length_from]
        if field.name in self.slots:
            part.slot = self.slots[field.name]
            self.seen.add(field.name)

    def _protected(self, part: TdsPart, around: TdsType) -> None:
        escape, quote = around.escape or self.settings.escape, around.quote or self.settings.quote
        part.escape, part.quote = _byte(escape), _byte(quote)
        part.reserved = _bytes(around.reserved or self.settings.reserved)

    def _needs_length(self, around: TdsType) -> bool:
        return around.separation in ("fixed length", "tagged fixed length")


def _merged(members: list[_Placed], format: str) -> Iterator[_Placed]:
    """Yield the members; a field with the name and tag of one that repeats with others joins those.

    So each element is written once. Numbers are assigned again, in the order of the members.
    """
    owners: dict[tuple[int, str], int] = {}
    entangled = set()  # alternatives with groups that repeat and share a name: these are one
    tags = set()
    for member, loose, alternative, *_ in members:
        if loose:
            tags.add((alternative, _name(member), _tag(member, format)))
        if loose and owners.setdefault((alternative, _name(member)), loose) != loose:
            entangled.add(alternative)
    numbers: dict[tuple[int, int], int] = {}
    for member, loose, alternative, spare, times in members:
        owner = owners.get((alternative, _name(member)), 0)
        key = (alternative, -1 if alternative in entangled else owner)
        together = loose or (alternative, _name(member), _tag(member, format)) in tags
        number = numbers.setdefault(key, len(numbers) + 1) if together else 0
        yield _Placed(member, number, alternative, spare, times)


def _name(member: Field | Group) -> str:
    return member.name if isinstance(member, Field) else ""


def _tag(member: Field | Group, format: str) -> str:
    said = member.formats.get(format)
    return said.tag if isinstance(said, Tds) else ""


def _bytes(text: str) -> bytes:
    return plain(text).encode("utf-8")


def _byte(text: str) -> int:
    data = _bytes(text)
    if len(data) > 1:
        raise error(mq.PSRC_MODEL_ERROR, f"escape and quote are one ASCII character, not {text!r}")
    return data[0] if data else -1


def _pattern(part: TdsPart, text: str) -> re.Pattern[bytes]:
    try:
        return re.compile(_bytes(text), re.DOTALL)
    except re.error as problem:
        raise error(mq.PSRC_MODEL_ERROR, f"pattern of {part.name}: {problem}", field=part.name) from problem
