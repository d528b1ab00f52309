"""From DFDL schemas to models: a message without delimiters becomes CWF, one with delimiters TDS.

`import_dfdl` walks each message as fixed data first; at a delimiter it starts again as text. The model has
one format, DFDL, for `tree.parse(..., domain="DFDL")`. A message that cannot be imported is left out with a
note; it is an error only if none is left.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from penstock.model.errors import MQError
from penstock.tree.model.cwf import Cwf, CwfFormat
from penstock.tree.model.dfdl import text
from penstock.tree.model.dfdl.checking import Checking, Checks, Instance
from penstock.tree.model.dfdl.fixed import NeedsText, fixed_field, fixed_place
from penstock.tree.model.dfdl.properties import Formats, Properties
from penstock.tree.model.dfdl.statements import Statements
from penstock.tree.model.logical import Field, Group, Model, Type, has_tests
from penstock.tree.model.schema_documents import wrong
from penstock.tree.model.schema_walk import SchemaWalk, Simple
from penstock.tree.model.tds import TdsFormat, TdsType
from penstock.tree.model.xsd import global_elements, read_schema

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from penstock.tree.core._arena import Domain
    from penstock.tree.model.schema_documents import Documents, Node

FORMAT = "DFDL"
_NILS = {"literalValue": "literal", "logicalValue": "value", "literalCharacter": "fill"}
_ROOT = "http://www.ibm.com/schema/extensions}docRoot"
_CCSIDS = {"utf-8": 1208, "iso-8859-1": 819, "utf-16be": 1200, "utf-16": 1200, "ebcdic-cp-us": 37}
_NUMBERED = re.compile(r"(?:x-)?(?:ibm|cp|windows|ccsid)[-_]?0*(\d+)(?:_.*)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class DfdlFormat:
    """The format of a model from DFDL: which messages are text, and their character set."""

    texts: frozenset[str]
    ccsids: tuple[tuple[str, int], ...] = ()
    variables: Mapping[str, Instance] | None = None  # None: the schema tests nothing

    kind = "DFDL"

    def domain(self, name: str, model: Model, message: str, format: str) -> Domain:
        """Return the domain for one message of a model."""
        ccsid = dict(self.ccsids).get(message, 0)
        given = self.variables
        if message in self.texts:
            text = None if given is None else lambda: Checking(given, "utf-8", True)
            return TdsFormat(ccsid=ccsid).domain(name, model, message, format, text)
        fixed = None if given is None else lambda codec: Checking(given, codec, False)
        return CwfFormat(ccsid=ccsid).domain(name, model, message, format, fixed)


def import_dfdl(
    source: str | bytes | Path,
    *,
    name: str = "DFDL",
    folder: Path | None = None,
    variables: Mapping[str, str] | None = None,
) -> Model:
    """Return a model of a DFDL schema: its text, or the path of its file; others are read within `folder`.

    `variables` are the defaults of variables by their names, instead of the schema's own.
    """
    documents = read_schema(source, folder)
    elements = list(global_elements(documents))
    elements = [each for each in elements if each.get(_ROOT) == "true"] or elements
    walk = _Walk(documents, variables or {})
    messages = walk.messages_of(elements, walk.imported, "the schema has no global element")
    known = walk.statements.variables if walk.has_tests else None
    format = DfdlFormat(frozenset(walk.texts), tuple(walk.ccsids.items()), known)
    return Model(name, messages, {FORMAT: format}, notes=tuple(walk.notes))


class _Walk(SchemaWalk):
    def __init__(self, documents: Documents, variables: Mapping[str, str]) -> None:
        super().__init__(documents)
        self.statements = Statements(documents, variables)
        self.formats = Formats(documents, self.statements.constant)
        self.has_tests = False
        self.is_text = False
        self.is_mixed = False
        self.texts: set[str] = set()
        self.ccsids: dict[str, int] = {}
        self.uses: dict[int, tuple[Field | Group, Properties]] = {}  # the properties at each field made

    def imported(self, element: Node) -> Type | None:
        """Return the type of a message, as fixed data or as text."""
        name = element.get("name")
        try:
            kind = self._root(element)
        except NeedsText:
            kind = self._as_text(element)
        self.ccsids[name] = _ccsid(self.formats.at(element))
        return None if kind is None else self._rooted(name, kind)

    def _as_text(self, element: Node) -> Type | None:
        """Return the type of a message with delimiters, else of fixed data with numbers as text."""
        name = element.get("name")
        self.is_text = True
        try:
            kind = self._root(element)
        except MQError as problem:
            self.is_text, self.is_mixed = False, True
            try:
                return self._root(element)
            except NeedsText:
                raise problem from None
        else:
            self.texts.add(name)
            return kind
        finally:
            self.is_text = self.is_mixed = False

    def _root(self, element: Node) -> Type | None:
        kind = self.message(element)
        if kind is not None:
            self._bracketed(kind, self.formats.at(element))
            own = self._checks((element,), is_group=False)
            kind.checks = kind.checks if own is None else own.around(kind.checks)
        return kind

    def _rooted(self, name: str, kind: Type) -> Type:
        """Return the type of a message whose tree has its root element."""
        if name in self.texts:
            return Type(Field(name, kind), DFDL=TdsType("fixed length"))
        return Type(Field(name, kind, DFDL=Cwf()))

    def _checks(self, nodes: tuple[Node, ...], *, is_group: bool) -> Checks | None:
        """Return the tests at a part."""
        found = self.statements.at(nodes, is_group=is_group)
        self.has_tests = self.has_tests or found is not None
        for node, what in self.statements.notes:
            self.note(node, what)
        self.statements.notes.clear()
        return found

    def _group(self, use: Node, said: tuple[Node, ...], composed: Node, depth: int) -> Iterator[Group]:
        for group in super()._group(use, said, composed, depth):
            self.uses[id(group)] = group, self.formats.at(*said)
            yield group

    def checks_of_group(self, said: tuple[Node, ...]) -> Checks | None:
        """Return the tests at a group."""
        return self._checks(said, is_group=True)

    def about_field(
        self, use: Node, declared: Node, kind: Simple | Type, is_attribute: bool
    ) -> dict[str, Any]:
        """Return the format's properties of an element."""
        if is_attribute:
            raise wrong(use, "DFDL has no attributes")
        said = self._said(use, declared, kind)
        if isinstance(kind, Type):
            self._bracketed(kind, said)
            return {} if self.is_text else {FORMAT: Cwf(**fixed_place(said), **self._repeated(use, said))}
        if self.is_text:
            return {FORMAT: self._nil(text.text_field(said, kind), declared, said)}
        self._plain(said)
        field = fixed_field(said, kind, self._prefix(said), is_mixed=self.is_mixed)
        return {FORMAT: self._nil(replace(field, **self._repeated(use, said)), declared, said)}

    def _said(self, use: Node, declared: Node, kind: Simple | Type) -> Properties:
        others = () if declared is use else (declared,)
        return self.formats.at(use, *others, *(kind.chain if isinstance(kind, Simple) else ()))

    def _nil(self, field: Any, declared: Node, said: Properties) -> Any:
        if declared.get("nillable") != "true" or not said.get("nilValue", ""):
            return field
        kind = said.one_of("nilKind", *_NILS)
        return replace(field, null=_NILS[kind], null_value=said.literal("nilValue"))

    def _prefix(self, said: Properties) -> Properties | None:
        """Return the properties of the type of a length prefix."""
        name = said.get("prefixLengthType", "")
        if said.get("lengthKind") != "prefixed" or not name:
            return None
        return self.formats.at(self.declared("simpleType", said.prefix, name))

    def _plain(self, said: Properties) -> None:
        if said.literal("initiator") or said.literal("terminator"):
            raise NeedsText

    def _repeated(self, use: Node, said: Properties) -> dict[str, Any]:
        """Return CWF's properties of repeats and branches."""
        once = use.get("maxOccurs", "1") == "1"
        if said.get("occursCountKind") != "expression" or (once and use.get("minOccurs", "1") == "1"):
            return {}
        if not once and said.names_field("occursCount"):
            return {"repeat_from": said.field("occursCount")}
        self.has_tests = True
        return {"repeat_by": self.statements.count(said)}

    def _bracketed(self, kind: Type, said: Properties) -> None:
        """Put the initiator and the terminator of an element with fields around its type."""
        if not self.is_text:
            self._plain(said)
            return
        around = kind.formats.get(FORMAT)
        if not isinstance(around, TdsType):
            raise wrong(said.node, f"{said.node.get('name')} has no sequence and no choice")
        opening, closing = text.delimiter(said, "initiator"), text.delimiter(said, "terminator")
        kind.formats[FORMAT] = replace(
            around, indicator=opening + around.indicator, terminator=around.terminator + closing
        )

    def made(
        self, use: Node, declared: Node, kind: Simple | Type, least: int, most: int | None
    ) -> Field | Group:
        """Return the field for an element, with the occurrences of its occursCountKind."""
        said = self._said(use, declared, kind)
        nodes = (
            use,
            *(() if declared is use else (declared,)),
            *(kind.chain if isinstance(kind, Simple) else ()),
        )
        checks = self._checks(nodes, is_group=False)
        tested = checks is not None or (isinstance(kind, Type) and has_tests(kind))
        if use.get("maxOccurs", "1") != "1" or least != 1:
            least, most = self._occurs(use, said, least, most, tested)
        field = super().made(use, declared, kind, least, most)
        field.checks = checks
        self.uses[id(field)] = field, said
        return field

    def _occurs(
        self, use: Node, said: Properties, least: int, most: int | None, tested: bool
    ) -> tuple[int, int | None]:
        how = said.one_of("occursCountKind", "implicit", "fixed", "parsed", "expression")
        if how == "fixed":
            return (least if most is None else most), most
        if how == "parsed":
            return 0, None
        if how == "expression" and self.is_text:
            raise wrong(use, "occursCountKind expression is supported in data without delimiters only")
        if not self.is_text and how == "implicit" and most is not None and least != most and not tested:
            raise NeedsText  # only delimiters, a test or the end of the text determine how many there are
        return least, most

    def about_group(
        self, said: tuple[Node, ...], compose: str, members: list[Field | Group]
    ) -> dict[str, Any]:
        """Return the format's properties of a group, with its members adapted."""
        if not compose:
            return {}
        properties = self.formats.at(*said)
        self._in_order(properties, compose)
        if not self.is_text:
            return self._fixed_group(properties, compose, members)
        if compose == "choice" and properties.get("choiceDispatchKey"):
            self._dispatched(properties, members)
        about = text.text_group(properties, compose, self.formats, members, FORMAT)
        for at, member in enumerate(members):
            members[at] = self._placed(member, about, properties)
        return {FORMAT: about}

    def _in_order(self, properties: Properties, compose: str) -> None:
        """Refuse an unordered sequence whose members have no initiators."""
        kind = properties.one_of("sequenceKind", "ordered", "unordered")
        if compose != "sequence" or kind == "ordered":
            return
        if properties.get("initiatedContent") != "yes" or not properties.literal("separator"):
            raise wrong(
                properties.node, "an unordered sequence is supported with initiatedContent and a separator"
            )
        if not self.is_text:
            raise NeedsText

    def _placed(self, member: Field | Group, about: TdsType, properties: Properties) -> Field | Group:
        _, own = self.uses.get(id(member), (member, properties))
        if about.separation == "tagged delimited":
            return text.tagged(member, own, FORMAT)
        if not isinstance(member, Field) or not isinstance(member.type, str):
            return member
        made = text.enclosed(member, own, FORMAT)
        if made is member and about.separation == "fixed length":
            return text.open_ended(member, FORMAT)
        return made

    def _fixed_group(
        self, properties: Properties, compose: str, members: list[Field | Group]
    ) -> dict[str, Any]:
        self._plain(properties)
        if compose != "choice":
            if properties.literal("separator"):
                raise NeedsText
            return {}
        if properties.get("choiceDispatchKey"):
            self._dispatched(properties, members)
        elif not any(has_tests(member) for member in members):
            self.note(properties.node, "nothing decides the choice: its first branch that fits is taken")
        if properties.get("choiceLengthKind") == "explicit" and properties.get("choiceLength"):
            return {FORMAT: Cwf(length=properties.number("choiceLength"))}
        return {FORMAT: Cwf(varying=True)}

    def _dispatched(self, properties: Properties, members: list[Field | Group]) -> None:
        """Let each branch begin with the test for its dispatch key."""
        for member in members:
            _, own = self.uses.get(id(member), (member, properties))
            keys = own.get("choiceBranchKey", "")
            if not keys:
                raise wrong(own.node, "a branch of a choice with a dispatch key needs a choiceBranchKey")
            test = self.statements.dispatch(properties.node, properties["choiceDispatchKey"], keys)
            member.checks = test.around(member.checks)
            self.has_tests = True


def _ccsid(said: Properties) -> int:
    """Return the CCSID of an encoding; 0 if it is that of the message."""
    encoding = said.get("encoding", "").split(",")[0]
    if not encoding or encoding.startswith("{") or encoding.lower() in ("us-ascii", "ascii"):
        return 0
    numbered = _NUMBERED.fullmatch(encoding)
    if numbered is None and encoding.lower() not in _CCSIDS:
        raise wrong(said.node, f"encoding {encoding!r} is unknown")
    return int(numbered[1]) if numbered else _CCSIDS[encoding.lower()]
