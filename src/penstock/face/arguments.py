"""Checks the arguments of programs: a value of the wrong type is an `MQError` that names the expected one.

Shared by the embedded queue manager and both clients, so that all refuse alike. The quick ways of puts and
gets call this only for values that are not of the plain types. An argument that no method has is Python's
own TypeError, as everywhere, with the name that was likely meant. Nothing here knows queues.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.model.message import Message

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

GET_MANY_MAX = 100_000
DYNAMIC_NAME = "AMQ.*"
NUMBER_MAX = (1 << 31) - 1


def check_names(method: Callable[..., Any], given: Iterable[str], known: Collection[str] = ()) -> None:
    """Refuse an argument that is neither among the known ones nor a parameter, with the likely name."""
    for name in given:
        if name not in known:
            import inspect
            from difflib import get_close_matches

            parameters = inspect.signature(method).parameters.values()
            named = [each.name for each in parameters if each.kind is not each.VAR_KEYWORD]
            near = get_close_matches(name, [*named, *known], 1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise TypeError(f"{method.__name__} has no argument {name!r}{hint}")


def name_of(given: Any, reason: int = mq.MQRC_UNKNOWN_OBJECT_NAME) -> str:
    """Return a name as plain text, also one that is a member of a `StrEnum`; `reason` for no text."""
    if not isinstance(given, str):
        raise error(reason, f"a name is a text, not {type(given).__name__}")
    return str.__str__(given)


def text_of(given: Any, what: str) -> str:
    """Return a text, or raise 2046 saying what should be one."""
    if not isinstance(given, str):
        raise error(mq.MQRC_OPTIONS_ERROR, f"{what} is a text, not {type(given).__name__}")
    return given


def options_of(given: Any) -> int:
    """Return options as a number; 2046 for another value."""
    try:
        return given.__index__()  # type: ignore[no-any-return]
    except (AttributeError, TypeError):
        raise error(
            mq.MQRC_OPTIONS_ERROR, f"options are numbers, such as penstock.Open.OUTPUT, not {given!r:.60}"
        ) from None


def place_of(given: Any) -> tuple[int, int]:
    """Return the lane and the place on a queue up to which was read; 2046 for another value."""
    if not isinstance(given, (tuple, list)) or not [type(each) for each in given] == [int, int]:
        raise error(
            mq.MQRC_OPTIONS_ERROR, f"a place on a queue is two numbers, lane and place, not {given!r:.60}"
        )
    return given[0], given[1]


def whole_of(given: Any, what: str) -> int:
    """Return a whole number that MQ's fields can hold; 2046 for another value."""
    if not isinstance(given, int) or not -NUMBER_MAX <= given <= NUMBER_MAX:
        raise error(mq.MQRC_OPTIONS_ERROR, f"{what} is a whole number of 32 bits, not {given!r:.60}")
    return int(given)


def check_count(given: Any) -> None:
    """Raise 2046 if it is not a number of messages."""
    if not isinstance(given, int) or not 0 < given <= GET_MANY_MAX:
        raise error(mq.MQRC_OPTIONS_ERROR, f"count must be 1 to {GET_MANY_MAX}, not {given!r:.60}")


def bodies_of(given: Any) -> Iterator[Any]:
    """Iterate over the bodies of several messages; 2004 for a single body or another value."""
    if isinstance(given, bytes | str | bytearray | memoryview):
        raise error(mq.MQRC_BUFFER_ERROR, "bodies are a list of them; one message is put by put")
    try:
        return iter(given)
    except TypeError:
        raise error(
            mq.MQRC_BUFFER_ERROR, f"bodies are a list of bytes or str, not {type(given).__name__}"
        ) from None


def open_details(
    object_type: Any, qmgr: Any, dynamic_name: Any, selector: Any, alternate_user: Any, object_string: Any
) -> dict[str, Any]:
    """Return what was given to an open besides name and options."""
    return {
        "object_type": object_type,
        "qmgr": qmgr,
        "dynamic_name": dynamic_name,
        "selector": selector,
        "alternate_user": alternate_user,
        "object_string": object_string,
    }


def check_open_details(details: dict[str, Any]) -> None:
    """Refuse, with 2046, values of an open that are of the wrong kind."""
    whole_of(details["object_type"], "object_type")
    for name in ("qmgr", "dynamic_name", "alternate_user", "object_string"):
        text_of(details[name], name)


def attributes_of(given: Any, named: dict[str, Any]) -> dict[Any, Any]:
    """Return attributes to set, by name or number; 2067 if it is not a mapping."""
    try:
        return dict(given or {}) | named
    except (TypeError, ValueError):
        raise error(
            mq.MQRC_SELECTOR_ERROR, f"attributes are a mapping of names to values, not {given!r:.60}"
        ) from None


def lines_of(given: Any) -> Iterator[str]:
    """Iterate over lines of MQSC; 2046 if it is not text."""
    if isinstance(given, str):
        return iter(given.splitlines())
    if not hasattr(given, "__iter__"):
        raise error(mq.MQRC_OPTIONS_ERROR, f"MQSC comes as lines, not {type(given).__name__}")
    return (text_of(line, "a line of MQSC") for line in given)


def outputs_of(given: Iterable[Any]) -> Iterator[Any]:
    """Iterate over messages with their destinations; 2046 if it is not iterable."""
    try:
        return iter(given)
    except TypeError:
        raise error(mq.MQRC_OPTIONS_ERROR, f"{OUTPUTS}, not {type(given).__name__}") from None


def check_output(given: Any) -> None:
    """Raise 2046 if it is not a message with a destination."""
    fits = isinstance(given, tuple | list) and len(given) == 4
    if not fits or not isinstance(given[1], Message) or not isinstance(given[2], str):
        raise error(mq.MQRC_OPTIONS_ERROR, f"{OUTPUTS}, not {given!r:.60}")
    name_of(given[0])
    options_of(given[3])


OUTPUTS = "put_messages takes tuples of queue, Message, queue manager and put options"


def folder_at(given: Any) -> Path:
    """Return a path; 2046 for another value."""
    if not isinstance(given, str | os.PathLike):
        raise error(mq.MQRC_OPTIONS_ERROR, f"a folder is a text or a Path, not {type(given).__name__}")
    return Path(given)
