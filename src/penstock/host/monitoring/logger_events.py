"""Logger events (LOGGEREV): one message each time the log goes on in another file.

For programs that archive log files: the event names the current file and the oldest ones that a restart and a
media recovery need. Housekeeping looks once in each round, so a log that fills several files meanwhile gives
one event. Called by `Host`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.host.backups.media_image import log_facts
from penstock.model import constants as mq
from penstock.model.pcf_parameters import String
from penstock.qmgr.monitoring.events import Event

if TYPE_CHECKING:
    from penstock.host.host import Host

LOGGER_EVENTS = "SYSTEM.ADMIN.LOGGER.EVENT"


class LoggerEvents:
    """What was reported about the log of one queue manager."""

    def __init__(self, host: Host) -> None:
        self._current = _number(host)

    def look(self, host: Host, now: float) -> None:
        """Write an event if the log is in another file than at the last look, and events are wanted."""
        current = _number(host)
        if current == self._current:
            return
        self._current = current
        if host.engine.definition.attributes["LOGGEREV"] != "ENABLED":
            return
        facts = log_facts(host)
        parameters = (
            String(mq.MQCACF_CURRENT_LOG_EXTENT_NAME, facts["current"].ljust(24)),
            String(mq.MQCACF_RESTART_LOG_EXTENT_NAME, facts["restart"].ljust(24)),
            String(mq.MQCACF_MEDIA_LOG_EXTENT_NAME, facts["media"].ljust(24)),
            String(mq.MQCACF_LOG_PATH, str(host.folder.log)),
        )
        event = Event(LOGGER_EVENTS, mq.MQCMD_LOGGER_EVENT, mq.MQRC_LOGGER_STATUS, parameters)
        with host.gate.anyway:
            host.engine.effects.emit(event, now)
            position = host.engine.wishes.pending_end()
        host.settle(position)


def _number(host: Host) -> int:
    return host.journal.end // host.journal.segment_bytes
