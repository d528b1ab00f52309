"""Starts flows of published projects and gives each a message: for `measure_corpus`.

A message is made from what the flow's own ESQL reads of it (`InputRoot.XMLNSC.Order.Id`), from the operation
of its REST API, or is a plain one of its domain. Every flow runs in a rig with its own queue manager, files
and databases; a node that would leave the machine gets an answer from a stub.
"""

from __future__ import annotations

import json
import logging
import re
import signal
from functools import partial
from typing import TYPE_CHECKING

from penstock.flow.graph.flattening import flatten
from penstock.flow.http.rest_api import read_api
from penstock.flow.http.wsdl import operations_of
from penstock.flow.nodes.file_input import FileInput
from penstock.flow.nodes.http_input import HTTPInput
from penstock.flow.nodes.mq_input import MQInput
from penstock.flow.nodes.soap_input import SOAPInput
from penstock.flow.testing.rig import Rig
from penstock.model.errors import MQError
from penstock.tree.dump import dump

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.flow import Flow, Node, Project

ENVELOPE = '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body>%s</e:Body></e:Envelope>'
OUTSIDE = ("HTTPRequest", "SOAPRequest", "RESTRequest", "HTTPAsyncRequest", "SOAPAsyncRequest")
_STEPS = r"((?:(?:\(\w+\.\w+\))?[\w:\"*]+(?:\[[^\]]*\])?\.)*(?:\(\w+\.\w+\))?[\w:\"*]+)"
_READ = re.compile(rf"Input(?:Root|Body)\.{_STEPS}")
_REFERENCE = re.compile(
    rf"\bDECLARE\s+(\w+)\s+REFERENCE\s+TO\s+(\w+)\.{_STEPS}|\bFOR\s+(\w+)\s+AS\s+(\w+)\.{_STEPS}",
    re.IGNORECASE,
)
REFERENCES_MAX = 20  # of references to references
DOMAINS = ("XMLNSC", "XMLNS", "XML", "JSON", "SOAP", "MRM", "DFDL", "BLOB")
SECONDS = 10
REPLIES = "REPLIES"
PROGRAM = 8302  # Java or Python raised something
QUEUES_MAX = 6
UNKNOWN_QUEUES = (2085, 2082)
NEEDS = {
    "a queue": (*UNKNOWN_QUEUES, 2087),
    "a data source": (8230, 8231, 8232),
    "a mail server": (8340,),
    "a peer": (8334, 8341, 8342),
    "a file or folder": (8331,),
}
KINDS = {
    **{f"needs {what}": codes for what, codes in NEEDS.items()},
    "the flow throws it out": (8204, 8307),
    "the message made does not suit": (8101, 8202, 8306, 8309, 8332),
    "needs a flow before it": (8320, 8333),
}
_QUEUE = re.compile(r"queue (\S+) is not defined")
_STEP = re.compile(r"[A-Za-z_]\w*")


def outcome_of(flow: Flow, project: Project) -> str:
    """Start a flow, give it a message, and return what came out, in a few words.

    A queue that only the message or the program names is defined when the flow asks for it.
    """
    queues: list[str] = [REPLIES]
    for _ in range(QUEUES_MAX):
        outcome, failures = _tried(flow, project, queues)
        wanted = next((_QUEUE.search(text) for code, text in failures if code in UNKNOWN_QUEUES), None)
        if wanted is None or wanted[1] in queues:
            break
        queues.append(wanted[1])
    return outcome


def _tried(flow: Flow, project: Project, queues: list[str]) -> tuple[str, list[tuple[int, str]]]:
    failures = _Failures()
    logging.getLogger("penstock.flow").addHandler(failures)
    signal.signal(signal.SIGALRM, _too_long)
    signal.alarm(SECONDS)
    try:
        with Rig(flow, project, queues=queues) as rig:
            return _ran(rig, flow, project, failures.found), failures.found
    except MQError as raised:
        return _why([(raised.reason, raised.detail)], "not started: "), [(raised.reason, raised.detail)]
    except TooLong:
        return f"did not end in {SECONDS} s", []
    except Exception as raised:  # noqa: BLE001 - published code does anything
        return f"not started: {type(raised).__name__}", []
    finally:
        signal.alarm(0)
        logging.getLogger("penstock.flow").removeHandler(failures)


