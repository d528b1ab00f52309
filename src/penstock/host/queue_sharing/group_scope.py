"""CMDSCOPE: commands that other members carry out, and those that this one carries out for them.

`GroupCommands.send` asks and waits in the caller's thread; a thread of its own carries out what others ask.
Members trust each other, as they trust the facility: a command runs with all authority where it arrives, so
only an administrator may send one (`admin.commands.structures`). Lock order: the gate is never held while the
facility is asked.
"""

from __future__ import annotations

import logging
import threading
import time
from typing import TYPE_CHECKING

from penstock.admin import mqsc
from penstock.admin.group import MemberAnswer
from penstock.admin.transcript import reply_lines
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.share.member_commands import ANSWER_WAKE, COMMAND_WAKE, EVERYONE, Asked, MemberCommands

if TYPE_CHECKING:
    from types import TracebackType

    from penstock.host.host import Host
    from penstock.host.queue_sharing.sharing import GroupMembership

logger = logging.getLogger(__name__)

ANSWER_SECONDS = 60.0  # that a command waits for its members
LOOK_SECONDS = 1.0  # between looks where a wake-up may be lost
END_SECONDS = 10.0  # that a stop waits for a command which is being carried out


class GroupScope:
    """The commands of one member for others, and of others for it."""

    def __init__(self, membership: GroupMembership) -> None:
        self._membership = membership
        self._host = membership.host
        self._commands = MemberCommands(membership.facility)
        self._answered = threading.Condition()
        self._asked = threading.Event()
        self._ended = False
        self._cleaned = False
        self._thread = threading.Thread(target=self._run, name="penstock-scope", daemon=True)
        membership.wakes[COMMAND_WAKE] = lambda _text: self._asked.set()
        membership.wakes[ANSWER_WAKE] = self._wake

    def start(self) -> None:
        """Carry out what others ask from now on."""
        self._thread.start()

    def end(self) -> None:
        """Carry out nothing more."""
        self._ended = True
        self._asked.set()
        if self._thread.is_alive() and threading.current_thread() is not self._thread:
            self._thread.join(END_SECONDS)

    def _wake(self, _text: str) -> None:
        with self._answered:
            self._answered.notify_all()

    # -- asking --------------------------------------------------------------------------------

    def send(self, text: str, member: str) -> list[MemberAnswer]:
        """Have a member, or all that are active (*), carry a command out; return their answers."""
        asked = self._commands.ask(text, member)
        if not asked and member != EVERYONE:
            raise error(
                mq.MQRC_UNKNOWN_OBJECT_NAME,
                f"CMDSCOPE({member}) names no active member of group {self._membership.group.name}",
                object=member,
            )
        end = time.monotonic() + ANSWER_SECONDS
        try:
            self._wait(asked, end)
        finally:
            self._commands.give_up(asked)
        return [_answer(each) for each in asked]

    def _wait(self, asked: list[Asked], end: float) -> None:
        while True:
            self._commands.look(asked)
            if all(each.answer is not None or each.gone for each in asked) or time.monotonic() > end:
                return
            with self._answered:
                self._answered.wait(LOOK_SECONDS)

    # -- carrying out --------------------------------------------------------------------------

    def _run(self) -> None:
        while not self._ended:
            self._asked.wait(LOOK_SECONDS)
            self._asked.clear()
            try:
                if not self._cleaned:
                    self._commands.forget_own()
                    self._cleaned = True
                while not self._ended and (found := self._commands.take()) is not None:
                    number, text = found
                    self._commands.reply(number, *self._carry_out(text))
            except MQError as failure:  # without the facility there are no commands
                logger.info("commands_not_read cause=%s", failure)
            except Exception:  # a thread's edge: the next command is tried
                logger.exception("command_failed")

    def _carry_out(self, text: str) -> tuple[str, bool]:
        """Run a command, and return what runmqsc would print and whether it failed."""
        host = self._host
        lines: list[str] = []
        failed = False
        try:
            script = mqsc.run_script(host.engine, mqsc.script_lines(text), time.time(), guard=_Step(host))
            for piece in script:
                if isinstance(piece, mqsc.Await):
                    piece.wait()
                elif isinstance(piece, mqsc.Read):
                    host.load(piece.messages)
                elif isinstance(piece, mqsc.Reply):
                    failed = failed or piece.failed
                    lines += reply_lines(piece)
            host.settle(host.journal.end)
        except MQError as refusal:
            return "\n".join([*lines, str(refusal)]), True
        return "\n".join(lines), failed


class _Step:
    """The gate, around each step of a command."""

    def __init__(self, host: Host) -> None:
        self._host = host

    def __enter__(self) -> None:
        self._host.gate.__enter__()
        self._host.engine.step.begin()

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._host.engine.step.end()
        self._host.gate.__exit__(kind, value, trace)


def _answer(asked: Asked) -> MemberAnswer:
    if asked.answer is not None:
        return MemberAnswer(asked.member, asked.answer, asked.failed)
    if not asked.taken:
        text = "The command was not carried out: the member has ended, or does not answer."
    else:
        text = "The member did not answer; the command may have been carried out."
    return MemberAnswer(asked.member, text, True)
