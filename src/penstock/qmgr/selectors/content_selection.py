"""Selectors that look into a message's body: `Body.Quote.Price > 100`.

This room does not read bodies. A selector that names Body or Root (other than Root.MQMD) is handed to
`engine.content_filters`, which a host fills; without one it is refused with 2551, as MQ does. Every
other selector is compiled here as always. Compiling may take long: a host does it before it takes the
engine (`compile_for` needs no lock), and what came of it is kept. Called by `subscribing`.
"""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.qmgr.selectors.fields import is_body_name
from penstock.qmgr.selectors.parser import Name, parse
from penstock.qmgr.selectors.selector import compile_selector

if TYPE_CHECKING:
    from penstock.qmgr.engine import Engine

_log = logging.getLogger(__name__)
SELECTORS_KEPT = 1000
QUICK_CHARACTERS = 500
_BODY = re.compile(r"\b(?:Body|Root)\.")


def compile_for(engine: Engine, text: str) -> Any:
    """Return something with `matches(message)` for a subscription's selector; 2459 for bad syntax.

    What names Body or Root and is no selector may be an expression that only a host understands.
    """
    kept = engine.pubsub.selectors
    known = kept.get(text)
    if known is None:
        try:
            known = _compile(engine, text)
        except MQError as refused:
            if refused.reason == mq.MQRC_SELECTION_NOT_AVAILABLE:
                raise
            known = refused
        except Exception as fault:  # noqa: BLE001 - a fault of who reads bodies refuses one selector
            _log.exception("a selector could not be compiled: %s", text)
            known = error(
                mq.MQRC_SELECTOR_SYNTAX_ERROR, f"the selector cannot be compiled: {fault}", selector=text
            )
        if len(kept) >= SELECTORS_KEPT:
            kept.clear()
        kept[text] = known
    if isinstance(known, MQError):
        raise error(known.reason, known.detail, **known.fields)
    return known


def is_quick(engine: Engine, text: str) -> bool:
    """Return whether `compile_for` takes next to no time: compiled already, or short and a selector."""
    if text in engine.pubsub.selectors:
        return True
    try:
        return len(text) <= QUICK_CHARACTERS and parse(text) is not None
    except MQError:
        return not _BODY.search(text)


def _compile(engine: Engine, text: str) -> Any:
    if not names_body(text):
        return compile_selector(text)
    if engine.content_filters is None:
        raise error(
            mq.MQRC_SELECTION_NOT_AVAILABLE,
            "nothing here reads bodies, which this selector names",
            selector=text,
        )
    return engine.content_filters.compile(text)


class Refused:
    """A selector that was accepted once and is not any more: it matches nothing."""

    cost, searches, reads_body = 1, 0, False

    def __init__(self, text: str) -> None:
        self.text = text

    def matches(self, message: Any) -> bool:
        """Match nothing."""
        return False


def compile_kept(engine: Engine, text: str) -> Any:
    """Return the selector of an existing subscription; one that is refused now does not stop a start."""
    try:
        return compile_for(engine, text)
    except MQError as refused:
        if refused.reason != mq.MQRC_SELECTOR_SYNTAX_ERROR:
            raise
        _log.warning("a subscription gets nothing until its selector is changed: %s (%s)", text, refused)
        return Refused(text)


def names_body(text: str) -> bool:
    """Return whether a selector asks for something in the body."""
    if "Body" not in text and "Root" not in text:
        return False
    try:
        waiting: list[Any] = [parse(text)]
    except MQError:
        return _BODY.search(text) is not None
    while waiting:
        node = waiting.pop()
        if isinstance(node, Name):
            if is_body_name(node.name):
                return True
        elif isinstance(node, tuple):
            waiting.extend(node)
    return False