def _ran(rig: Rig, flow: Flow, project: Project, failures: list[tuple[int, str]]) -> str:
    label, node = _driven(rig, flow)
    for other, each in flatten(flow).nodes.items():
        if type(each).__name__ in OUTSIDE:
            rig.stub(other, b"<answer/>", domain="XMLNSC")
    given = _give(rig, label, node, flow, project)
    if not given:
        return f"started: no message is made for {type(node).__name__}"
    rig.run(label)
    if not failures and rig.replies and None in rig.replies:
        failures.extend(_swallowed(rig))
    return _why(failures, "") if failures else _seen(rig)


def _swallowed(rig: Rig) -> Iterator[tuple[int, str]]:
    """Yield the failure that the flow's own handler has met, if it needs something."""
    texts = " ".join(dump(each.exception_list) for each in rig.wires)
    for code, word in ((8230, "data source"), (8341, "is connected to port"), (8207, "is declared in none")):
        if word in texts:
            yield code, word


class _Failures(logging.Handler):
    """Keeps reason and text of every failed message."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.found: list[tuple[int, str]] = []

    def emit(self, record: logging.LogRecord) -> None:
        facts = getattr(record, "facts", {})
        if getattr(record, "event", "") == "flow_message_failed" and "reason" in facts:
            self.found.append((int(facts["reason"]), str(getattr(record, "text", ""))))


def _why(failures: list[tuple[int, str]], before: str) -> str:
    """Return the kind of a failure: something is needed, the flow says no, the message does not suit."""
    code, text = failures[0]
    if any(each in text for each in ("NullPointerException", "IndexOutOfBounds", "has one root element")):
        code = 8101  # a field that the flow's own messages have
    if "2085" in text or "2082" in text:
        code = 2085
    if "data source" in text:
        code = 8230  # as a program's own exception has it
    if "8130 field" in f"{code} {text}" and "NULL has no representation" in text:
        code = 8101
    if code == PROGRAM and "java.lang.RuntimeException" in text:
        code = 8307  # its own throw
    for kind, codes in KINDS.items():
        if code in codes:
            return f"{before}{kind}"
    return f"{before}failed: {code} {re.sub(r'[/0-9{].*', '', text.splitlines()[0])[:60]}"


class TooLong(BaseException):
    """A flow does not end."""


def _too_long(*_: object) -> None:
    raise TooLong


def _driven(rig: Rig, flow: Flow) -> tuple[str, Node]:
    """Return the input to drive: a queue, a path or a folder if there is one."""
    inputs = {label: node for label, node in flatten(flow).nodes.items() if node.is_driven}
    for kind in (MQInput, HTTPInput, FileInput):
        for label, node in inputs.items():
            if isinstance(node, kind):
                return label, node
    return rig.input()


def _give(rig: Rig, label: str, node: Node, flow: Flow, project: Project) -> bool:
    body = _body(node, flow, project)
    if isinstance(node, SOAPInput):
        rig.request(body, label, headers={"Content-Type": "text/xml"})
    elif isinstance(node, HTTPInput):
        method, path = _operation(node, project)
        rig.request(body, label, method=method, path=path)
    elif isinstance(node, MQInput):
        rig.put(body, label, reply_to=REPLIES)
    elif isinstance(node, FileInput):
        rig.put_file(body, label, node.pattern.replace("*", "a") or "a")
    else:
        return type(node).__name__ == "TimeoutNotification"
    return True


def _operation(node: HTTPInput, project: Project) -> tuple[str, str]:
    base = node.path.rstrip("*").rstrip("/") or "/"
    if not node.api:
        return "POST", base
    labels = {each.label for each in node.flow.nodes if hasattr(each, "label")} if node.flow else set()
    for each in read_api(project.folder / node.api).operations:
        if each.name in labels:
            return each.method, base.rstrip("/") + re.sub(r"\{[^}]*\}", "1", each.path)
    return "POST", base


def _body(node: Node, flow: Flow, project: Project) -> bytes:
    """Return a body with the fields that the flow's ESQL reads."""
    domain = "SOAP" if isinstance(node, SOAPInput) else str(node.properties().get("domain") or "BLOB")
    files = {str(each.properties().get("esql", "")) for each in flatten(flow).nodes.values()}
    texts = [(project.folder / file).read_bytes().decode("utf-8", "replace") for file in files if file]
    tree: dict[str, object] = {}
    for text in texts:
        for found in _READ.findall(_without_references(text)):
            steps = [_plain(each) for each in re.sub(r"\((\w+)\.(\w+)\)", r"(\1_\2)", found).split(".")]
            steps = steps[1:] if steps[0] in DOMAINS else steps
            _plant(tree, [each for each in steps if _STEP.fullmatch(each.lstrip("@"))])
    if domain == "JSON":
        data = tree.get("Data")
        return json.dumps(data if isinstance(data, dict) else {"a": "1"}).encode()
    if isinstance(node, SOAPInput):
        inner = tree.get("Body")
        inner = inner if isinstance(inner, dict) and inner else {"a": "1"}
        if node.wsdl:
            known = operations_of(project.folder / node.wsdl)
            element = next((each for each in inner if each in known), "") or next(iter(known), "a")
            inner = {element: inner.get(element, {"a": "1"})}
        return (ENVELOPE % _xml(dict([next(iter(inner.items()))]))).encode()
    if domain in ("XMLNSC", "XMLNS", "XML"):
        first = dict([next(iter(tree.items()), ("a", "1"))])
        return _xml(first).encode()
    return b"1,2,3\n"


