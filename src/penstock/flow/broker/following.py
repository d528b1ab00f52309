"""Follows messages through the flows of a worker, while a watch is on: writes what each wire carried.

`look` is called a few times a second and reads the watches when their file has changed. Without one, a wire
pays a comparison. What is written are the changes that each node made, as `flow trace` shows them. Looking
never fails the flow.
"""

from __future__ import annotations

import json
import logging
import threading
import time
from typing import TYPE_CHECKING, Any

from penstock.flow.broker.watches import FILE, Watch, record_path, watch_of
from penstock.flow.node_counts import Probe
from penstock.flow.running.counters import SAMPLED, Counters
from penstock.flow.testing.rig import seen
from penstock.flow.testing.tree_changes import Journey
from penstock.model.errors import MQError

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.flow.assembly import Assembly, Invocation

log = logging.getLogger(__name__)
LINES_MAX = 400  # of one wire
BYTES_MAX = 4 << 20  # of one file


class Following(Counters):
    """The counts of a flow in this process, whose probes follow messages."""

    def __init__(self, path: Path, group: str, flow: str, every: int = SAMPLED) -> None:
        super().__init__(every)
        self._path = path
        self._group = group
        self._flow = flow
        self._changed = 0
        self._watch: Watch | None = None
        self._lock = threading.Lock()
        self._left = 0
        self._records = 0

    def new_probe(self) -> Probe:
        """Return a probe; it is on if somebody follows this flow now."""
        made = FollowingProbe(self)
        made.is_on = self._watch is not None
        return made

    def look(self) -> None:
        """Begin or end to follow messages, as the watches say."""
        try:
            changed = (self._path / FILE).stat().st_mtime_ns
        except OSError:
            return
        watch = self._watch
        if changed != self._changed:
            self._changed = changed
            self._set(self._read())
        elif watch is not None and watch.until < time.time():
            self._set(None)

    def _read(self) -> Watch | None:
        try:
            return watch_of(self._path, self._group, self._flow)
        except (MQError, OSError, TypeError):  # of another version, say
            return None

    def _set(self, watch: Watch | None) -> None:
        with self._lock:
            self._watch, self._left = watch, 0 if watch is None else watch.messages
        for each in self.instances:
            each.probe.is_on = watch is not None

    def wanted(self, invocation: Invocation, number: int) -> Watch | None:
        """Return the watch that a message is followed for."""
        watch = self._watch
        if watch is None or self._left <= 0 or number % watch.every:
            return None
        return watch if not watch.msg_id or _has_id(invocation, watch.msg_id) else None

    def take_place(self) -> str:
        """Return the id of a new record; empty when there are enough of them."""
        with self._lock:
            if self._left <= 0:
                return ""
            self._left -= 1
            self._records += 1
            return f"{time.time_ns():x}.{self._records}"

    def write(self, watch: Watch, lines: list[dict[str, Any]]) -> None:
        """Append to the file of a watch."""
        path = record_path(self._path, watch)
        text = "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in lines)
        with self._lock, path.open("a", encoding="utf-8") as file:
            if file.tell() + len(text) < BYTES_MAX:
                file.write(text)


class FollowingProbe(Probe):
    """Follows messages of one instance. `saw` comes before all that a wire's target does."""

    def __init__(self, owner: Following) -> None:
        super().__init__()
        self._owner = owner
        self._number = -1
        self._invocation: Invocation | None = None
        self._watch: Watch | None = None
        self._journey = Journey()
        self._waiting: list[dict[str, Any]] = []  # of a record that begins only with a failure
        self._id = ""

    def saw(self, wire: str, assembly: Assembly) -> None:
        """Note what a wire carries."""
        try:
            if assembly.invocation is not self._invocation:
                self._begin(assembly.invocation)
            if self._watch is None:
                return
            changes = self._journey.changes(seen(wire, assembly))
            cut = [f"... and {len(changes) - LINES_MAX} more"] if len(changes) > LINES_MAX else []
            self._note({"wire": wire, "time": time.time(), "changes": changes[:LINES_MAX] + cut})
        except Exception:  # an edge: looking at a message must not change what becomes of it
            log.exception("following_failed wire=%s", wire)
            self._watch = None

    def failed(self, node: str, raised: Exception) -> None:
        """Note a failure; a record of failing messages begins with it."""
        watch = self._watch
        if watch is None:
            return
        try:
            self._note({"failed": node, "time": time.time(), "text": str(raised)[:500]}, begins=True)
        except Exception:  # as in `saw`
            log.exception("following_failed node=%s", node)

    def _begin(self, invocation: Invocation) -> None:
        self._invocation = invocation
        self._number += 1
        self._watch = self._owner.wanted(invocation, self._number)
        self._journey, self._id, self._waiting = Journey(), "", []
        if self._watch is not None:
            source = invocation.source
            msg_id = "" if source is None else source.msg_id.hex()
            self._note({"msg_id": msg_id, "time": time.time()}, begins=not self._watch.failing)

    def _note(self, facts: dict[str, Any], begins: bool = False) -> None:
        watch = self._watch
        assert watch is not None
        if not self._id and not begins:
            self._waiting.append(facts)
            return
        if not self._id:
            self._id = self._owner.take_place()
            if not self._id:
                self._watch = None
                return
        lines, self._waiting = [*self._waiting, facts], []
        self._owner.write(watch, [{"id": self._id, **each} for each in lines])


def _has_id(invocation: Invocation, begin: str) -> bool:
    source = invocation.source
    return source is not None and any(
        each.hex().startswith(begin) for each in (source.msg_id, source.correl_id)
    )
