"""Drives an EmailInput: runs its flow on each mail of a mailbox, and removes the mail when that is done."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from penstock.flow.mailboxes import Mailbox, mailbox_at
from penstock.flow.new_messages import arrived
from penstock.flow.running.node_listener import NodeListener
from penstock.flow.running.reporting import report
from penstock.model.errors import MessageFailed, MQError

if TYPE_CHECKING:
    import threading

    from penstock.flow.mailboxes import Session
    from penstock.flow.nodes.email_input import EmailInput
    from penstock.flow.project import Project


class MailListener(NodeListener):
    """One instance of a flow at one mailbox. Used by one thread."""

    node: EmailInput

    def prepare(self, project: Project) -> None:
        node = self.node
        place = mailbox_at(node.server) or ("", "", 0)
        self.mailbox = Mailbox(*place, node.user, node.password_from, node.timeout, project.folder)
        self._failed: dict[str, int] = {}
        self._wrong = ""

    def run(self, stop: threading.Event, until_empty: bool = False) -> None:
        """Work until stopped, or until there is no mail."""
        self.runner.stop = None if until_empty else stop
        while not stop.is_set():
            try:
                done = self.step(stop)
                self._wrong = ""
            except MQError as raised:
                if isinstance(raised, MessageFailed) or until_empty:
                    raise
                self._say(raised)
                done = 0
            if until_empty and not done:
                return
            if not done:
                stop.wait(self.node.polling)

    def _say(self, raised: MQError) -> None:
        """Log once why the mailbox cannot be read."""
        if raised.detail != self._wrong:
            self._wrong = raised.detail
            report(logging.WARNING, "flow_mailbox_unreadable", raised.detail, flow=self.tally.flow)

    def step(self, stop: threading.Event) -> int:
        """Run the flow on every mail that waits; return how many are done with."""
        session = self.mailbox.opened()
        try:
            waiting = session.waiting()
            self._failed = {each: times for each, times in self._failed.items() if each in waiting}
            done = 0
            for identifier in waiting:
                if stop.is_set():
                    break
                done += self._one(session, identifier)
            return done
        finally:
            session.close()

    def _one(self, session: Session, identifier: str) -> int:
        mail = session.read(identifier)
        try:
            message = self.node.tree_of(mail)
        except MQError as raised:
            message = arrived(mail, "BLOB")
            failed: MessageFailed | None = self.runner.fail(message, raised, identifier)
        else:
            failed = self.runner.run(message, reference=identifier)
            if failed is not None:
                times = self._failed[identifier] = self._failed.get(identifier, 0) + 1
                if times > self.node.retries and self.runner.at.wire("failure") is not None:
                    failed = self.runner.fail(message, failed, identifier)
        if failed is not None:
            return 0
        self._failed.pop(identifier, None)
        session.remove(identifier)
        return 1
