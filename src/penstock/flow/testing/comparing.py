"""Compares the results of a run with a case: queues, dead letters, replies, files, rows, wires.

An unexpected result is a problem like a missing one: a message on a queue that the case does not name, a
file, a dead letter, the reply of a failed request.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.esql.testing import differences
from penstock.flow.testing.content import CONTENT, content_of, details_of
from penstock.flow.testing.rig import DEAD_LETTERS
from penstock.model.errors import MQError
from penstock.model.reasons import REASONS
from penstock.tree import parse

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from penstock.flow.http.exchange import HttpResponse
    from penstock.flow.testing.rig import Rig
    from penstock.model.message import Message as QueueMessage
    from penstock.tools.dead_letters import Letter

SHOWN_BYTES = 300
FAILED_STATUS = 400


def compare(rig: Rig, case: dict[str, Any], path: Path) -> list[str]:
    """Return the differences between the results of a run and a case."""
    problems = []
    if "dead_letters" in case:
        problems += _dead_letters(case["dead_letters"] or [], rig.dead_letters(), path)
    expected = case.get("out") or {}
    for queue in sorted({*expected, *rig.filled()}):
        problems += _queue(queue, expected.get(queue) or [], rig.messages(queue), path)
    problems += _replies(case.get("replies"), rig.replies, path)
    problems += _files(case.get("written") or {}, rig.files.written(), path)
    problems += _wires(rig, case.get("wires") or {})
    for name, tables in (case.get("rows") or {}).items():
        for table, rows in tables.items():
            there = rig.sql(name, f'SELECT * FROM "{table}"')
            if there != rows:
                problems.append(f"{name}.{table}: rows {there}, expected {rows}")
    return problems


def _wires(rig: Rig, wires: dict[str, int]) -> Iterable[str]:
    for wire, count in wires.items():
        yield from rig.unknown_wire(wire)
        passed = sum(1 for seen in rig.wires if seen.place.partition(" -> ")[0] == wire)
        if passed != count:
            yield f"wire {wire}: messages {passed}, expected {count}"


def _queue(queue: str, expected: list[dict[str, Any]], found: list[QueueMessage], path: Path) -> list[str]:
    if len(expected) != len(found):
        why = " (the flow failed on it: see the log)" if queue == DEAD_LETTERS else ""
        return [_counts(f"queue {queue}: messages", expected, [each.body for each in found], why)]
    problems = []
    for number, (want, have) in enumerate(zip(expected, found, strict=True), 1):
        told = [*_body(want, have.body or b"", path), *_details(want, have)]
        problems += [f"queue {queue}, message {number}: {text}" for text in told]
    return problems


def _dead_letters(expected: list[dict[str, Any]], found: list[Letter], path: Path) -> list[str]:
    if len(expected) != len(found):
        told = [_letter(each) for each in found[:3]]
        return [f"dead letters {len(found)}, expected {len(expected)}: {'; '.join(told) or 'nothing'}"]
    problems = []
    for number, (want, have) in enumerate(zip(expected, found, strict=True), 1):
        told = [*_body(want, have.body, path), *_why(want, have)]
        problems += [f"dead letter {number}: {text}" for text in told]
    return problems


def _letter(letter: Letter) -> str:
    return f"{letter.reason} {_name(letter.reason)} {_shown(letter.body)}"


def _name(number: int) -> str:
    return REASONS[number].name if number in REASONS else ""


def _why(want: dict[str, Any], have: Letter) -> Iterable[str]:
    why, queue = want.get("reason"), want.get("queue")
    if why is not None and why not in (have.reason, _name(have.reason)):
        yield f"reason {have.reason} {_name(have.reason)}, expected {why}"
    if queue is not None and queue != have.destination:
        yield f"queue {have.destination}, expected {queue}"
    properties = have.message.properties or {}
    for name, value in (want.get("properties") or {}).items():
        if properties.get(name) != value:
            yield f"property {name} {properties.get(name)!r}, expected {value!r}"
    yield from _details({key: value for key, value in want.items() if key != "properties"}, have.message)


def _replies(
    expected: list[dict[str, Any]] | None, found: list[HttpResponse | None], path: Path
) -> Iterable[str]:
    if expected is None:
        for number, have in enumerate(found, 1):
            if have is not None and have.status >= FAILED_STATUS:
                yield f"reply {number}: status {have.status}: {_shown(have.body)}"
        return
    if len(expected) != len(found):
        yield f"replies {len(found)}, expected {len(expected)}"
        return
    for number, (want, have) in enumerate(zip(expected, found, strict=True), 1):
        if have is None:
            yield f"reply {number}: the flow gave none"
            continue
        for text in [*_head(want, have), *_body(want, have.body, path)]:
            yield f"reply {number}: {text}"


def _head(want: dict[str, Any], have: HttpResponse) -> Iterable[str]:
    status = want.get("status", 200)
    if status != have.status:
        yield f"status {have.status}, expected {status}: {_shown(have.body)}"
    headers = {name.lower(): value for name, value in have.headers}
    for name, value in (want.get("headers") or {}).items():
        if headers.get(name.lower()) != str(value):
            yield f"header {name} {headers.get(name.lower())!r}, expected {value!r}"


def _files(expected: dict[str, Any], found: dict[str, bytes], path: Path) -> Iterable[str]:
    wanted = {name.lstrip("/"): want for name, want in expected.items()}
    for name in sorted({*wanted, *found}):
        if name not in found:
            yield f"file {name} was not written"
        elif name not in wanted:
            yield f"file {name} was not expected: {_shown(found[name])}"
        else:
            told = _body(_as_content(wanted[name]), found[name], path)
            yield from (f"file {name}: {text}" for text in told)


def _as_content(given: Any) -> dict[str, Any]:
    return given if isinstance(given, dict) else {"body": given}


def _body(want: dict[str, Any], body: bytes, path: Path) -> list[str]:
    if "xml" in want or "json" in want:
        domain = "XMLNSC" if "xml" in want else "JSON"
        wanted = parse(content_of(want, path), domain)
        try:
            return differences(parse(body, domain), wanted)
        except MQError as raised:
            return [f"body {_shown(body)} is not {domain}: {raised}"]
    if any(key in want for key in CONTENT) and content_of(want, path) != body:
        as_hex = "hex" in want
        return [f"body {_shown(body, as_hex)}, expected {_shown(content_of(want, path), as_hex)}"]
    return []


def _details(want: dict[str, Any], have: QueueMessage) -> list[str]:
    found = ((name, _detail(have, name), value) for name, value in details_of(want).items())
    return [f"{name} {actual!r}, expected {value!r}" for name, actual, value in found if actual != value]


def _detail(message: QueueMessage, name: str) -> Any:
    return getattr(message if hasattr(message, name) else message.descriptor, name)


def _counts(what: str, expected: list[Any], found: list[bytes | None], why: str = "") -> str:
    there = ", ".join(_shown(body or b"") for body in found[:3]) or "nothing"
    return f"{what} {len(found)}, expected {len(expected)}{why}: {there}"


def _shown(body: bytes, as_hex: bool = False) -> str:
    text = body[:SHOWN_BYTES].hex() if as_hex else repr(body[:SHOWN_BYTES])[1:]
    return text + "..." if len(body) > SHOWN_BYTES else text
