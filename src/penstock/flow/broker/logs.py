"""The logs of a broker: how lines look, and the last failures of every flow.

`logs/GROUP.log` has the lines of a group's workers, with what flows print. A line has time, level, event,
flow, node and message id, as text or as JSON. It quotes no message data unless `--log-data` was given, or a
Log node or LOG EVENT asks for it: the texts of exceptions are in `failures/GROUP.FLOW.jsonl`, which
`penstock flow failures` reads.
"""

from __future__ import annotations

import json
import logging
import os
import re
import sys
from contextlib import contextmanager
from datetime import UTC, datetime
from logging.handlers import MemoryHandler
from typing import TYPE_CHECKING, Any

from penstock.flow import ports
from penstock.flow.running.reporting import named
from penstock.model.failure_properties import printable
from penstock.store.text_logs import open_log, trim_log

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FAILURES = ("flow_message_failed", "flow_message_given_up", "flow_message_lost")
FAILURES_BYTES_MAX = 1 << 20  # of a flow, twice
TEXT_MAX = 2000
KEPT_LINES_MAX = 10_000
EVENT_LINE = re.compile(r"\w+(?: \w+=%[sdr])*")
FACT = re.compile(r"(\w+)=%")


def trim_logs(folder: Path) -> None:
    """Trim every log of a folder that is too long."""
    for log in folder.glob("*.log"):
        trim_log(log)


class LogFormatter(logging.Formatter):
    """Lines of text or JSON; `with_data` adds the words of exceptions, which may quote messages."""

    def __init__(self, as_json: bool = False, with_data: bool = False) -> None:
        super().__init__()
        self.as_json = as_json
        self.with_data = with_data

    def format(self, record: logging.LogRecord) -> str:
        facts = self._facts(record)
        if self.as_json:
            return json.dumps(facts, default=str)
        time, level, event = facts.pop("time"), facts.pop("level"), facts.pop("event")
        told = (f"{name}={printable(str(value))}" for name, value in facts.items())
        return " ".join((time, level, event, *told))

    def _facts(self, record: logging.LogRecord) -> dict[str, Any]:
        facts: dict[str, Any] = {"time": _time(record), "level": record.levelname}
        if hasattr(record, "event"):
            facts |= {"event": record.event, **record.facts}  # type: ignore[attr-defined]
            text = record.text if self.with_data else ""  # type: ignore[attr-defined]
        else:
            facts |= self._line(record)
            text = ""
        if record.exc_info and record.exc_info[0] is not None:
            facts["error"] = record.exc_info[0].__name__
            text = self.formatException(record.exc_info) if self.with_data else text
        return {**facts, "text": text[:TEXT_MAX]} if text else facts

    def _line(self, record: logging.LogRecord) -> dict[str, Any]:
        """Return the event and the facts of another room's line, `event name=%s name=%d`.

        Exceptions are there by their names: their words may quote messages.
        """
        told = record.args if isinstance(record.args, tuple) else ()
        if not self.with_data:
            told = tuple(_name(each) if isinstance(each, BaseException) else each for each in told)
        line, names = str(record.msg), FACT.findall(str(record.msg))
        if EVENT_LINE.fullmatch(line) and len(names) == len(told):
            return {"event": line.partition(" ")[0], **dict(zip(names, told, strict=True))}
        return {"event": printable(line % told if told else record.getMessage())}


def _name(failure: BaseException) -> str:
    return " ".join(str(each) for each in named(failure).values())


class FailureFile(logging.Handler):
    """Keeps the last failures of flows, one file per flow."""

    def __init__(self, folder: Path, group: str) -> None:
        super().__init__(logging.WARNING)
        self.folder = folder
        self.group = group

    def emit(self, record: logging.LogRecord) -> None:
        event = getattr(record, "event", "")
        if event not in FAILURES:
            return
        facts = record.facts  # type: ignore[attr-defined]
        kept = {"time": _time(record), "event": event, **facts, "text": record.text[:TEXT_MAX]}  # type: ignore[attr-defined]
        path = failure_file(self.folder, self.group, str(facts.get("flow", "")))
        try:
            trim_log(path, FAILURES_BYTES_MAX)
            descriptor = open_log(path)
            try:
                os.write(descriptor, json.dumps(kept, default=str).encode() + b"\n")
            finally:
                os.close(descriptor)
        except OSError:
            self.handleError(record)


def failure_file(folder: Path, group: str, flow: str) -> Path:
    """Return where the failures of a flow are kept."""
    return folder / f"{group}.{flow.replace('/', '_')}.jsonl"


def last_failures(folder: Path, group: str, flow: str, count: int) -> list[dict[str, Any]]:
    """Return the last failures of a flow, the newest last."""
    path = failure_file(folder, group, flow)
    found = [*_lines(path.with_name(f"{path.name}.1")), *_lines(path)]
    return found[-count:] if count else found


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    try:
        lines = path.read_bytes().splitlines()
    except FileNotFoundError:
        return
    for line in lines:
        try:
            yield json.loads(line)
        except ValueError:
            continue  # one that is just being written


def log_to_stderr(as_json: bool = False, with_data: bool = False) -> logging.Handler:
    """Let this process write its log lines to standard error, which is a file; return what does it."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(LogFormatter(as_json, with_data))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    logging.getLogger("penstock.flow.broker").setLevel(logging.INFO)
    show_lines_of_flows(logging.DEBUG if with_data else logging.INFO)
    return handler


def show_lines_of_flows(level: int = logging.INFO) -> None:
    """Let the lines of a flow's own nodes through: Log, Trace, LOG. At DEBUG those for a user trace too."""
    logging.getLogger(ports.__name__).setLevel(level)


@contextmanager
def log_later(as_json: bool = False, with_data: bool = False) -> Iterator[None]:
    """Log to standard error, from the end of the block; until then our parent process reads it."""
    handler = log_to_stderr(as_json, with_data)
    root = logging.getLogger()
    kept = MemoryHandler(KEPT_LINES_MAX, logging.CRITICAL + 1, handler)
    root.removeHandler(handler)
    root.addHandler(kept)
    try:
        yield
    finally:
        root.removeHandler(kept)
        root.addHandler(handler)
        kept.close()


def _time(record: logging.LogRecord) -> str:
    return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
