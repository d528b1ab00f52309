"""One thread of a bridge: gets a request, calls the program, replies, ends the unit of work.

Commit mode 0 (commit, then send): request, puts, conversation and the reply on an outbox are one unit of
work; then the reply moves to its queue in another. A reply is sent once, whenever the process dies. Commit
mode 1 (send, then commit): the reply is sent before the commit, so a process that dies in between sends it
again; with sync level confirm the commit waits for the acknowledgement, and without one all is backed out.
"""

from __future__ import annotations

import hmac
import logging
import time
from typing import TYPE_CHECKING, Any

from penstock.bridge import conversations, header
from penstock.bridge.context import Context
from penstock.bridge.program import as_failure
from penstock.bridge.settings import CONFIRM, SEND_THEN_COMMIT
from penstock.flow.running.pausing import CANNOT_CONNECT
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.model.message import NO_ID, Descriptor
from penstock.model.message import Message as QueueMessage

if TYPE_CHECKING:
    import threading

    from penstock.bridge.program import Program
    from penstock.bridge.settings import Settings
    from penstock.face.blocking import BlockingQueueManager
    from penstock.model.message import Message

logger = logging.getLogger(__name__)
WAIT_SECONDS = 0.2  # how long a get waits before it looks whether to stop
OUTBOX = "SYSTEM.BRIDGE.OUTBOX"
ACKNOWLEDGEMENTS = "SYSTEM.BRIDGE.ACK"
ACK = mq.MQFB_PAN  # a positive action notification; anything else refuses the reply
FINAL = "final"  # the field of an error that trying again cannot mend
GOT, RAN, SENT, COMMITTED, MOVED = "got", "ran", "sent", "committed", "moved"


