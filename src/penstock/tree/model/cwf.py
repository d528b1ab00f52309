"""MRM CWF in a model: the physical properties of fixed structures, compiled to a plan.

`CwfFormat` is a format of a model, `Cwf` its properties of a field. What a field leaves open follows from its
logical type. A plan depends on the character set and the encoding of a message, so the domain makes one for
each combination that occurs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.ccsid import codec, is_ebcdic
from penstock.model.errors import error
from penstock.tree.model._codec import entered
from penstock.tree.model._part import ALL, CHOICE, SEQUENCE
from penstock.tree.model.cwf_codecs import BitsCodec, Charset, codec_for, little_endian
from penstock.tree.model.logical import Field, Group, Value, check_depth, checks_of, is_uncertain
from penstock.tree.records._domain import (
    COMPUTED,
    FIXED,
    PREFIXED,
    REFERRED,
    TERMINATED,
    TO_END,
    CwfDomain,
    CwfPart,
    CwfPlan,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock.tree.model.logical import Model

    Checker = Callable[[str], object]  # given the codec of the message

COMPOSE = {"sequence": SEQUENCE, "choice": CHOICE, "all": ALL}
UTF8 = 1208
DIGITS_MAX = 9
VALUE = "(value)"  # the name in errors of the field without a name


@dataclass(frozen=True, slots=True)
class Cwf:
    """CWF's properties of a field; see docs/reference/message-models.md."""

    physical: str = ""  # string integer packed external float binary boolean time seconds milliseconds
    length: int | None = None
    length_from: str = ""
    prefix: int = 0
    prefix_digits: bool = False  # the prefix is text
    bits: int = 0  # of a field that is a part of a byte, beside others
    terminated: bool = False
    to_end: bool = False
    units: str = "bytes"
    order: str = ""
    signed: bool = True
    scale: int = 0
    sign: str = "none"
    separate: bool = False
    overpunch: str = ""
    positive: str = "C"
    floating: str = ""
    pad: str | int | None = None
    justify: str = ""
    trim: bool = True
    true: bytes | int = 1
    false: bytes | int = 0
    format: str = ""
    null: str = "none"
    null_value: Any = None
    align: int = 1
    lead: int = 0
    trail: int = 0
    repeat_from: str = ""
    repeat_to_end: bool = False
    repeat_by: object = None  # an expression for the tests of a message to work out
    when: tuple[str, tuple[object, ...]] | None = None
    varying: bool = False  # of a choice: each alternative has its own length


@dataclass(frozen=True, slots=True)
class CwfFormat:
    """The format CWF; `ccsid` and `encoding` are for messages that do not specify them."""

    ccsid: int = 0
    encoding: int = 0

    kind = "CWF"

    def domain(
        self, name: str, model: Model, message: str, format: str, checker: Checker | None = None
    ) -> CwfMessage:
        """Return the domain for one message of a model; `checker` starts its tests, if it has any."""
        return CwfMessage(name, self, model, message, format, checker)


class CwfMessage(CwfDomain):
    """One message of a model in CWF."""

    def __init__(
        self,
        name: str,
        settings: CwfFormat,
        model: Model,
        message: str,
        format: str,
        checker: Checker | None = None,
    ) -> None:
        super().__init__(
            name, ccsid=settings.ccsid, encoding=settings.encoding, namespaces=bool(model.namespace)
        )
        self.model, self.message, self.format = model, message, format
        self.checker = checker
        self.valued = isinstance(next(iter(model.messages[message].members), None), Value)
        self.plan(settings.ccsid, settings.encoding)  # so that an invalid model is detected at once

    def plan(self, ccsid: int, encoding: int) -> CwfPlan:
        """Return the plan for a character set and an encoding."""
        compiler = _Compiler(self.format, ccsid or self.ccsid or UTF8, encoding, self.checker)
        return compiler.compiled(self.model.messages[self.message])


