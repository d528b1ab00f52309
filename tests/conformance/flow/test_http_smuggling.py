"""HTTPInput over real sockets: no request hides inside another, whatever a client sends.

The hidden request of every attempt would reach the flow at /*, which keeps the target of each request it saw.
"""

from __future__ import annotations

import re
import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from penstock.flow import CompiledFlow, Flow, Node, nodes
from penstock.flow.http import server
from penstock.flow.http.exchange import exchanges
from penstock.flow.running.listener import listener_for
from tests.conformance.flow.http_client import raw
from tests.conformance.flow.smuggling import ATTEMPTS, HIDDEN, PLAIN, Attempt, post
from tests.ports import free_port

ANSWER = re.compile(rb"HTTP/1\.1 (\d{3}) ")


class Station:
    """A port with a flow that answers every request with its body, and what the flow saw."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.seen: list[tuple[str, bytes]] = []

    def send(self, data: bytes) -> tuple[list[int], bytes]:
        """Send bytes; return the status of each answer, and the whole."""
        self.seen.clear()
        found = raw(self.port, data, 60.0)
        return [int(status) for status in ANSWER.findall(found)], found


class Echo(Node):
    """Keeps target and body of a request, and answers it with its body."""

    def __init__(self, station: Station) -> None:
        super().__init__()
        self._station = station

    def process(self, assembly: Any, at: Any) -> None:
        found = exchanges().find(assembly.local_environment.get(nodes.HTTPInput.identifier))
        self._station.seen.append((found.request.target, found.request.body))
        status = int(found.request.query or 200)
        found.answer(server.HttpResponse(status, [("X-Seen", found.request.target)], found.request.body))


@pytest.fixture(scope="module")
def station(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Station]:
    import penstock

    made = Station(free_port())
    flow = Flow("all")
    flow.add(nodes.HTTPInput("/*", port=made.port)).out >> flow.add(Echo(made)).in_
    stop = threading.Event()
    with penstock.embed("QM1", home=tmp_path_factory.mktemp("home"), create=True) as qm:
        listener = listener_for(CompiledFlow(flow), "HTTPInput", lambda: qm)
        thread = threading.Thread(target=listener.run, args=(stop,))
        thread.start()
        yield made
        stop.set()
        thread.join(60)


def test_the_table_names_every_attempt_once() -> None:
    names = [attempt.name for attempt in ATTEMPTS]
    assert len(set(names)) == len(names) > 150


@pytest.mark.parametrize("attempt", ATTEMPTS, ids=[attempt.name for attempt in ATTEMPTS])
def test_an_attempt_is_refused_and_the_connection_ends(station: Station, attempt: Attempt) -> None:
    statuses, answer = station.send(attempt.data)
    assert statuses == [attempt.status], answer
    assert b"\r\nConnection: close\r\n" in answer
    assert station.seen == []


@pytest.mark.parametrize(("data", "body"), [row[1:] for row in PLAIN], ids=[row[0] for row in PLAIN])
def test_a_request_of_one_meaning_has_its_body_and_the_next_one_is_its_own(
    station: Station, data: bytes, body: bytes
) -> None:
    statuses, answer = station.send(data)
    assert statuses == [200, 200], answer
    assert station.seen == [("/first", body), ("/hidden", b"")]


@pytest.mark.parametrize("step", [1, 2, 3, 7])
def test_a_request_is_the_same_in_however_many_pieces_it_comes(station: Station, step: int) -> None:
    """A sender that is slow, or a network that cuts: sizes and line ends are in different pieces."""
    data = next(row[1] for row in PLAIN if row[0] == "an extension")
    station.seen.clear()
    with socket.create_connection(("127.0.0.1", station.port), timeout=60) as sock:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for begin in range(0, len(data), step):
            sock.sendall(data[begin : begin + step])
        sock.shutdown(socket.SHUT_WR)
        b"".join(iter(lambda: sock.recv(65536), b""))
    assert station.seen == [("/first", b"abcde"), ("/hidden", b"")]


def test_pipelined_requests_are_answered_in_order(station: Station) -> None:
    count = 200
    requests = b"".join(b"GET /%d HTTP/1.1\r\nHost: a\r\n\r\n" % n for n in range(count))
    statuses, answer = station.send(requests)
    assert statuses == [200] * count
    assert re.findall(rb"X-Seen: /(\d+)", answer) == [b"%d" % n for n in range(count)]


def test_what_follows_a_refused_request_is_not_read(station: Station) -> None:
    good = b"GET /good HTTP/1.1\r\nHost: a\r\n\r\n"
    statuses, _ = station.send(good + good.replace(b"Host", b"Host ") + good)
    assert statuses == [200, 400]
    assert station.seen == [("/good", b"")]


@pytest.mark.parametrize(
    ("option", "kept"),
    [
        (b"close", False),
        (b"Close", False),
        (b"keep-alive, close", False),
        (b"x\r\nConnection: close", False),
        (b"closed", True),
        (b"keep-alive", True),
    ],
)
def test_a_connection_ends_when_any_option_says_so(station: Station, option: bytes, kept: bool) -> None:
    statuses, _ = station.send(b"GET /a HTTP/1.1\r\nHost: a\r\nConnection: %s\r\n\r\n%s" % (option, HIDDEN))
    assert statuses == ([200, 200] if kept else [200])


@pytest.mark.parametrize("status", [204, 205, 304])
def test_an_answer_without_a_body_has_none(station: Station, status: int) -> None:
    """A body behind a 204 would be taken for the beginning of the next answer."""
    statuses, answer = station.send(
        b"POST /a?%d HTTP/1.1\r\nHost: a\r\nContent-Length: 17\r\n\r\nHTTP/1.1 999 No\r\n" % status + HIDDEN
    )
    assert statuses == [status, 200]
    assert (b"Content-Length" in answer.partition(b"\r\n\r\n")[0]) is (status != 204)


class TestExpectations:
    def begin(self, station: Station, *headers: bytes, version: bytes = b"HTTP/1.1") -> socket.socket:
        station.seen.clear()
        sock = socket.create_connection(("127.0.0.1", station.port), timeout=60)
        sock.sendall(post(b"Expect: 100-continue\r\n", *headers, body=b"", version=version))
        return sock

    def test_leave_comes_before_the_body_is_sent(self, station: Station) -> None:
        with self.begin(station, b"Content-Length: 5\r\n") as sock:
            assert sock.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
            sock.sendall(b"abcde")
            assert sock.recv(100).startswith(b"HTTP/1.1 200 ")
        assert station.seen == [("/first", b"abcde")]

    @pytest.mark.parametrize(
        ("header", "status"),
        [
            (b"Content-Length: 99999999\r\n", b"413"),
            (b"Content-Length: +1\r\n", b"400"),
            (b"Content-Length: 1\r\nTransfer-Encoding: chunked\r\n", b"400"),
        ],
    )
    def test_no_leave_for_a_body_that_will_be_refused(
        self, station: Station, header: bytes, status: bytes
    ) -> None:
        with self.begin(station, header) as sock:
            assert sock.recv(100).startswith(b"HTTP/1.1 " + status)

    def test_no_leave_where_there_is_no_body(self, station: Station) -> None:
        with self.begin(station) as sock:
            assert sock.recv(100).startswith(b"HTTP/1.1 200 ")

    def test_http_1_0_knows_no_leave(self, station: Station) -> None:
        with self.begin(station, b"Content-Length: 5\r\n", version=b"HTTP/1.0") as sock:
            sock.sendall(b"abcde")
            assert sock.recv(100).startswith(b"HTTP/1.1 200 ")


def test_a_refused_client_reads_why_though_it_is_still_sending(station: Station) -> None:
    with socket.create_connection(("127.0.0.1", station.port), timeout=60) as sock:
        sock.sendall(post(b"Content-Length: 99999999\r\n", body=b"x" * 300_000))
        assert sock.recv(100).startswith(b"HTTP/1.1 413 ")


@pytest.mark.parametrize(
    "begun",
    [
        b"P",
        b"POST /first HTTP/1.1\r\nHost: a\r\nX: ",
        post(b"Content-Length: 5\r\n", body=b"abc"),
        post(b"Transfer-Encoding: chunked\r\n", body=b"5\r\nab"),
        post(b"Transfer-Encoding: chunked\r\n", body=b"0\r\n"),
    ],
)
def test_a_sender_that_stops_anywhere_is_ended(
    station: Station, begun: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "ARRIVAL_SECONDS", 0.2)
    station.seen.clear()
    with socket.create_connection(("127.0.0.1", station.port), timeout=60) as sock:
        sock.sendall(begun)
        assert sock.recv(100).startswith(b"HTTP/1.1 408 ")
    assert station.seen == []


@pytest.mark.parametrize("cut", range(1, 56, 7))
def test_a_request_that_ends_too_early_is_none(station: Station, cut: int) -> None:
    whole = post(b"Content-Length: 5\r\n", body=b"abcde")
    statuses, _ = station.send(whole[:-cut])
    assert statuses == [400]
    assert station.seen == []