class Worker:
    """One connection that serves a queue. Used by one thread."""

    def __init__(self, qm: BlockingQueueManager, queue: str, program: Program, settings: Settings) -> None:
        self.qm = qm
        self.queue = queue
        self.program = program
        self.settings = settings
        self.done = self.failed = 0

    def run(self, stop: threading.Event, until_empty: bool = False) -> None:
        """Work until stopped, or until the queue is empty."""
        while not stop.is_set():
            self.send_outbox()
            if not self.step(0.0 if until_empty else WAIT_SECONDS) and until_empty:
                return

    def step(self, wait: float) -> int:
        """Process one request; 0 if there is none."""
        self.qm.begin()
        context: Context | None = None
        message: Message | None = None
        try:
            message = self.qm.get(self.queue, wait=wait)
            if message is None:
                self.qm.backout()
                return 0
            self.reached(GOT)
            if message.backout_count and message.backout_count >= self._rules().threshold:
                self._give_up(message, mq.MQRC_BACKOUT_THRESHOLD_REACHED, "it failed too often")
                return 1
            request = self._read(message)
            context = Context(message, conversations.take(self.qm, request.conversation), self.qm)
            self._process(message, request, context)
        except Exception as raised:  # noqa: BLE001 - the edge between a program and the queue
            self._failed(message, context, as_failure(raised))
        except BaseException:
            self.qm.backout()
            raise
        return 1

    def _process(self, message: Message, request: header.Request, context: Context) -> None:
        settings = self.settings
        body = self.program.call(request.body, context, settings.retries, settings.retry_delay)
        self.reached(RAN)
        token = conversations.keep(self.qm, request.conversation, context.state)
        reply = None if body is None else self._reply(message, request, body, token)
        mode = settings.commit_mode if request.commit_mode is None else request.commit_mode
        if reply is not None and mode == SEND_THEN_COMMIT:
            self._send(reply, message.descriptor.reply_to, message.descriptor.reply_to_qmgr)
        elif reply is not None:
            self._put(OUTBOX, reply, in_unit=True)
        context.committing()
        self.qm.commit()
        self.done += 1
        self.reached(COMMITTED)
        if reply is not None and mode != SEND_THEN_COMMIT:
            self.send_outbox()

    def send_outbox(self) -> None:
        """Move replies from the outbox to their queues, each in a unit; those of dead bridges too."""
        while True:
            self.qm.begin()
            try:
                found = self.qm.get(OUTBOX)
                if found is None:
                    self.qm.backout()
                    return
                own = found.descriptor
                sent = found.snapshot()
                sent.descriptor = own.replace(reply_to="", reply_to_qmgr="")
                self._put(own.reply_to, sent, in_unit=True, qmgr=own.reply_to_qmgr)
                self.reached(SENT)
                self.qm.commit()
                self.reached(MOVED)
            except MQError as raised:
                self.qm.backout()
                if found is None or not self._bury(found, raised.reason):
                    raise
            except BaseException:
                self.qm.backout()
                raise

    def reached(self, step: str) -> None:
        """Mark a point in the processing of a request; crash tests stop here."""

    # -- replies ---------------------------------------------------------------------------

    def _reply(
        self, asked: Message, request: header.Request, body: bytes, token: bytes
    ) -> QueueMessage | None:
        own = asked.descriptor
        if not own.reply_to.strip():
            return None
        data, format_ = header.reply_body(request, body, token)
        report = own.report
        properties: dict[str, Any] = {}
        if token != header.NO_TOKEN and not request.fields:
            properties[header.PROPERTY] = token.hex()
        return QueueMessage(
            data,
            asked.msg_id if report & mq.MQRO_PASS_MSG_ID else NO_ID,
            asked.correl_id if report & mq.MQRO_PASS_CORREL_ID else asked.msg_id,
            asked.persistent,
            descriptor=Descriptor(
                msg_type=mq.MQMT_REPLY,
                format=format_,
                reply_to=own.reply_to,
                reply_to_qmgr=own.reply_to_qmgr,
            ),
            properties=properties or None,
        )

    def _send(self, reply: QueueMessage, queue: str, qmgr: str) -> None:
        """Send a reply before the commit; with sync level confirm, wait until it is acknowledged."""
        confirmed = self.settings.sync_level == CONFIRM
        told = {"reply_to": ACKNOWLEDGEMENTS if confirmed else "", "reply_to_qmgr": ""}
        reply.descriptor = reply.descriptor.replace(**told)
        receipt = self._put(queue, reply, in_unit=False, qmgr=qmgr)
        self.reached(SENT)
        if not confirmed:
            return
        wait = self.settings.confirm_wait
        with self.qm.open(ACKNOWLEDGEMENTS, mq.MQOO_INPUT_SHARED) as handle:
            answer = handle.get(
                wait=wait, correl_id=receipt.msg_id, options=mq.MQGMO_NO_SYNCPOINT, quiet=True
            )
        if answer is None:
            raise error(mq.PSRC_BRIDGE_REQUEST, f"the reply was not acknowledged within {wait:g} seconds")
        if answer.descriptor.feedback != ACK:
            raise error(mq.PSRC_BRIDGE_REQUEST, "the requester refused the reply")

    def _put(self, queue: str, message: QueueMessage, *, in_unit: bool, qmgr: str = "") -> Any:
        return self.qm.put(
            queue,
            message.body or b"",
            qmgr=qmgr,
            persistent=message.persistent,
            msg_id=None if message.msg_id == NO_ID else message.msg_id,
            correl_id=message.correl_id,
            properties=message.properties,
            descriptor=message.descriptor,
            options=mq.MQPMO_SYNCPOINT if in_unit else mq.MQPMO_NO_SYNCPOINT,
        )

    # -- failures --------------------------------------------------------------------------

    def _read(self, message: Message) -> header.Request:
        """Return a request of an authorized sender; a request that is refused is not tried again."""
        try:
            request = header.read(message)
            self._admit(message, request.token)
        except MQError as raised:
            raised.fields[FINAL] = True
            raise
        return request

    def _admit(self, message: Message, token: str) -> None:
        """Refuse an unknown user; 2035."""
        users, wanted = self.settings.users, self.settings.token
        user = message.descriptor.user_id.strip()
        if users and user not in users:
            raise error(mq.MQRC_NOT_AUTHORIZED, f"user {user!r} may not use {self.program.name}")
        if wanted and not hmac.compare_digest(wanted.encode(), token.encode()):
            raise error(mq.MQRC_NOT_AUTHORIZED, f"the request of user {user!r} has no valid token")

    def _failed(self, message: Message | None, context: Context | None, problem: MQError) -> None:
        """Back a request out; one that can never succeed is given up at once."""
        if problem.reason in CANNOT_CONNECT:
            raise problem
        self.failed += 1
        self.qm.backout()
        if context is not None:
            context.backed_out()
        if message is None:
            raise problem
        logger.warning(
            "bridge_failed queue=%s message=%s reason=%s", self.queue, message.msg_id.hex(), problem
        )
        if problem.fields.get(FINAL):
            self._again(message, problem)

    def _again(self, message: Message, problem: MQError) -> None:
        """Take a request again, to give it up."""
        self.qm.begin()
        taken = self.qm.get(self.queue, msg_id=message.msg_id)
        if taken is None:
            self.qm.backout()
            return
        self._give_up(taken, problem.reason, problem.detail)

    def _give_up(self, message: Message, reason: int, why: str) -> None:
        """Send a request to the backout queue or the dead-letter queue; without either it stays."""
        rules = self._rules()
        target = rules.backout_queue
        letter: Any = message.snapshot()
        if not target and rules.dead_letter_queue:
            from penstock.qmgr.messages.dead_letters import wrap

            target = rules.dead_letter_queue
            letter = wrap(self.qm.name, message, reason, self.queue, self.qm.name, time.time())
        if not target:
            self.qm.backout()
            logger.error("bridge_stuck queue=%s message=%s: %s", self.queue, message.msg_id.hex(), why)
            time.sleep(WAIT_SECONDS)
            return
        letter.properties = {**(message.properties or {}), "bridge_failure": why[:500]}
        self._put(target, letter, in_unit=True)
        self.qm.commit()
        logger.warning("bridge_given_up queue=%s message=%s to=%s", self.queue, message.msg_id.hex(), target)

    def _bury(self, reply: Message, reason: int) -> bool:
        """Send a reply that its queue refuses to the dead-letter queue; False if there is no such queue."""
        from penstock.qmgr.messages.dead_letters import wrap

        target = self._rules().dead_letter_queue
        if not target:
            return False
        self.qm.begin()
        found = self.qm.get(OUTBOX, msg_id=reply.msg_id)
        if found is not None:
            queue = found.descriptor.reply_to
            self._put(target, wrap(self.qm.name, found, reason, queue, "", time.time()), in_unit=True)
        self.qm.commit()
        return True

    def _rules(self) -> Any:
        from penstock.flow.ports import backout_rules

        return backout_rules(self.qm, self.queue)
