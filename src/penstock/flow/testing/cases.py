"""Tests of flows in YAML: messages in, messages out by queue or wire, database rows. `tests/*.yaml` of a
project.

    flow: orders
    tests:
      - name: a large order is billed
        in: [{xml: "<Order><Total>2000</Total></Order>"}]
        out: {BILLING: [{xml: "<Bill><Total>2000</Total></Bill>"}]}

A message is `body`, `hex`, `file`, `xml` or `json`; the last two are compared as values, not as bytes. Every
queue that holds something must be named in `out`: what nobody expected is a failure. Read with the safe
loader.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from penstock.esql.testing import differences
from penstock.flow.graph.graph import near
from penstock.flow.testing.rig import DEAD_LETTERS, Rig
from penstock.model.constants_reasons import PSRC_FLOW_PROJECT
from penstock.model.errors import MQError, error
from penstock.tree import parse

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.flow.project import Project
    from penstock.model.message import Message as QueueMessage

FILE_KEYS = ("flow", "tests", "queues", "mqsc")
CASE_KEYS = ("name", "in", "out", "wires", "set", "stubs", "database", "rows", "queues", "mqsc")
CONTENT = ("body", "hex", "file", "xml", "json")
DETAILS = ("correl_id", "msg_id", "persistent", "priority", "reply_to", "format", "properties", "expiry")
ID_BYTES = 24
IDS = ("correl_id", "msg_id")
SHOWN_BYTES = 300


@dataclass(slots=True)
class Result:
    """What came of a case: nothing wrong, or what."""

    name: str
    problems: list[str] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        """Say whether everything was as expected."""
        return not self.problems


def read_cases(path: Path) -> dict[str, Any]:
    """Read a file of cases; 8304 with the place of what is wrong in it."""
    import yaml

    try:
        found = yaml.safe_load(path.read_text("utf-8"))
    except (yaml.YAMLError, ValueError, RecursionError) as raised:
        raise error(PSRC_FLOW_PROJECT, f"{path} cannot be read: {raised}") from raised
    if not isinstance(found, dict) or not isinstance(found.get("tests"), list) or "flow" not in found:
        raise error(PSRC_FLOW_PROJECT, f"{path}: a file of tests has `flow: NAME` and a list `tests:`")
    _check_keys(path, found, FILE_KEYS)
    for case in found["tests"]:
        if not isinstance(case, dict):
            raise error(PSRC_FLOW_PROJECT, f"{path}: a test is a mapping, not {case!r}")
        _check_keys(path, case, CASE_KEYS)
        _check_shapes(path, case)
    return found


def _check_shapes(path: Path, case: dict[str, Any]) -> None:
    """Refuse a case whose parts are lists where mappings are meant, or the other way round."""
    for key in ("out", "wires", "set", "stubs", "database", "rows"):
        if not isinstance(case.get(key) or {}, dict):
            raise error(PSRC_FLOW_PROJECT, f"{path}: {key!r} of a test is a mapping, not {case[key]!r}")
    messages = [case.get("in") or [], *(case.get("out") or {}).values()]
    for each in messages:
        if not isinstance(each or [], list) or not all(isinstance(one, dict) for one in each or []):
            raise error(PSRC_FLOW_PROJECT, f"{path}: messages are a list of mappings, not {each!r}")
    for label, stub in (case.get("stubs") or {}).items():
        if not isinstance(stub, str) and not (isinstance(stub, dict) and "body" in stub):
            raise error(PSRC_FLOW_PROJECT, f"{path}: stub {label} is a body or has one, not {stub!r}")
    for name, tables in (case.get("rows") or {}).items():
        if not isinstance(tables, dict):
            raise error(PSRC_FLOW_PROJECT, f"{path}: rows of {name} are by table, not {tables!r}")
    for name, statements in (case.get("database") or {}).items():
        if not _is_texts(statements):
            raise error(PSRC_FLOW_PROJECT, f"{path}: {name} has a list of statements, not {statements!r}")
    if not _is_texts(case.get("queues") or []):
        raise error(PSRC_FLOW_PROJECT, f"{path}: queues are a list of names, not {case['queues']!r}")


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def run_file(project: Project, path: Path) -> list[Result]:
    """Run the cases of a file, each on queues of its own."""
    cases = read_cases(path)
    shared = list(cases.get("queues", ()))
    script = cases.get("mqsc", "")
    return [
        run_case(project, str(cases["flow"]), {"mqsc": script, **case}, path, shared)
        for case in cases["tests"]
    ]


def run_case(project: Project, flow: str, case: dict[str, Any], path: Path, queues: list[str]) -> Result:
    """Run one case; an error of the flow or of the case is a problem like any other."""
    result = Result(str(case.get("name", "unnamed")))
    expected = case.get("out") or {}
    try:
        with Rig(flow, project, queues=[*queues, *case.get("queues", ()), *expected]) as rig:
            _prepare(rig, case)
            for given in case.get("in") or [{"body": ""}]:
                rig.put(content_of(given, path), given.get("input", ""), **details_of(given))
            for label in {str(given.get("input", "")) for given in case.get("in") or [{}]}:
                rig.run(label)
            result.problems += compare(rig, case, path)
    except MQError as raised:
        result.problems.append(str(raised))
    return result


def _prepare(rig: Rig, case: dict[str, Any]) -> None:
    if case.get("mqsc"):
        rig.mqsc(str(case["mqsc"]))
    for name, value in (case.get("set") or {}).items():
        rig.flow.set(name, value)
    for name, statements in (case.get("database") or {}).items():
        rig.database(name, *statements)
    for label, stub in (case.get("stubs") or {}).items():
        answer = {"body": stub} if isinstance(stub, str) else stub
        rig.stub(label, str(answer["body"]), answer.get("terminal", "out"), answer.get("domain", "XMLNSC"))


def compare(rig: Rig, case: dict[str, Any], path: Path) -> list[str]:
    """Return how queues, wires and rows differ from what a case expects."""
    expected = case.get("out") or {}
    problems = []
    for queue in sorted({*expected, *rig.filled()}):
        found = rig.messages(queue)
        problems += _compare_queue(queue, expected.get(queue) or [], found, path)
    for wire, count in (case.get("wires") or {}).items():
        problems += rig.unknown_wire(wire)
        passed = sum(1 for seen in rig.wires if seen.place.partition(" -> ")[0] == wire)
        if passed != count:
            problems.append(f"wire {wire}: messages {passed}, expected {count}")
    for name, tables in (case.get("rows") or {}).items():
        for table, rows in tables.items():
            there = rig.sql(name, f'SELECT * FROM "{table}"')
            if there != rows:
                problems.append(f"{name}.{table}: rows {there}, expected {rows}")
    return problems


def _compare_queue(
    queue: str, expected: list[dict[str, Any]], found: list[QueueMessage], path: Path
) -> list[str]:
    if len(expected) != len(found):
        there = ", ".join(_shown(message.body or b"") for message in found[:3]) or "nothing"
        why = " (the flow failed on it: see the log)" if queue == DEAD_LETTERS else ""
        return [f"queue {queue}: messages {len(found)}, expected {len(expected)}{why}: {there}"]
    problems = []
    for number, (want, have) in enumerate(zip(expected, found, strict=True), 1):
        told = _compare_message(want, have, path)
        problems += [f"queue {queue}, message {number}: {text}" for text in told]
    return problems


def _compare_message(want: dict[str, Any], have: QueueMessage, path: Path) -> list[str]:
    body = have.body or b""
    problems = []
    if "xml" in want or "json" in want:
        domain = "XMLNSC" if "xml" in want else "JSON"
        wanted = parse(content_of(want, path), domain)
        try:
            problems += differences(parse(body, domain), wanted)
        except MQError as raised:
            problems.append(f"body {_shown(body)} is not {domain}: {raised}")
    elif any(key in want for key in CONTENT) and content_of(want, path) != body:
        problems.append(f"body {_shown(body)}, expected {_shown(content_of(want, path))}")
    for name, value in details_of(want).items():
        actual = getattr(have, name, None)
        if actual != value:
            problems.append(f"{name} {actual!r}, expected {value!r}")
    return problems


def content_of(given: dict[str, Any], path: Path) -> bytes:
    """Return the body that a message of a case names."""
    _check_keys(path, given, (*CONTENT, *DETAILS, "input"))
    try:
        if "hex" in given:
            return bytes.fromhex(str(given["hex"]))
        if "file" in given:
            return (path.parent / str(given["file"])).read_bytes()
    except (OSError, ValueError) as raised:
        raise error(PSRC_FLOW_PROJECT, f"{path}: the body of a message cannot be had: {raised}") from None
    text = given.get("body", given.get("xml", given.get("json", "")))
    if "json" in given and not isinstance(text, str | bytes):
        return json.dumps(text, ensure_ascii=False).encode()
    return text if isinstance(text, bytes) else str(text).encode()


def details_of(given: dict[str, Any]) -> dict[str, Any]:
    """Return what a message of a case says beside its body; ids are hexadecimal."""
    found = {name: given[name] for name in DETAILS if name in given}
    return found | {name: _id(name, found[name]) for name in IDS if name in found}


def _id(name: str, value: Any) -> bytes:
    try:
        found = bytes.fromhex(value)
    except (TypeError, ValueError):
        raise error(PSRC_FLOW_PROJECT, f"{name} is hexadecimal digits in quotes, not {value!r}") from None
    if len(found) > ID_BYTES:
        raise error(PSRC_FLOW_PROJECT, f"{name} has at most {2 * ID_BYTES} digits, not {2 * len(found)}")
    return found.ljust(ID_BYTES, b"\0")


def _check_keys(path: Path, given: dict[str, Any], known: tuple[str, ...]) -> None:
    for key in given:
        if key not in known:
            raise error(PSRC_FLOW_PROJECT, f"{path}: {key!r} is not known here{near(str(key), known)}")


def _shown(body: bytes) -> str:
    text = repr(body[:SHOWN_BYTES])[1:]
    return text + "..." if len(body) > SHOWN_BYTES else text
