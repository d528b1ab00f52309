"""Drives a FileInput: claims a file, runs the flow on each record, disposes of the file.

The position is written after every committed record, so that the next instance can continue after a crash. A
record that fails too often goes to the failure terminal if that is wired; its file is then moved to
`mqsibackout` without reading further, because what follows a bad record may be bad too.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from penstock.flow.files.claims import claim_next
from penstock.flow.nodes.file_input import EOD
from penstock.flow.running.node_listener import NodeListener
from penstock.flow.running.reporting import report
from penstock.model import constants as mq
from penstock.model.errors import MessageFailed, MQError, error
from penstock.tree import Message, Path

if TYPE_CHECKING:
    import threading

    from penstock.flow.files.claims import Claim
    from penstock.flow.files.records import Record
    from penstock.flow.nodes.file_input import FileInput
    from penstock.flow.project import Project

logger = logging.getLogger(__name__)
_FILE = Path("File")


class FileListener(NodeListener):
    """One instance of a flow at one folder."""

    node: FileInput

    def prepare(self, project: Project) -> None:
        self.folder = project.folder / self.node.directory
        self.model = self.node.model_in(project)
        self.records = self.node.records_with(self.model)
        if not self.folder.is_dir():
            raise error(mq.PSRC_FLOW_FILE, f"there is no folder {self.folder}")

    def run(self, stop: threading.Event, until_empty: bool = False) -> None:
        """Work until stopped, or until there is no file."""
        self.runner.stop = None if until_empty else stop
        while not stop.is_set():
            now = self.runner.ports.clock()
            claim = claim_next(self.folder, self.node.pattern, self.node.least_age, now)
            if claim is not None:
                self._work(claim, stop)
            elif until_empty:
                return
            else:
                stop.wait(self.node.polling)

    def _work(self, claim: Claim, stop: threading.Event) -> None:
        """Run the flow on the records of a file, and dispose of it; when asked to stop, release it."""
        try:
            for record in self.records.read(claim.file, claim.position, claim.number):
                if stop.is_set():
                    return
                if not self._one(claim, record):
                    claim.back_out()
                    return
                claim.note(record.end, record.number)
            self._end(claim)
        except MQError as raised:
            if isinstance(raised, MessageFailed):  # the connection is gone
                raise
            report(
                logging.WARNING,
                "flow_file_failed",
                raised.detail,
                flow=self.runner.tally.flow,
                file=claim.path,
                reason=raised.reason,
                name=raised.name,
            )
            self.runner.fail(self._message(b"", "BLOB"), raised)
            claim.back_out()
        finally:
            claim.let_go()

    def _one(self, claim: Claim, record: Record) -> bool:
        """Run the flow on a record until it succeeds or has failed too often."""
        problem: MessageFailed | None = None
        for _ in range(self.node.retries + 1):
            try:
                message = self._message(record.data, self.node.domain)
            except MQError as raised:
                self.runner.fail(self._message(record.data, "BLOB"), raised)
                return False
            about = self._about(claim, record.number, record.start)
            problem = self.runner.run(message, about, last=problem)
            if problem is None:
                return True
        assert problem is not None
        logger.warning("flow_record_failed file=%s record=%d", claim.path, record.number)
        self.runner.fail(self._message(record.data, "BLOB"), problem)
        return False

    def _end(self, claim: Claim) -> None:
        if self.runner.at.wire(EOD) is not None:
            problem = self.runner.run(
                self._message(b"", "BLOB"), self._about(claim, claim.number, claim.position), terminal=EOD
            )
            if problem is not None:
                claim.back_out()
                return
        claim.put_away(self.node.processed, self.runner.ports.clock())

    def _message(self, data: bytes, domain: str) -> Message:
        node = self.node
        return node.arrived(
            data,
            self.model,
            domain,
            ccsid=node.ccsid,
            encoding=node.encoding,
            put_time=self.runner.ports.clock(),
        )

    def _about(self, claim: Claim, number: int, offset: int) -> Message:
        """Return LocalEnvironment.File: facts about a record."""
        made = Message()
        folder = made.create(_FILE)
        for name, value in (
            ("Directory", str(self.folder)),
            ("Name", claim.name),
            ("Size", claim.size),
            ("Record", number),
            ("Offset", offset),
        ):
            folder.add_last_child(name, value)
        return made
