"""Tests of flows in YAML: messages, requests, files or timers in; queues, replies, files, rows out.
`tests/*.yaml` of a project.

    flow: orders
    tests:
      - name: a large order is billed
        in: [{xml: "<Order><Total>2000</Total></Order>"}]
        out: {BILLING: [{xml: "<Bill><Total>2000</Total></Bill>"}]}

A message is `body`, `hex`, `file`, `xml` or `json`; the last two are compared as values, not as bytes. Every
queue that holds something must be named in `out`: an unexpected message is a failure (`comparing`). What the
flow logs belongs to the result of its case. Read with the safe loader.
"""

from __future__ import annotations

import logging
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from penstock.flow.nodes.file_input import FileInput
from penstock.flow.nodes.http_input import HTTPInput
from penstock.flow.nodes.mq_input import MQInput
from penstock.flow.nodes.timeout_notification import TimeoutNotification
from penstock.flow.testing.comparing import compare
from penstock.flow.testing.content import DETAILS, FILE, REQUEST, TIMER, check_keys, content_of, details_of
from penstock.flow.testing.rig import Rig
from penstock.model import constants as mq
from penstock.model.errors import MQError, error

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from penstock.flow.project import Project

FILE_KEYS = ("flow", "tests", "queues", "mqsc")
CASE_KEYS = (
    *("name", "in", "out", "replies", "dead_letters", "files", "written", "wires", "set", "stubs"),
    *("database", "rows", "queues", "mqsc"),
)
OWN_KEYS = {MQInput: DETAILS, HTTPInput: REQUEST, FileInput: FILE, TimeoutNotification: TIMER}


@dataclass(slots=True)
class Result:
    """The result of a case: its problems, if any."""

    name: str
    problems: list[str] = field(default_factory=list)
    log: list[str] = field(default_factory=list)  # what the flow logged meanwhile

    @property
    def passed(self) -> bool:
        """Return whether everything was as expected."""
        return not self.problems


def read_cases(path: Path) -> dict[str, Any]:
    """Read a file of cases; 8304 with the location of an error."""
    import yaml

    try:
        found = yaml.safe_load(path.read_text("utf-8"))
    except (yaml.YAMLError, ValueError, RecursionError) as raised:
        raise error(mq.PSRC_FLOW_PROJECT, f"{path} cannot be read: {raised}") from raised
    if not isinstance(found, dict) or not isinstance(found.get("tests"), list) or "flow" not in found:
        raise error(mq.PSRC_FLOW_PROJECT, f"{path}: a file of tests has `flow: NAME` and a list `tests:`")
    check_keys(path, found, FILE_KEYS)
    for case in found["tests"]:
        if not isinstance(case, dict):
            raise error(mq.PSRC_FLOW_PROJECT, f"{path}: a test is a mapping, not {case!r}")
        check_keys(path, case, CASE_KEYS)
        _check_shapes(path, case)
    return found


def _check_shapes(path: Path, case: dict[str, Any]) -> None:
    """Refuse a case with lists in place of mappings, or the other way round."""
    for key in ("out", "wires", "set", "stubs", "database", "rows", "files", "written"):
        if not isinstance(case.get(key) or {}, dict):
            raise error(mq.PSRC_FLOW_PROJECT, f"{path}: {key!r} of a test is a mapping, not {case[key]!r}")
    messages = [case.get(key) or [] for key in ("in", "replies", "dead_letters")]
    messages += (case.get("out") or {}).values()
    for each in messages:
        if not isinstance(each or [], list) or not all(isinstance(one, dict) for one in each or []):
            raise error(mq.PSRC_FLOW_PROJECT, f"{path}: messages are a list of mappings, not {each!r}")
    for label, stub in (case.get("stubs") or {}).items():
        if not isinstance(stub, str) and not (isinstance(stub, dict) and "body" in stub):
            raise error(mq.PSRC_FLOW_PROJECT, f"{path}: stub {label} is a body or has one, not {stub!r}")
    for name, tables in (case.get("rows") or {}).items():
        if not isinstance(tables, dict):
            raise error(mq.PSRC_FLOW_PROJECT, f"{path}: rows of {name} are by table, not {tables!r}")
    for name, statements in (case.get("database") or {}).items():
        if not _is_texts(statements):
            raise error(mq.PSRC_FLOW_PROJECT, f"{path}: {name} has a list of statements, not {statements!r}")
    if not _is_texts(case.get("queues") or []):
        raise error(mq.PSRC_FLOW_PROJECT, f"{path}: queues are a list of names, not {case['queues']!r}")


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def run_file(project: Project, path: Path) -> list[Result]:
    """Run the cases of a file, each on its own queues."""
    cases = read_cases(path)
    shared = list(cases.get("queues", ()))
    script = cases.get("mqsc", "")
    return [
        run_case(project, str(cases["flow"]), {"mqsc": script, **case}, path, shared)
        for case in cases["tests"]
    ]


