"""The content of a message for people: headers, and the body as text, hex or tree, within limits."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any

from penstock import tree
from penstock.flow.broker.home import all_brokers
from penstock.host.folders.folder import folder_of
from penstock.model import ccsid as character_sets
from penstock.model.errors import MQError
from penstock.tools.message_facts import hex_lines
from penstock.tree.dump import value_text
from penstock.tree.model.files import load_model

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from penstock.model.message import Message

FIELDS_MAX = 2_000
SHOWN_BYTES_MAX = 256 << 10
DEPTH_MAX = 60
MODELS_MAX = 200
DOMAINS = ("XMLNSC", "JSON", "SWIFT", "MIME", "SOAP", "MRM", "DFDL")
MODEL_ENDINGS = (".yaml", ".yml", ".cpy", ".cbl", ".xsd", ".mxsd")


@dataclass
class Field:
    """A field of a tree, for a template."""

    name: str
    value: str
    kind: str
    children: list[Field] = field(default_factory=list)


def text_of(message: Message) -> str:
    """Return the body as text in its own character set, as far as it is text."""
    body = bytes(message.body or b"")
    own = message.descriptor.ccsid
    try:
        if own > 0 and character_sets.is_known(own):
            return character_sets.decode(body, own, message.descriptor.encoding)
    except (MQError, ValueError):
        pass
    return body.decode("utf-8", "replace")


def preview_of(message: Message, length: int = 120) -> str:
    """Return the first characters of a body on one line."""
    text = text_of(message)[: 2 * length]
    return "".join(each if each.isprintable() else "·" for each in " ".join(text.split()))[:length]


def hex_of(message: Message) -> str:
    """Return the body as a hex dump, cut where it is too long."""
    body = bytes(message.body or b"")
    cut = "\n…" if len(body) > SHOWN_BYTES_MAX else ""
    return "\n".join(hex_lines(body[:SHOWN_BYTES_MAX])) + cut


def guessed_view(message: Message) -> str:
    """Return how a body is best shown at first."""
    head = bytes(message.body or b"")[:64].lstrip()
    if message.descriptor.format.strip().startswith("MQH") or message.descriptor.format.strip() == "MQDEAD":
        return "tree"
    if head[:1] in (b"{", b"[", b"<"):
        return "tree"
    return "text" if head.decode("utf-8", "replace").isprintable() or not head else "hex"


def guessed_domain(message: Message) -> str:
    """Return the domain that a body seems to be of."""
    head = bytes(message.body or b"")[:64].lstrip()
    return "JSON" if head[:1] in (b"{", b"[") else "XMLNSC" if head[:1] == b"<" else "BLOB"


def descriptor_of(message: Message) -> dict[str, str]:
    """Return the fields of the descriptor by their MQ names."""
    own = message.snapshot()
    own.properties = None
    found = next(folder for folder in tree.parse_message(own) if folder.name == "MQMD")
    return {each.name: _plain(each.value) for each in found}


def tree_of(message: Message, domain: str, model: str, qmgr: str, type_: str, format_: str) -> list[Field]:
    """Return headers and body as a tree; raises what parsing raises."""
    path = models(qmgr).get(model)
    found = tree.parse_message(
        message, domain, load_model(path) if path is not None else None, type=type_, format=format_
    )
    left = [FIELDS_MAX]
    return [_field(each, left, 0) for each in found if each.name not in ("Properties", "MQMD")]


def _field(found: Any, left: list[int], depth: int) -> Field:
    made = Field(str(found.name), _value(found), "")
    left[0] -= 1
    for child in islice(found, FIELDS_MAX):
        if left[0] <= 0 or depth > DEPTH_MAX:
            made.children.append(Field("…", "the rest is not shown", "cut"))
            break
        made.children.append(_field(child, left, depth + 1))
    return made


def _value(found: Any) -> str:
    value = found.value
    return "" if value is None else value_text(value)


def _plain(value: Any) -> str:
    return value.hex() if isinstance(value, bytes) else str(value).rstrip()


def models(qmgr: str) -> dict[str, Path]:
    """Return the message models that can be chosen: of the queue manager and of deployed projects."""
    return dict(islice(_models(qmgr), MODELS_MAX))


def _models(qmgr: str) -> Iterator[tuple[str, Path]]:
    places = [(qmgr, folder_of(qmgr).models)]
    for home in all_brokers():
        for name, deployed in home.read_deployed()["deployments"].items():
            places.append((name, home.projects / deployed["project"] / str(deployed["version"]) / "models"))
    for owner, folder in places:
        for path in sorted(folder.iterdir()) if folder.is_dir() else ():
            if path.suffix.lower() in MODEL_ENDINGS:
                yield f"{owner}: {path.name}", path