class _Compiler:
    def __init__(self, format: str, ccsid: int, encoding: int, checker: Checker | None) -> None:
        self.format = format
        self.checker = checker  # None: there are no tests, so no part has any
        self.charset = Charset(codec(ccsid, encoding), is_ebcdic(ccsid), encoding)
        self.slots: dict[str, int] = {}
        self.seen: set[str] = set()

    def compiled(self, message: Group) -> CwfPlan:
        self.slots = {name: slot for slot, name in enumerate(sorted(set(self._referred(message, 0))))}
        root = CwfPart("")
        checker, name = self.checker, self.charset.name
        root.checks = message.checks if checker is not None else None
        self._group(root, message, 0)
        return CwfPlan(root, len(self.slots), None if checker is None else lambda: checker(name))

    def _referred(self, group: Group, depth: int) -> Iterator[str]:
        """Yield the names of fields that lengths, counts and choices depend on."""
        for member in group.members:
            said = member.formats.get(self.format)
            if isinstance(said, Cwf):
                yield from (name for name in (said.length_from, said.repeat_from) if name)
                if said.when is not None:
                    yield said.when[0]
            inner = member if isinstance(member, Group) else member.type
            if isinstance(inner, Group):
                yield from self._referred(inner, check_depth(depth, self.format))

    def _group(self, part: CwfPart, group: Group, depth: int) -> None:
        check_depth(depth, part.name or self.format)
        part.compose = COMPOSE[group.compose]
        part.parts = tuple(self._member(member, depth + 1) for member in group.members)
        _place_bits(part)
        for inner in part.parts:
            inner.around = part
        if not part.parts and group.checks is None:
            raise error(
                mq.PSRC_MODEL_ERROR, f"{part.name or 'a group'} has no fields, so CWF cannot place it"
            )
        said = group.formats.get(self.format)
        if part.compose == CHOICE and isinstance(said, Cwf) and (said.varying or said.length is not None):
            part.length = said.length or 0
        elif part.compose == CHOICE:
            sizes = [_size(inner) for inner in part.parts]
            if all(size is not None for size in sizes):
                part.length = max(size for size in sizes if size is not None)
                part.fill = self.charset.space if _is_text(part.parts[0]) else 0

    def _member(self, member: Field | Group, depth: int) -> CwfPart:
        said = member.formats.get(self.format, Cwf())
        if not isinstance(said, Cwf):
            raise error(
                mq.PSRC_MODEL_ERROR, f"{self.format} is CWF, so a field says Cwf(...) about it, not {said!r}"
            )
        part = CwfPart(member.name, member.namespace) if isinstance(member, Field) else CwfPart("")
        self._placed(part, member, said)
        if isinstance(member, Group):
            self._group(part, member, depth)
        elif isinstance(member.type, Group):
            self._group(part, member.type, depth)
        else:
            self._leaf(part, member, said)
        return part

    def _placed(self, part: CwfPart, member: Field | Group, said: Cwf) -> None:
        """Set the occurrences and the position of a part."""
        part.least, part.most = member.min, member.max
        if self.checker is not None:
            part.checks, part.uncertain = checks_of(member), is_uncertain(member)
        part.align, part.lead, part.trail = said.align, said.lead, said.trail
        part.fill = 0
        if said.repeat_from:
            part.repeat_kind, part.count_slot = REFERRED, self._slot(said.repeat_from, part)
        elif said.repeat_by is not None:
            part.repeat_kind, part.counted = COMPUTED, said.repeat_by
        elif said.repeat_to_end or member.max == -1:
            part.repeat_kind = TO_END
        else:
            part.repeat_kind, part.count = FIXED, member.max
        if said.when is not None:
            part.when_slot, part.when = self._slot(said.when[0], part), frozenset(said.when[1])

    def _slot(self, name: str, part: CwfPart) -> int:
        if name not in self.seen:
            raise error(
                mq.PSRC_MODEL_ERROR,
                f"field {part.name or '(group)'} depends on {name}, which is not before it",
            )
        return self.slots[name]

    def _leaf(self, part: CwfPart, field: Field, said: Cwf) -> None:
        assert isinstance(field.type, str)
        part.bits = said.bits
        part.codec, width = codec_for(field.name or VALUE, field.type, said, self.charset)
        part.unit = self.charset.width if said.units == "characters" or said.terminated else 1
        self._sized(part, said, width)
        if field.has_default:
            part.has_default, part.default = True, field.default
        if field.name in self.slots:
            part.slot = self.slots[field.name]
            self.seen.add(field.name)

    def _sized(self, part: CwfPart, said: Cwf, width: int | None) -> None:
        part.little = little_endian(said.order, self.charset.encoding)
        if said.length_from:
            part.length_kind, part.length_slot = REFERRED, self._slot(said.length_from, part)
        elif said.prefix:
            if not said.prefix_digits and said.prefix not in (1, 2, 4):
                raise error(mq.PSRC_MODEL_ERROR, f"field {part.name}: a length prefix has 1, 2 or 4 bytes")
            if said.prefix_digits and not 1 <= said.prefix <= DIGITS_MAX:
                raise error(mq.PSRC_MODEL_ERROR, f"field {part.name}: a length has 1 to {DIGITS_MAX} digits")
            part.length_kind, part.prefix = PREFIXED, said.prefix
            part.zero = "0".encode(self.charset.name)[0] if said.prefix_digits else 0
        elif said.terminated:
            part.length_kind = TERMINATED
        elif said.to_end:
            part.length_kind = TO_END
        elif said.length is None and width is None:
            raise error(
                mq.PSRC_MODEL_ERROR, f"field {part.name or VALUE}: CWF needs its length", field=part.name
            )
        else:
            part.length_kind = FIXED
            part.length = (said.length if said.length is not None else width or 0) * part.unit


def _place_bits(group: CwfPart) -> None:
    """Give the fields of bits in a group their places in bytes, which they have to fill."""
    at, last = 0, ""
    for part in group.parts:
        if part.bits:
            codec = BitsCodec(at, part.bits)
            part.codec = entered(codec, ("bits", at, part.bits))
            part.bit_at, part.length, part.whole = at, codec.width, (at + part.bits) // 8
            at, last = (at + part.bits) % 8, part.name
        elif at:
            break
    if at or (group.compose == CHOICE and last):
        what = "the fields of bits beside each other have to fill whole bytes"
        raise error(mq.PSRC_MODEL_ERROR, f"field {last}: {what}", field=last)


def _size(part: CwfPart) -> int | None:
    """Return the size of a part in bytes, None if it depends on the message."""
    if part.repeat_kind != FIXED or part.align > 1:
        return None
    if part.codec is not None:
        inner = part.length if part.length_kind == FIXED else None
    else:
        sizes = [_size(each) for each in part.parts]
        if any(size is None for size in sizes):
            return None
        known = [size for size in sizes if size is not None]
        inner = (part.length or None) if part.compose == CHOICE else sum(known)
    return None if inner is None else part.count * (part.lead + inner + part.trail)


def _is_text(part: CwfPart) -> bool:
    while part.codec is None:
        if not part.parts:
            return False
        part = part.parts[0]
    return type(part.codec).__name__ == "StringCodec"
