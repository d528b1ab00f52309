"""Drives an HTTPInput: takes requests from its route, runs the flow on each, answers for flows that fail.

A request that was not taken before its client's time was over goes to the `timeout` terminal; its client has
already received a fault. A flow that ends without a reply leaves the request open for a while: another may
answer it, if this one hands messages on at all.
"""

from __future__ import annotations

import logging
import ssl
import time
from typing import TYPE_CHECKING, Any

from penstock.flow.eager_validation import read_through
from penstock.flow.failing import UNREACHABLE
from penstock.flow.http.faults import JSON, fault
from penstock.flow.http.rest_api import NoOperation
from penstock.flow.http.server import http_servers
from penstock.flow.kinds import Kind
from penstock.flow.node import OUT, InputNode
from penstock.flow.nodes.http_input import TIMEOUT
from penstock.flow.nodes.http_request import HTTPRequest
from penstock.flow.running.pausing import CANNOT_CONNECT, Pause, let_go
from penstock.flow.running.retrying import Tally
from penstock.flow.running.unit_runner import UnitRunner
from penstock.model import constants as mq
from penstock.model.errors import MQError
from penstock.tree import Message

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable

    from penstock.flow.graph.compiled import CompiledFlow
    from penstock.flow.http.exchange import Exchange, HttpResponse
    from penstock.flow.http.request_reader import HttpRequest
    from penstock.flow.nodes.http_input import HTTPInput
    from penstock.model.errors import MessageFailed

logger = logging.getLogger(__name__)
WAIT_SECONDS = 0.2  # how long it waits before it checks whether to stop
MALFORMED = "malformed"  # the field of an error that is about the request alone
PARSING = (8101, 8199)  # errors of reading a message
REPLY_SECONDS = 10.0  # how long a client waits when its flow has ended without a reply
ANSWERED_SECONDS = 0.1  # how long a queue manager that has answered counts as there; no restart is as quick


