"""TCPIP nodes with real peers: records of streams, replies on the same connection, peers that misbehave."""

from __future__ import annotations

import socket
import threading
from typing import TYPE_CHECKING, Any

import pytest

import penstock
from penstock.flow import CompiledFlow, Flow, Node, Project, nodes
from penstock.flow.running.inline import InlineRun
from penstock.flow.tcp.framing import Framing, written
from penstock.model.errors import MQError
from tests.flow_fixtures import bodies
from tests.patience import until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path as FilePath


@pytest.fixture
def port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def serve(qm: Any, tmp_path: FilePath) -> Iterator[Callable[[Flow], InlineRun]]:
    running: list[InlineRun] = []

    def begin(flow: Flow) -> InlineRun:
        compiled = CompiledFlow(flow, Project(tmp_path))
        job = InlineRun(compiled, lambda: penstock.embed("QM1", home=tmp_path / "home"))
        job.start()
        running.append(job)
        until(lambda: job.ready)
        return job

    yield begin
    for job in running:
        job.stop()
        assert job.join_for(60)


def peer(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), 60)


def echo(port: int, **records: Any) -> Flow:
    flow = Flow("echo")
    start = flow.add(nodes.TCPIPServerInput(f"127.0.0.1:{port}", **records))
    out = flow.add(nodes.TCPIPServerOutput(f"127.0.0.1:{port}", records="delimited"))
    start.out >> out.in_
    start.close >> flow.add(nodes.MQOutput("OUT2")).in_
    start.open >> flow.add(nodes.MQOutput("OUT3")).in_
    start.failure >> flow.add(nodes.MQOutput("FAILED")).in_
    return flow


def test_each_line_is_answered_on_its_connection(
    qm: Any, serve: Callable[[Flow], InlineRun], port: int
) -> None:
    serve(echo(port, records="delimited"))
    with peer(port) as one, peer(port) as two:
        for sock, lines in ((one, b"a\r\nb\n"), (two, b"c\nd")):
            sock.sendall(lines)
        two.sendall(b"\n")
        assert one.makefile("rb").read(4) == b"a\nb\n"
        assert two.makefile("rb").read(4) == b"c\nd\n"
    until(lambda: len(bodies(qm, "OUT3")) + 1 if qm.get("OUT2") else 0)


def test_fixed_lengths_and_what_is_left_over(qm: Any, serve: Callable[[Flow], InlineRun], port: int) -> None:
    serve(echo(port, records="fixedLength", length=3))
    with peer(port) as sock:
        sock.sendall(b"abcde")
        assert sock.makefile("rb").read(4) == b"abc\n"
        sock.shutdown(socket.SHUT_WR)
        failed = qm.get("FAILED", wait=60)  # two bytes of a record, and then the end
    assert failed.body == b"de"


def test_documents_are_found_by_their_parser(qm: Any, serve: Callable[[Flow], InlineRun], port: int) -> None:
    serve(echo(port, records="parsedRecordSequence", domain="XMLNSC"))
    with peer(port) as sock:
        sock.sendall(b"<a>1</a>  <b><c")
        sock.sendall(b"/></b>")
        assert sock.makefile("rb").read(19) == b"<a>1</a>\n<b><c/></b>\n"[:19]


def test_a_whole_stream_is_one_record(qm: Any, serve: Callable[[Flow], InlineRun], port: int) -> None:
    flow = Flow("whole")
    start = flow.add(nodes.TCPIPServerInput(f"127.0.0.1:{port}"))
    start.out >> flow.add(nodes.MQOutput("OUT")).in_
    serve(flow)
    with peer(port) as sock:
        sock.sendall(b"all of ")
        sock.sendall(b"it")
    assert qm.get("OUT", wait=60).body == b"all of it"


