"""Turns: moments at which every member begins a segment of its message journal, or releases a structure.

A backup and a recovery each announce a turn and go on when all active members have taken it up: between two
rounds, so that no round is on both sides of it. Called by `host.group_commands` for what others announce, and
by `structure_actions`. Statements are in `backup_catalogue`. Invariant: a member that has taken up the turn
of a recovery has no data set of that structure open, and stores nothing there until it is active.
"""

from __future__ import annotations

import logging
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.share.repository import INRECOVER

if TYPE_CHECKING:
    from penstock.share.backup_catalogue import BackupCatalogue
    from penstock.share.bodies import Bodies
    from penstock.share.facility import Facility
    from penstock.share.message_journal import MessageJournal
    from penstock.share.repository import Repository

logger = logging.getLogger(__name__)

ANSWER_SECONDS = 90.0  # a member that receives nothing is fenced off before
LOOK_SECONDS = 0.05


class StructureTurns:
    """The turns of one member."""

    def __init__(
        self,
        facility: Facility,
        repository: Repository,
        catalogue: BackupCatalogue,
        bodies: Bodies,
        journal: MessageJournal,
    ) -> None:
        self._facility, self._repository, self._catalogue = facility, repository, catalogue
        self._bodies, self._journal = bodies, journal
        self._lock = threading.Lock()
        self._ended = threading.Event()
        journal.gap = self._gap
        self._taken = (-1, -1)  # turn and incarnation of the segment

    def follow(self) -> None:
        """Read the states of structures, and take up the turn that was announced last."""
        with self._lock:
            needed, recorded = self._catalogue.turn()
            self._bodies.states = self._repository.structures()  # not older than the turn
            wanted = needed, self._facility.incarnation
            if wanted == self._taken:
                return
            member, name = self._facility.member, self._facility.name
            with self._facility.between_rounds():
                if wanted[1] != self._taken[1]:
                    self._bodies.begin_life()
                for state in self._bodies.states.values():
                    if state.state == INRECOVER:
                        self._bodies.forget(state.name)
                path = self._journal.path_of(*wanted)
                if recorded:
                    self._catalogue.add_segment(name, needed, str(path))
                self._journal.begin(path, recorded)
                for number, failed, seqs in self._facility.left_rounds:
                    self._journal.ended(number, failed, seqs)
                self._facility.left_rounds = []
                self._taken = wanted
            self._catalogue.took_up(member, needed)
            self._remove_old(name)

    def end(self) -> None:
        """Let nobody wait for other members any more."""
        self._ended.set()

    def _remove_old(self, name: str) -> None:
        """Remove segments that neither the last backup of a structure needs nor the one before it."""
        for path in self._catalogue.take_old_segments(name):
            try:
                Path(path).unlink(missing_ok=True)
            except OSError as failure:
                logger.warning("segment_not_removed path=%s cause=%s", path, failure)

    def _gap(self, path: Path, failure: MQError) -> None:
        """Note that a segment is not complete: a recovery that needs it is refused."""
        self._facility.notices(
            "CSQE140W",
            f"The message journal has stopped: {failure.detail}. BACKUP CFSTRUCT begins it anew; until then"
            " a structure cannot be recovered.",
        )
        self._catalogue.mark_gap(str(path))

    def wait_for_all(self, turn: int) -> None:
        """Take a turn up here, and return when every active member has; MQError if one does not."""
        self.follow()
        end = time.monotonic() + ANSWER_SECONDS
        while missing := self._catalogue.behind(turn):
            if time.monotonic() > end:
                names = ", ".join(missing)
                raise error(mq.MQRC_CF_STRUC_IN_USE, f"{names} did not answer in {ANSWER_SECONDS:g} s")
            if self._ended.wait(LOOK_SECONDS):
                raise error(mq.MQRC_Q_MGR_STOPPING, "the queue manager stops")
            self.follow()  # this member may have lost the facility and joined anew