class HttpListener:
    """One instance of a flow at one path."""

    def __init__(
        self,
        node: HTTPInput,
        flow: CompiledFlow,
        label: str,
        connect: Callable[[], Any],
        **options: Any,
    ) -> None:
        self.node = node
        self.pause = Pause(flow.name, label)
        self.tally = Tally(flow.name)
        self._flow, self._label, self._connect, self._options = flow, label, connect, options
        self.runner = self._new_runner()
        self._answered_at = time.monotonic()  # when the queue manager last answered
        self.model = node.model_in(flow.project)
        self.routing = node.routing(flow)
        self.reply_wait = _reply_wait(node, flow)
        self.server, self.route = http_servers().open_route(
            node.host, node.port, node.path, node.client_wait, self._late, self._tls(flow)
        )
        self._open = True

    def _new_runner(self) -> UnitRunner:
        qm = self._connect()
        return UnitRunner(self._flow, self._label, qm, pauses=False, tally=self.tally, **self._options)

    def run(self, stop: threading.Event, until_empty: bool = False) -> None:
        """Work until stopped, or until no request waits; then release the path."""
        try:
            while not stop.is_set():
                exchange = self.route.take(0.0 if until_empty else WAIT_SECONDS)
                if not until_empty:
                    self._see_to_connection(stop)
                if exchange is not None:
                    self._work(exchange)
                elif until_empty:
                    return
        finally:
            self.close()

    def _see_to_connection(self, stop: threading.Event) -> None:
        """Reconnect to a queue manager that was lost since the last request; requests wait meanwhile."""
        if time.monotonic() - self._answered_at < ANSWERED_SECONDS:
            return
        while not stop.is_set():
            try:
                if self.pause.why:
                    self.runner = self._new_runner()
                self._ask_queue_manager()
            except MQError as failure:
                if failure.reason not in CANNOT_CONNECT:
                    raise
                let_go(self.runner.qm)
                self.pause.wait(failure, stop)
                continue
            self._answered_at = time.monotonic()
            self.pause.over()
            return

    def _ask_queue_manager(self) -> None:
        """Raise if the queue manager is gone; any answer means that it runs, also 2035."""
        try:
            self.runner.qm.open("", mq.MQOO_INQUIRE, object_type=mq.MQOT_Q_MGR).close()
        except MQError as failure:
            if failure.reason in CANNOT_CONNECT:
                raise

    def close(self) -> None:
        """Release the path."""
        if self._open:
            self._open = False
            http_servers().close_route(self.server, self.route)

    def _work(self, exchange: Exchange) -> None:
        """Run the flow on a request; an error of one request ends only that request."""
        late = exchange.is_answered or time.monotonic() > exchange.deadline
        form = self.node.fault_format_for(exchange.request)
        try:
            problem = self._run(exchange, late)
        except MQError as raised:  # the queue manager is gone
            exchange.answer(fault(form, "the service is not available", 503))
            if raised.reason not in CANNOT_CONNECT:
                raise
            self._answered_at = 0.0
            return
        except Exception:  # the edge between a client's request and the flow
            logger.exception("http_request_failed path=%s", exchange.request.path)
            exchange.answer(fault(form, "the request cannot be handled"))
            return
        if problem is not None and not late:
            exchange.answer(self._fault(exchange, form, problem))
        elif self.reply_wait < self.node.client_wait and not exchange.is_answered:
            exchange.answer_later(self.reply_wait, lambda: self._unreplied(exchange, form))

    def _run(self, exchange: Exchange, late: bool) -> MessageFailed | None:
        node, now = self.node, self.runner.ports.clock()
        reference = _reference(exchange)
        try:
            message, local = node.trees(exchange, self.model, now, self.routing)
            if node.validate != "none":
                read_through(message, self.runner.at.instance.project)
        except NoOperation as none:
            exchange.answer(_no_operation(none))
            return None
        except Exception as raised:  # noqa: BLE001 - any exception is the failure of this request
            if isinstance(raised, MQError):
                raised.fields[MALFORMED] = True
            local = Message()
            local.set(node.identifier, exchange.identifier)  # the failure terminal may answer
            message = node.message(exchange.request, None, now, "BLOB")
            return self.runner.fail(message, raised, reference, local)
        self.runner.ports.request = exchange.identifier
        return self.runner.run(message, local, terminal=TIMEOUT if late else OUT, reference=reference)

    def _fault(self, exchange: Exchange, form: str, problem: MessageFailed) -> HttpResponse:
        """Return a client's response to a failure: the mistake in its request, or a reference."""
        malformed = problem if problem.fields.get(MALFORMED) else self._malformed(exchange, problem)
        if malformed is not None:
            return fault(form, f"malformed request: {malformed}", self.node.malformed_status)
        reference = _reference(exchange)
        facts: dict[str, object] = {"reference": reference}
        text, status = f"the request could not be processed; reference {reference}", 500
        if problem.fields.get(UNREACHABLE):
            text, status = f"the service is not available; reference {reference}", 503
        if self.node.fault_detail:
            node = problem.fields.get("nodelabel", "")
            text = f"{text}: {problem.reason} {problem.name} at node {node}: {problem.detail}"
            facts |= {"reason": problem.reason, "name": problem.name, "node": node, "detail": problem.detail}
        return fault(form, text, status, **facts)

    def _malformed(self, exchange: Exchange, problem: MessageFailed) -> MQError | None:
        """Return the mistake in the body of a request, if a flow failed to parse it."""
        if not PARSING[0] <= problem.reason <= PARSING[1]:
            return None
        try:
            message, _ = self.node.trees(exchange, self.model, self.runner.ports.clock(), self.routing)
            read_through(message, self.runner.at.instance.project)
        except MQError as wrong:
            return wrong
        return None  # something else than the request could not be parsed

    def _late(self, request: HttpRequest) -> HttpResponse:
        logger.warning("http_late flow=%s path=%s client=%s", self._flow.name, request.path, request.client)
        return fault(
            self.node.fault_format_for(request), f"no reply within {self.node.client_wait:g} seconds", 500
        )

    def _unreplied(self, exchange: Exchange, form: str) -> HttpResponse:
        logger.warning(
            "http_no_reply flow=%s path=%s reference=%s",
            self._flow.name,
            exchange.request.path,
            _reference(exchange),
        )
        text = f"the flow ended without a reply; reference {_reference(exchange)}"
        return fault(form, text, self.node.unreplied_status)

    def _tls(self, flow: CompiledFlow) -> ssl.SSLContext | None:
        certificate, key = self.node.tls_files()
        if not certificate:
            return None
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        folder = flow.project.folder
        context.load_cert_chain(folder / certificate, folder / key if key else None)
        return context


def _reply_wait(node: HTTPInput, flow: CompiledFlow) -> float:
    """Return how long a client waits after its flow ended without a reply.

    As configured; else short if the flow replies itself and passes nothing on that another flow could reply
    to.
    """
    if node.reply_wait is not None:
        return min(node.reply_wait, node.client_wait)
    others = [each for each in flow.flat.nodes.values() if not isinstance(each, (InputNode, HTTPRequest))]
    replies = any(each.serves_http for each in others)
    hands_on = any(each.kind >= Kind.QUEUE and not each.serves_http for each in others)
    return min(REPLY_SECONDS, node.client_wait) if replies and not hands_on else node.client_wait


def _no_operation(none: NoOperation) -> HttpResponse:
    """Return the answer to a request that no operation of an API handles."""
    response = fault(JSON, str(none), none.status)
    return response._replace(
        headers=[*response.headers, *([("Allow", ", ".join(none.allowed))] if none.allowed else [])]
    )


def _reference(exchange: Exchange) -> str:
    """Return what names a request to its client and in the log."""
    return exchange.identifier.hex()[:16]
