"""Reads message bodies for selectors that look into them: `Body.Quote.Price > 100`.

The host's gift to an engine that does not read bodies (`engine.content_filters`). XML and JSON are told
apart by their first character; a place is found through the message tree. A body is parsed once, however
many subscriptions ask about it. Invariant: a body that is neither, or broken, makes every place in it
unknown; it never fails a publish.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import MQError
from penstock.model.rfh2 import detach_properties
from penstock.qmgr.selector import NUMBER, STRING, Selector, compile_with_body

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from penstock.model.message import Message
    from penstock.qmgr.selector_fields import Field

BODY_BYTES_MAX = 16 << 20  # a longer body is not looked into
DOMAINS = {ord("<"): "XMLNSC", ord("{"): "JSON", ord("["): "JSON"}
PREFIXES = {"XMLNSC": ("XMLNSC",), "JSON": ("JSON", "Data")}
BLANKS = b" \t\r\n\xef\xbb\xbf"


class ContentFilters:
    """Compiles selectors on bodies; remembers the tree of the body it was last asked about."""

    def __init__(self) -> None:
        self._body: bytes | None = None
        self._parsed: tuple[str, Any] | None = None

    def compile(self, text: str) -> Selector:
        """Return the selector, which may name Body, Root and message properties; 2459 for bad syntax."""
        return compile_with_body(text, self._field)

    def _field(self, name: str, kind: int) -> Field:
        first, *steps = name.split(".")
        convert = _CONVERSIONS.get(kind, _natural)
        paths: dict[str, Any] = {}

        def value(message: Message, _: Mapping[str, Any]) -> Any:
            parsed = self._tree(message)
            if parsed is None:
                return None
            domain, tree = parsed
            path = paths.get(domain)
            if path is None:
                path = paths[domain] = _path(first, steps, domain)
            try:
                return convert(tree.get(path))  # the body is parsed when it is first touched
            except MQError:
                self._parsed = None
                return None

        return value

    def _tree(self, message: Message) -> tuple[str, Any] | None:
        if message.body is not self._body:
            self._parsed = _parse(message)
            self._body = message.body
        return self._parsed


def _path(first: str, steps: list[str], domain: str) -> Any:
    from penstock.tree import Path

    return Path(*steps) if first == "Root" else Path(*PREFIXES[domain], *steps)


def _parse(message: Message) -> tuple[str, Any] | None:
    from penstock.tree import parse

    body = message.body
    if body is None or len(body) > BODY_BYTES_MAX:
        return None
    try:
        if message.descriptor.format == mq.MQFMT_RF_HEADER_2:
            body = detach_properties(body, message.descriptor)[1]
        start = body.lstrip(BLANKS)[:1]
        domain = DOMAINS.get(start[0]) if start else None
        return None if domain is None else (domain, parse(body, domain=domain))
    except MQError:
        return None


def _natural(value: Any) -> Any:
    """Return a value that selectors know: text, number, boolean, or None for what is not there."""
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