def _without_references(text: str) -> str:
    """Return ESQL in which the paths of references begin where they point to at first."""
    for _ in range(REFERENCES_MAX):
        known = {
            (found[1] or found[4]).lower(): f"{found[2] or found[5]}.{found[3] or found[6]}"
            for found in _REFERENCE.finditer(text)
            if (found[2] or found[5]).upper() in ("INPUTROOT", "INPUTBODY")
        }
        changed = re.sub(r"(?<![\w.])(\w+)(?=\.)", partial(_pointed_to, known), text)
        if changed == text:
            break
        text = changed
    return text


def _pointed_to(known: dict[str, str], found: re.Match[str]) -> str:
    return known.get(found[1].lower(), found[1])


def _plain(step: str) -> str:
    """Return the name of a step of a path; an attribute has @ before it."""
    name = re.sub(r"\[.*?\]|\(.*?\)", "", step).rpartition(":")[2].strip('"')
    return f"@{name}" if "Attribute" in step else name


def _plant(tree: dict[str, object], steps: list[str]) -> None:
    for step in steps[:-1]:
        inner = tree.setdefault(step, {})
        if not isinstance(inner, dict):
            inner = tree[step] = {}
        tree = inner
    if steps:
        tree.setdefault(steps[-1], "1")


def _xml(tree: dict[str, object]) -> str:
    return "".join(
        f"<{name}{_attributes(inner)}>{_xml(inner) if isinstance(inner, dict) else inner}</{name}>"
        for name, inner in tree.items()
        if not name.startswith("@")
    )


def _attributes(inner: object) -> str:
    given = inner if isinstance(inner, dict) else {}
    return "".join(f' {name[1:]}="{value}"' for name, value in given.items() if name.startswith("@"))


def _seen(rig: Rig) -> str:
    out = sorted({f"reply {each.status}" if each is not None else "no reply" for each in rig.replies})
    if any(name != "DEAD.LETTERS" for name in rig.filled()):
        out.append("messages on queues")
    if rig.files.written():
        out.append("files")
    return ", ".join(out) or "ended without an error: nothing to see"
