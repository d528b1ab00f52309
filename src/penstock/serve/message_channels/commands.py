"""START, STOP, RESET, RESOLVE and DELETE of message channels, as `admin`'s machinery calls them.

Called with the engine held, in any thread. What needs the loop is accepted here and carried out there a
moment later; what the journal must know (STOPPED, a reset, a decision) is done at once, in the same step.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from penstock.admin import replies
from penstock.admin.group import outside
from penstock.admin.machinery import ACCEPTED
from penstock.face._clock import now as clock
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.qmgr.channels import batches
from penstock.qmgr.channels.sync_book import RECEIVER, SENDER
from penstock.serve.accepted import carry_out_soon
from penstock.serve.channels import number_of
from penstock.serve.message_channels import status
from penstock.serve.message_channels.definitions import SENDERS, definition_of
from penstock.serve.message_channels.pinging import Ping
from penstock.serve.message_channels.run import INACTIVE, RETRYING, STOPPED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from penstock.admin.machinery import Request
    from penstock.admin.replies import Pause, Reply
    from penstock.model.status import MessageChannelStatus
    from penstock.qmgr.objects import Definition
    from penstock.serve.message_channels.initiator import MessageChannels
    from penstock.serve.message_channels.run import Run


ACCEPTED_ONLY = ("RCVR", "CLUSRCVR")  # their partners dial


class ChannelCommands:
    """The message channels of a server, to commands."""

    verbs = frozenset({"START", "STOP", "PING", "RESET", "RESOLVE", "DELETE"})

    def __init__(self, channels: MessageChannels) -> None:
        self._channels = channels

    def status(self) -> Iterable[MessageChannelStatus]:
        """Return a row for each channel that is not inactive."""
        return status.rows(self._channels)

    def command(self, request: Request) -> Iterable[Reply | Pause]:
        """Run a command, or have the loop run it."""
        definition = definition_of(self._channels.server, request.name)
        if definition is None:
            raise error(mq.MQRCCF_CHANNEL_NOT_FOUND, f"channel {request.name} is not defined")
        if request.verb == "PING":
            return self._ping(request, definition)
        verbs: dict[str, Callable[[Request, Definition], Iterable[Reply | Pause] | None]] = {
            "START": self._start,
            "STOP": self._stop,
            "RESET": self._reset,
            "RESOLVE": self._resolve,
            "DELETE": self._delete,
        }
        return verbs[request.verb](request, definition) or ()

    def _runs(self, name: str) -> list[Run]:
        return self._channels.runs_of(name)

    def _refuse_if_active(self, name: str, why: str) -> None:
        if any(run.state not in (INACTIVE, STOPPED, RETRYING) for run in self._runs(name)):
            raise error(mq.MQRCCF_CHANNEL_IN_USE, f"channel {name} is active: {why}", channel=name)

    def _start(self, request: Request, definition: Definition) -> None:
        server, name = self._channels.server, request.name
        if server.stopping:
            raise error(mq.MQRC_Q_MGR_QUIESCING, f"the queue manager is stopping: {name} is not started")
        waits = definition.subtype in ACCEPTED_ONLY or not str(definition.attributes["CONNAME"]).strip()
        if definition.subtype not in ACCEPTED_ONLY:
            if waits and not server.engine.sync_book.is_held(name):
                why = "its partner starts it" if definition.subtype == "SVR" else "set CONNAME"
                raise error(mq.MQRCCF_MISSING_CONN_NAME, f"channel {name} has no CONNAME: {why}")
            tries = self._channels.is_shared(definition) and all(run.link is None for run in self._runs(name))
            if request.options.get("IGNSTATE") != "YES" and not tries:
                self._refuse_if_active(name, "it need not be started")
        self._check_disposition(request, definition)
        server.engine.sync_book.hold(name, False)
        if waits:
            carry_out_soon(server, request, partial(self._stop_runs, name, {}, INACTIVE, (STOPPED,)))
        else:
            carry_out_soon(server, request, partial(self._channels.start, name, forced=True))

    def _check_disposition(self, request: Request, definition: Definition) -> None:
        """Refuse CHLDISP that does not fit: a channel is shared where its transmission queue is."""
        wanted = request.options.get("CHLDISP", "")
        shared = self._channels.is_shared(definition)
        if wanted and (wanted == "PRIVATE") is shared:
            kind = "shared" if shared else "private"
            detail = f"CHLDISP({wanted}) does not fit {request.name}: its transmission queue is {kind}"
            raise error(mq.PSRC_CHANNEL_REFUSED, detail, channel=request.name)

    def _stop(self, request: Request, definition: Definition) -> None:
        """STOP CHANNEL; with CONNAME or QMNAME only the runs with that partner, which may come back."""
        name, options = request.name, request.options
        chooses = "CONNAME" in options or "QMNAME" in options
        final = options.get("STATUS", INACTIVE if chooses else STOPPED)
        if chooses and final == STOPPED:
            detail = "STATUS(STOPPED) stops a channel for every partner: leave CONNAME and QMNAME out"
            raise error(mq.PSRC_CHANNEL_REFUSED, f"channel {name}: {detail}", channel=name)
        if self._channels.is_shared(definition) and not chooses:
            shared = self._channels.server.host.sharing.channels
            stop = partial(shared.stop, name, options.get("MODE", "QUIESCE"), held=final == STOPPED)
            self._channels.server.readers.submit(stop)
            return
        if final == INACTIVE and not self._chosen(name, options) and options.get("IGNSTATE") != "YES":
            partner = " with that partner" if chooses else ""
            raise error(mq.MQRCCF_CHANNEL_NOT_ACTIVE, f"channel {name} is not active{partner}", channel=name)
        if final == STOPPED:
            self._channels.server.engine.sync_book.hold(name, True)
        carry_out_soon(self._channels.server, request, partial(self._stop_runs, name, options, final))

    def _chosen(self, name: str, options: Mapping[str, str]) -> list[Run]:
        """Return the runs of a channel with the partner that CONNAME and QMNAME give."""
        address, partner = options.get("CONNAME", "").partition("(")[0], options.get("QMNAME", "")
        return [
            run
            for run in self._runs(name)
            if (not address or (run.link is not None and run.link.peer.address == address))
            and (not partner or (run.end is not None and run.end.partner_name == partner))
        ]

    def _stop_runs(
        self, name: str, options: Mapping[str, str], final: str, states: tuple[str, ...] = ()
    ) -> None:
        """Stop the runs of a channel; only those in some states, if any are given."""
        for run in self._chosen(name, options):
            if not states or run.state in states:
                run.stopped_by_user = True
                run.stop(options.get("MODE", "QUIESCE"), final)

    def _delete(self, request: Request, definition: Definition) -> None:
        """Delete a definition; not of a channel that runs, nor while RESOLVE CHANNEL may be needed."""
        name = request.name
        self._refuse_if_active(name, "stop it first")
        if definition.subtype in SENDERS and batches.in_doubt(self._channels.server.engine, name):
            raise error(mq.MQRCCF_CHANNEL_INDOUBT, f"channel {name} has batches in doubt", channel=name)
        carry_out_soon(self._channels.server, request, partial(self._stop_runs, name, {}, INACTIVE))

    def _ping(self, request: Request, definition: Definition) -> Iterable[Reply | Pause]:
        name = request.name
        if definition.subtype not in SENDERS:
            raise error(mq.MQRCCF_WRONG_CHANNEL_TYPE, f"{name} is no sending channel", channel=name)
        self._refuse_if_active(name, "it need not be pinged")
        return Ping(self._channels, definition, int(request.options["DATALEN"])).run()

    def _of_group(
        self, request: Request, definition: Definition, verb: str, *arguments: Any
    ) -> Iterable[Reply | Pause]:
        """Run a command of a shared channel in the group, without the engine."""
        queue = self._channels.server.engine.queues[str(definition.attributes["XMITQ"])]
        act = getattr(self._channels.server.host.sharing.channels, verb)
        yield from outside(partial(act, request.name, queue, *arguments))
        yield replies.accepted(*ACCEPTED["RESET" if verb == "reset" else "RESOLVE", "CHANNEL"])

    def _reset(self, request: Request, definition: Definition) -> Iterable[Reply | Pause] | None:
        name, engine = request.name, self._channels.server.engine
        number = int(request.options["SEQNUM"])
        if number > number_of(definition, "SEQWRAP"):
            raise error(mq.PSRC_CHANNEL_REFUSED, f"SEQNUM({number}) is above SEQWRAP", channel=name)
        self._refuse_if_active(name, "stop it first")
        if self._channels.is_shared(definition):
            return self._of_group(request, definition, "reset", number)
        sends = definition.subtype in SENDERS
        role, reset = (SENDER, batches.reset_sender) if sends else (RECEIVER, batches.reset_receiver)
        partners = engine.sync_book.partners(role, name)
        if not partners and number != 1:
            detail = f"{name} has not run yet: its numbers begin with 1"
            raise error(mq.PSRC_CHANNEL_REFUSED, detail, channel=name)
        for partner in partners:
            reset(engine, name, partner, number)
        return None

    def _resolve(self, request: Request, definition: Definition) -> Iterable[Reply | Pause] | None:
        name, engine = request.name, self._channels.server.engine
        if definition.subtype not in SENDERS:
            raise error(mq.MQRCCF_WRONG_CHANNEL_TYPE, f"{name} is no sending channel", channel=name)
        self._refuse_if_active(name, "it resolves by itself")
        given = request.options.get("LUWID", "")
        try:
            luwid = int(given, 16) if given else None
        except ValueError:
            raise error(
                mq.PSRC_CHANNEL_REFUSED, f"LUWID({given}) is not a hexadecimal number", channel=name
            ) from None
        commits = request.options["ACTION"] == "COMMIT"
        if self._channels.is_shared(definition):
            return self._of_group(request, definition, "resolve", commits, luwid)
        batches.resolve(engine, name, commits, luwid, clock())
        return None


class ChannelInitiator:
    """The channel initiator, as START CHINIT sees it."""

    verbs = frozenset({"START"})

    def __init__(self, channels: MessageChannels) -> None:
        self._channels = channels

    @property
    def runs(self) -> bool:
        """Whether triggers start channels."""
        return self._channels.initiates

    def command(self, request: Request) -> tuple[()]:
        """Take trigger messages from now on."""
        carry_out_soon(self._channels.server, request, self._channels.start_initiator)
        return ()

    def status(self) -> tuple[()]:
        """DISPLAY QMSTATUS shows whether it runs."""
        return ()
