"""Reads message bodies for selectors that look into them: `Body.Quote.Price > 100`.

Plugged into an engine that does not read bodies (`engine.content_filters`). The mcd folder names the format
of a body (`mcd.Msd`, and for a model `mcd.Set`, `mcd.Type`, `mcd.Fmt`); without one, the first character
distinguishes XML and JSON. A place is found through the message tree; a body is parsed once, however many
subscriptions ask about it. Text that is no selector may be an ESQL expression, which a room above this
one compiles. Invariant: a body that cannot be read makes every place in it unknown; it never fails a publish.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from penstock.model import constants as mq
from penstock.model.errors import MQError
from penstock.model.rfh2 import detach_properties
from penstock.qmgr.pubsub.publication_forms import OWN_PROPERTIES
from penstock.qmgr.selectors.evaluation import NUMBER, STRING
from penstock.qmgr.selectors.selector import Selector, compile_with_body

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from penstock.host.selectors.model_folder import ModelFolder
    from penstock.model.message import Message
    from penstock.qmgr.selectors.fields import Field

BODY_BYTES_MAX = 16 << 20  # a longer body is not looked into
DOMAINS = {ord("<"): "XMLNSC", ord("{"): "JSON", ord("["): "JSON"}
MODELLED = ("MRM", "DFDL")
PREFIXES = {"JSON": ("JSON", "Data")}  # of others it is the domain alone
TERM_CHARACTERS = 8  # of an expression, that cost as much as a term of a selector
BLANKS = b" \t\r\n\xef\xbb\xbf"


class About(NamedTuple):
    """What a body is, and the message without what publish/subscribe added to it."""

    source: Message
    domain: str
    model: Any
    type: str
    format: str


class ContentFilters:
    """Compiles selectors on bodies; caches the trees of the last message."""

    def __init__(self, models: ModelFolder) -> None:
        self.models = models
        self._last: tuple[Any, Any, Any] = (None, None, None)
        self._about: About | None = None
        self._body: Any = None
        self._whole: Any = None

    def compile(self, text: str) -> Selector | Expression:
        """Return the selector, which may name Body, Root and message properties; 2459 for bad syntax."""
        try:
            return compile_with_body(text, self._field)
        except MQError as failure:
            if failure.reason != mq.MQRC_SELECTOR_SYNTAX_ERROR:
                raise
        return Expression(text, self._whole_tree)

    def _field(self, name: str, kind: int) -> Field:
        first, *steps = name.split(".")
        convert = _CONVERSIONS.get(kind, _natural)
        paths: dict[str, Any] = {}

        def value(message: Message, _: Mapping[str, Any]) -> Any:
            about = self._look_at(message)
            if about is None:
                return None
            path = paths.get(about.domain)
            if path is None:
                path = paths[about.domain] = _path(first, steps, about.domain)
            try:
                return convert(self._body_tree(about).get(path))  # parsed when it is first touched
            except MQError:
                self._about = None
                return None

        return value

    def _look_at(self, message: Message) -> About | None:
        body, properties, descriptor = self._last
        if (
            message.body is not body
            or message.properties is not properties
            or message.descriptor is not descriptor
        ):
            self._last = message.body, message.properties, message.descriptor
            self._body = self._whole = None
            self._about = self._describe(message)
        return self._about

    def _describe(self, message: Message) -> About | None:
        """Return the format of a body, from its mcd folder or its first character; None if it is unknown."""
        if message.body is None or len(message.body) > BODY_BYTES_MAX:
            return None
        source = message.snapshot()
        said = dict(message.properties or {})
        try:
            if message.descriptor.format == mq.MQFMT_RF_HEADER_2:
                found, source.body, source.descriptor = detach_properties(message.body, message.descriptor)
                said.update(found)
        except MQError:
            return None
        source.properties = {
            name: value for name, value in said.items() if name not in OWN_PROPERTIES
        } or None
        assert source.body is not None
        domain = _named(str(said.get("mcd.Msd") or "")) or _guessed(source.body)
        if not domain or domain == "BLOB":
            return None
        set_, type_, format_ = (str(said.get(f"mcd.{name}") or "") for name in ("Set", "Type", "Fmt"))
        model = self.models.find(set_) if domain in MODELLED else None
        return None if domain in MODELLED and model is None else About(source, domain, model, type_, format_)

    def _body_tree(self, about: About) -> Any:
        from penstock.tree import parse

        if self._body is None:
            source = about.source
            assert source.body is not None
            modelled = about.model is not None
            self._body = parse(
                source.body,
                about.domain,
                about.model,
                message=(about.type.rpartition(":")[2] or None) if modelled else None,
                format=(about.format or None) if modelled else None,
                ccsid=source.descriptor.ccsid if modelled else None,
                encoding=source.descriptor.encoding if modelled else None,
            )
        return self._body

    def _whole_tree(self, message: Message) -> Any:
        """Return the tree of a message with all its folders, None when its body cannot be read."""
        from penstock.tree.assembly import parse_message

        about = self._look_at(message)
        if about is None or self._whole is not None:
            return self._whole
        try:
            self._whole = parse_message(
                about.source, about.domain, about.model, type=about.type, format=about.format
            )
        except MQError:
            self._about = None
        return self._whole


class Expression:
    """A selector that is an ESQL expression."""

    reads_body, searches = True, 0

    def __init__(self, text: str, tree: Callable[[Message], Any]) -> None:
        from penstock.esql.subscription_filter import compile_filter

        self.text = text
        self.cost = 1 + len(text) // TERM_CHARACTERS
        self._wanted: Callable[[Any], bool] = compile_filter(text)
        self._tree = tree

    def matches(self, message: Message) -> bool:
        """Return whether the expression is true of this message; unknown counts as no."""
        tree = self._tree(message)
        return tree is not None and self._wanted(tree)


def _path(first: str, steps: list[str], domain: str) -> Any:
    from penstock.tree import Path

    return Path(*steps) if first == "Root" else Path(*PREFIXES.get(domain, (domain,)), *steps)


def _named(domain: str) -> str:
    """Return a domain as it is written, whatever the case of its name in an mcd folder."""
    from penstock.tree.core._domains import domain_names

    return next((name for name in domain_names() if name.lower() == domain.lower()), "")


def _guessed(body: bytes) -> str:
    start = body[:64].lstrip(BLANKS)[:1]
    return DOMAINS.get(start[0], "") if start else ""


def _natural(value: Any) -> Any:
    """Return a value for selectors: text, number, boolean, or None for a missing field."""
    if isinstance(value, bool | int | float | str):
        return value
    if value is None or not hasattr(value, "as_tuple"):
        return None
    return float(value)


def _number(value: Any) -> Any:
    """Return a number, also where the body has it as text; other values as they are."""
    found = _natural(value)
    if not isinstance(found, str):
        return found
    try:
        return int(found)
    except ValueError:
        pass
    try:
        return float(found)
    except ValueError:
        return found


def _text(value: Any) -> Any:
    """Return text, also where the body has a number."""
    found = _natural(value)
    return str(found) if isinstance(found, int | float) and not isinstance(found, bool) else found


_CONVERSIONS: dict[int, Callable[[Any], Any]] = {NUMBER: _number, STRING: _text}
