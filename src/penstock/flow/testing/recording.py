"""Turns a run into a test: its inputs and results as a case in YAML."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.flow.http.exchange import HttpResponse
    from penstock.flow.testing.rig import Rig
    from penstock.tools.dead_letters import Letter

BEFORE = ("in", "set", "stubs", "files", "database", "queues", "mqsc")  # what a run begins with


def recorded_case(rig: Rig, name: str, given: dict[str, Any]) -> dict[str, Any]:
    """Return a case that expects the results of a rig's run; takes messages off their queues.

    `given` is the case that was run, with what came in and what was there before.
    """
    case: dict[str, Any] = {"name": name, **{key: given[key] for key in BEFORE if given.get(key)}}
    letters = [_letter(each) for each in rig.dead_letters()]
    case["out"] = {
        queue: [as_content(each.body or b"") for each in rig.messages(queue)] for queue in rig.filled()
    }
    if letters:
        case["dead_letters"] = letters
    if rig.replies:
        case["replies"] = [_reply(each) for each in rig.replies if each is not None]
    written = rig.files.written()
    if written:
        case["written"] = {each: as_content(content) for each, content in written.items()}
    rows = {source: rig.tables(source) for source in rig.urls}
    if rows:
        case["rows"] = rows
    case["wires"] = dict(Counter(seen.place.partition(" -> ")[0] for seen in rig.wires))
    return case


def _letter(letter: Letter) -> dict[str, Any]:
    return {"reason": letter.reason, "queue": letter.destination, **as_content(letter.body)}


def _reply(reply: HttpResponse) -> dict[str, Any]:
    return {"status": reply.status, **as_content(reply.body)}


def as_content(body: bytes) -> dict[str, str]:
    """Return a body as a case writes it: text where it is text."""
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        return {"hex": body.hex()}
    return {"body": text} if _survives(text) else {"hex": body.hex()}


def _survives(text: str) -> bool:
    """Return whether a text survives being written as YAML and is readable there."""
    import yaml

    if not (text.isprintable() or "\n" in text):
        return False
    return bool(yaml.safe_load(yaml.safe_dump(text, allow_unicode=True)) == text)


def save_case(path: Path, flow: str, case: dict[str, Any]) -> None:
    """Add a case to a file of tests, created if necessary."""
    import yaml

    from penstock.flow.testing.cases import read_cases

    known: dict[str, Any] = read_cases(path) if path.exists() else {"flow": flow, "tests": []}
    if known["flow"] != flow:
        raise error(mq.PSRC_FLOW_PROJECT, f"{path} has tests of flow {known['flow']}, not of {flow}")
    known["tests"] = [each for each in known["tests"] if each.get("name") != case["name"]] + [case]
    path.parent.mkdir(parents=True, exist_ok=True)
    text = yaml.safe_dump(known, sort_keys=False, allow_unicode=True, width=120)
    path.write_text(text, "utf-8")
