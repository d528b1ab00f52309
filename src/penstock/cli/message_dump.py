"""Messages shown in full: as a hex dump, with every field of the descriptor, or parsed into a tree.

Used by `penstock browse`. A body is bytes; parsing it needs its format, from `--domain` and `--model`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from penstock.cli.printing import LINES, visible
from penstock.model.errors import MQError
from penstock.tools.message_facts import hex_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from penstock.model.message import Message


class View(NamedTuple):
    """The parts of a message to show besides its body."""

    hex: bool = False
    mqmd: bool = False
    domain: str = ""
    model: Path | None = None
    message: str = ""  # of the model
    format: str = ""  # of the model

    @property
    def plain(self) -> bool:
        """Whether the body is shown as text."""
        return not (self.hex or self.mqmd or self.domain)


def shower_of(view: View, as_json: bool) -> Callable[[Message, str | None], MQError | None]:
    """Return a function that prints one message by a view, and who holds it: None if not requested.

    It returns why the message could not be parsed, if a tree was to be shown.
    """
    from penstock.cli.get import shower
    from penstock.cli.message_view import message_facts
    from penstock.cli.model_file import load_model
    from penstock.cli.printing import show_json_line

    model = load_model(view.model)
    plain = shower(False)
    number = 0

    def show(message: Message, holder: str | None) -> MQError | None:
        nonlocal number
        number += 1
        tree = tree_of(message, view, model, as_json)
        if as_json:
            held = {} if holder is None else {"held_by": holder or None}
            show_json_line(message_facts(message) | held | more_facts(message, view, tree))
            return tree.refused
        if holder:
            print(f"[held by {holder}] ", end="")
        if view.plain:
            plain(message)
            return None
        print(f"== message {number}, {message.length} bytes, id {message.msg_id.hex()}")
        for line in lines_of(message, view, tree):
            print(line)
        return tree.refused

    return show


class Parsed(NamedTuple):
    """The tree of a message as lines, or as JSON holds it; or why there is none."""

    content: Any = None
    refused: MQError | None = None


def tree_of(message: Message, view: View, model: object, as_json: bool) -> Parsed:
    """Return the tree of a view."""
    if not view.domain:
        return Parsed()
    from penstock.cli.parse import json_text
    from penstock.tree.dump import dump_field

    try:
        folders = folders_of(message, view, model)
        if as_json:
            return Parsed(json.loads("".join(json_text(folders))))
        return Parsed([dump_field(folder) for folder in folders])
    except MQError as refused:
        return Parsed(refused=refused)


def lines_of(message: Message, view: View, tree: Parsed) -> Iterator[str]:
    """Yield a message as lines: descriptor and properties, tree, bytes; bytes too if there is no tree."""
    if view.mqmd:
        yield "-- descriptor"
        for name, value in descriptor_facts(message).items():
            yield f"{name:<20}{value}"
        if message.properties:
            yield "-- properties"
            for name, value in message.properties.items():
                yield f"{name:<20}{value!r}"
    if view.domain:
        yield "-- tree"
        yield from tree.content or ()
    if tree.refused is not None:
        yield f"cannot be parsed: {visible(tree.refused.detail, kept=LINES)}"
    if view.hex or view.mqmd or tree.refused is not None:
        yield "-- body"
        yield from hex_lines(bytes(message.body or b""))


def more_facts(message: Message, view: View, tree: Parsed) -> dict[str, Any]:
    """Return the additional facts of a view for a message in JSON."""
    facts: dict[str, Any] = {}
    if view.mqmd:
        facts["mqmd"] = descriptor_facts(message)
    if view.domain:
        facts["tree"] = tree.content
    if tree.refused is not None:
        facts["tree_error"] = tree.refused.detail
    if view.hex or view.mqmd:
        facts["body_hex"] = bytes(message.body or b"").hex()
    return facts


def descriptor_facts(message: Message) -> dict[str, Any]:
    """Return all fields of the MQMD by their MQ names; ids are hexadecimal."""
    from penstock import tree

    own = message.snapshot()
    own.properties = None  # otherwise they would be in a header, and the format would name it
    found = next(folder for folder in tree.parse_message(own) if folder.name == "MQMD")
    return {field.name: _plain(field.value) for field in found}


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.hex()
    return value.rstrip() if isinstance(value, str) else value if isinstance(value, int) else str(value)


def folders_of(message: Message, view: View, model: object) -> list[Any]:
    """Return the headers and the body of a message as flows see them; invalid data is an error."""
    from penstock import tree

    given = {"type": view.message, "format": view.format}
    found = tree.parse_message(message, view.domain, model, **given)  # type: ignore[arg-type]
    return [folder for folder in found if folder.name not in ("Properties", "MQMD")]