class Partner:
    """A server that answers each line in capitals, or misbehaves."""

    def __init__(self) -> None:
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.port = self.listening.getsockname()[1]
        self.seen: list[bytes] = []
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                sock, _ = self.listening.accept()
            except OSError:
                return
            threading.Thread(target=self._talk, args=(sock,), daemon=True).start()

    def _talk(self, sock: socket.socket) -> None:
        with sock, sock.makefile("rb") as lines:
            for line in lines:
                self.seen.append(line)
                if line == b"hang up\n":
                    return
                if line != b"silence\n":
                    sock.sendall(line.upper())


@pytest.fixture
def partner() -> Iterator[Partner]:
    made = Partner()
    yield made
    made.listening.close()


def asking(port: int, timeout: float = 120.0) -> Flow:
    flow = Flow("ask")
    start = flow.add(nodes.MQInput("IN"))
    out = flow.add(nodes.TCPIPClientOutput(f"127.0.0.1:{port}", records="delimited", timeout=120))
    get = flow.add(nodes.TCPIPClientReceive(f"127.0.0.1:{port}", records="delimited", timeout=timeout))
    start.out >> out.in_
    out.out >> get.in_
    get.out >> flow.add(nodes.MQOutput("OUT")).in_
    get.timeout_ >> flow.add(nodes.MQOutput("OUT2")).in_
    get.close >> flow.add(nodes.MQOutput("OUT3")).in_
    out.failure >> flow.add(nodes.MQOutput("FAILED")).in_
    return flow


def test_a_client_asks_and_reads_the_answer(qm: Any, run: Callable[..., Any], partner: Partner) -> None:
    qm.put("IN", b"one")
    qm.put("IN", b"two")
    run(asking(partner.port))
    assert bodies(qm, "OUT") == [b"ONE", b"TWO"]


def test_a_partner_that_hangs_up_or_is_silent_has_its_terminals(
    qm: Any, run: Callable[..., Any], partner: Partner
) -> None:
    qm.put("IN", b"hang up")
    qm.put("IN", b"silence")
    run(asking(partner.port, timeout=0.2))
    assert (bodies(qm, "OUT3"), bodies(qm, "OUT2")) == ([b"hang up"], [b"silence"])


def test_nobody_there_is_the_failure(qm: Any, run: Callable[..., Any], port: int) -> None:
    qm.put("IN", b"x")
    run(asking(port))
    assert bodies(qm, "FAILED") == [b"x"]


def test_a_client_input_dials_and_reads(qm: Any, serve: Callable[[Flow], InlineRun]) -> None:
    flow = Flow("client")
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        start = flow.add(nodes.TCPIPClientInput(f"127.0.0.1:{port}", records="delimited"))
        start.out >> flow.add(nodes.MQOutput("OUT")).in_
        serve(flow)
        sock, _ = listening.accept()
        with sock:
            sock.sendall(b"hello\n")
            assert qm.get("OUT", wait=60).body == b"hello"
        again, _ = listening.accept()  # it dials again
        again.close()


@pytest.mark.parametrize(
    ("node", "text"),
    [
        (nodes.TCPIPClientOutput("1450"), "is not host:port"),
        (nodes.TCPIPServerInput("a:b"), "is not port or host:port"),
        (nodes.TCPIPServerInput("99999"), "is not port or host:port"),
        (nodes.TCPIPServerInput("1", records="lines"), "records 'lines' is not one of"),
        (nodes.TCPIPServerInput("1", records="fixedLength", length=0), "at least 1"),
        (nodes.TCPIPServerOutput("1", delimiter="xy"), "neither line nor bytes"),
        (nodes.TCPIPServerReceive("1", timeout=0), "more than 0 seconds"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_what_cannot_be_is_refused(node: Node, text: str) -> None:
    assert text in " ".join(node.check())


def test_records_are_framed_without_a_network() -> None:
    buffer = bytearray(b"ab;cd")
    framing = Framing("delimited", delimiter="3b")
    assert (framing.first(buffer, False), framing.first(buffer, False)) == (b"ab", None)
    assert framing.first(buffer, True) == b"cd"
    assert written(b"a", "fixedLength", 3, "line") == b"a  "
    with pytest.raises(MQError, match="8341"):
        written(b"abcd", "fixedLength", 3, "line")