def run_case(project: Project, flow: str, case: dict[str, Any], path: Path, queues: list[str]) -> Result:
    """Run one case; an error of the flow or of the case counts as a problem."""
    result = Result(str(case.get("name", "unnamed")))
    try:
        with captured_log() as result.log, Rig(flow, project, queues=[*queues, *named_queues(case)]) as rig:
            run_in(rig, case, path)
            result.problems += compare(rig, case, path)
    except MQError as raised:
        result.problems.append(str(raised))
    return result


def named_queues(case: dict[str, Any]) -> list[str]:
    """Return the queues that a case names."""
    return [*(case.get("queues") or ()), *(case.get("out") or {})]


def run_in(rig: Rig, case: dict[str, Any], path: Path) -> None:
    """Prepare a rig for a case, give the flow its input, and run it."""
    prepare(rig, case, path)
    given = case.get("in") or [{}]
    for each in given:
        give(rig, each, path)
    waits = {str(each.get("input", "")): each.get("after") for each in given}
    for label, after in waits.items():
        rig.run(label, after=None if after is None else float(after))


def give(rig: Rig, given: dict[str, Any], path: Path) -> None:
    """Give an input its data from a case: a message, a request, a file; a timer takes nothing."""
    label, node = rig.input(str(given.get("input", "")))
    for kind, keys in OWN_KEYS.items():
        for key in keys if not isinstance(node, kind) else ():
            if key in given:
                what = f"{path}: {key!r} is for {kind.__name__}; {label} is {type(node).__name__}"
                raise error(mq.PSRC_FLOW_PROJECT, what)
    body = content_of(given, path)
    if isinstance(node, HTTPInput):
        rig.request(body, label, **{key: given[key] for key in REQUEST if key in given})
    elif isinstance(node, FileInput):
        rig.put_file(body, label, str(given.get("filename", "")))
    elif not isinstance(node, TimeoutNotification):
        rig.put(body, label, **details_of(given))


@contextmanager
def captured_log() -> Iterator[list[str]]:
    """Collect Penstock's log lines, which Python would print if logging is not configured."""
    lines: list[str] = []
    handler = logging.Handler(logging.WARNING)
    handler.emit = lambda record: lines.append(record.getMessage())  # type: ignore[method-assign]
    logger = logging.getLogger("penstock")
    logger.addHandler(handler)
    try:
        yield lines
    finally:
        logger.removeHandler(handler)


def prepare(rig: Rig, case: dict[str, Any], path: Path) -> None:
    """Prepare everything that a case needs before the run."""
    if case.get("mqsc"):
        rig.mqsc(str(case["mqsc"]))
    for name, value in (case.get("set") or {}).items():
        rig.set(name, value)
    for name, statements in (case.get("database") or {}).items():
        rig.database(name, *statements)
    for label, stub in (case.get("stubs") or {}).items():
        answer = {"body": stub} if isinstance(stub, str) else stub
        rig.stub(label, str(answer["body"]), answer.get("terminal", "out"), answer.get("domain", "XMLNSC"))
    for name, given in (case.get("files") or {}).items():
        rig.file(name, content_of(given if isinstance(given, dict) else {"body": given}, path))
