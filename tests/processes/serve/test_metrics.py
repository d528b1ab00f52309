"""The page for Prometheus: its text, and the endpoint of a running queue manager."""

from __future__ import annotations

import re
import socket
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from penstock.model.status import (
    ChannelFigures,
    Histogram,
    LogFigures,
    QueueFigures,
    ReservationFigures,
    Status,
    SubscriptionFigures,
    TopicFigures,
)
from penstock.serve.monitoring.metrics_text import text_of
from tests.served import Served

STATUS = Status(
    name="QM1",
    started=1000.0,
    conns=3,
    oldest_unit_seconds=2.5,
    reservations=[
        ReservationFigures(
            flow='a "b"\\', epoch=1, recorded=2, queue="Q", n=3, rows=10, bytes=20, since=90.0
        ),
        ReservationFigures(flow="idle", epoch=1, recorded=2),
    ],
    log=LogFigures(syncs=7, sync_times=Histogram(bounds=[0.001, 0.01], counts=[4, 2, 1], total=0.5)),
    channels=ChannelFigures(instances={"APP": 2}, links=2, conversations=3),
)
LINE = re.compile(r'^penstock_[a-z_]+\{([a-z]+="(\\.|[^"\\])*",?)+\} [0-9.e+-]+$')


def test_every_line_is_a_comment_or_a_sample() -> None:
    queue = QueueFigures(queue="APP.Q", depth=6, puts=8)
    topic = TopicFigures(topic="a/b", published=2, delivered=4)
    subscription = SubscriptionFigures(subscription="S", topic="a/b", delivered=4)
    text = text_of(STATUS, [queue], 100.0, 0, [topic], [subscription])
    lines = text.splitlines()

    assert [each for each in lines if not each.startswith("# ") and not LINE.match(each)] == []
    assert 'penstock_queue_depth{qmgr="QM1",queue="APP.Q"} 6' in lines
    assert 'penstock_queue_put_messages_total{qmgr="QM1",queue="APP.Q"} 8' in lines
    assert 'penstock_oldest_unit_seconds{qmgr="QM1"} 2.5' in lines
    assert 'penstock_log_syncs_total{qmgr="QM1"} 7' in lines
    assert 'penstock_log_sync_seconds_bucket{qmgr="QM1",le="0.01"} 6' in lines
    assert 'penstock_log_sync_seconds_bucket{qmgr="QM1",le="+Inf"} 7' in lines
    assert 'penstock_log_sync_seconds_sum{qmgr="QM1"} 0.5' in lines
    assert 'penstock_topic_published_messages_total{qmgr="QM1",topic="a/b"} 2' in lines
    delivered = 'penstock_subscription_delivered_messages_total{qmgr="QM1",subscription="S",topic="a/b"} 4'
    assert delivered in lines
    assert 'penstock_channel_instances{qmgr="QM1",channel="APP"} 2' in lines


def test_the_parser_of_prometheus_reads_the_page() -> None:
    parser = pytest.importorskip("prometheus_client.parser")
    found = parser.text_string_to_metric_families(text_of(STATUS, [], 0.0))
    families = {each.name: each for each in found}
    assert families["penstock_log_sync_seconds"].type == "histogram"
    assert families["penstock_log_syncs"].type == "counter"
    assert families["penstock_connections"].samples[0].value == 3


def test_reservations_are_told_by_flow_with_escaped_labels() -> None:
    text = text_of(STATUS, [], now=100.0)

    assert 'penstock_reserved_messages{qmgr="QM1",flow="a \\"b\\"\\\\",queue="Q"} 10\n' in text
    assert 'penstock_reservation_age_seconds{qmgr="QM1",flow="a \\"b\\"\\\\",queue="Q"} 10\n' in text
    assert "idle" not in text


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, str]]:
    """A running queue manager that shows metrics, and their address."""
    running = Served(tmp_path_factory.mktemp("home"))
    running.start(0, "--metrics-port", "0")
    assert running.process is not None
    assert running.process.stdout is not None
    where = running.process.stdout.readline().split()[-1].rstrip(".")
    yield running, where
    running.stop()


@pytest.mark.installed
def test_a_running_queue_manager_shows_its_figures(page: tuple[Served, str]) -> None:
    served, where = page
    with served.connect() as qm:
        qm.put("APP.Q", b"", persistent=True)
        with urllib.request.urlopen(where, timeout=60) as answer:
            text = answer.read().decode()
        qm.get("APP.Q")

    assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
    assert 'penstock_queue_depth{qmgr="QM1",queue="APP.Q"} 1' in text
    assert 'penstock_channel_instances{qmgr="QM1",channel="APP.SVRCONN"} 1' in text
    assert re.search(r"penstock_log_syncs_total\{qmgr=\"QM1\"\} [1-9]", text)


@pytest.mark.installed
@pytest.mark.parametrize(("path", "method", "code"), [("/", "GET", 404), ("/metrics", "POST", 405)])
def test_nothing_else_is_there(page: tuple[Served, str], path: str, method: str, code: int) -> None:
    _, where = page
    request = urllib.request.Request(where.removesuffix("/metrics") + path, b"" if method == "POST" else None)

    with pytest.raises(urllib.error.HTTPError) as failure:
        urllib.request.urlopen(request, timeout=60)

    failure.value.close()
    assert failure.value.code == code


@pytest.mark.installed
def test_whoever_talks_nonsense_is_hung_up_on_and_others_are_served(page: tuple[Served, str]) -> None:
    _, where = page
    host, _, port = where.removeprefix("http://").removesuffix("/metrics").partition(":")
    with socket.create_connection((host, int(port)), timeout=60) as sock:
        sock.sendall(b"x" * 100_000)
        try:
            assert sock.recv(100) == b""
        except ConnectionResetError:
            pass

    with urllib.request.urlopen(where, timeout=60) as answer:
        assert answer.status == 200


@pytest.mark.installed
@pytest.mark.parametrize(
    ("head", "status"),
    [
        (b"GET /metrics HTTP/1.1\r\nHost: a\r\n", 200),
        (b"GET /metrics?x=1 HTTP/1.0\r\n", 200),
        (b"GET /metrics\r\nHost: a\r\n", 400),
        (b"GET /metrics HTTP/1.1\r\n", 400),
        (b"GET /metrics HTTP/1.1\r\nHost: a\r\nHost: b\r\n", 400),
        (b"GET /metrics HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n", 400),
        (b"GET /metrics HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n", 400),
        (b"GET /metrics HTTP/1.1\r\nHost: a\nX: b\r\n", 400),
        (b"GET /metrics HTTP/1.1\r\nHost: a\r\n" + b"X: y\r\n" * 200, 431),
        (b"GET /metrics HTTP/3.0\r\nHost: a\r\n", 505),
    ],
)
def test_a_doubtful_request_is_refused_and_answered_once(
    page: tuple[Served, str], head: bytes, status: int
) -> None:
    _, where = page
    host, _, port = where.removeprefix("http://").removesuffix("/metrics").partition(":")
    with socket.create_connection((host, int(port)), timeout=60) as sock:
        sock.sendall(head + b"\r\nGET /metrics HTTP/1.1\r\nHost: a\r\n\r\n")
        answer = b""
        try:
            while data := sock.recv(65536):
                answer += data
        except ConnectionResetError:
            pass  # the second request was not read

    assert re.findall(rb"HTTP/1\.1 (\d+)", answer) == [b"%d" % status]


@pytest.mark.installed
def test_a_port_that_is_taken_is_a_clear_failure(page: tuple[Served, str], tmp_path: Path) -> None:
    _, where = page
    other = Served(tmp_path, "QM2")
    port = where.removesuffix("/metrics").rpartition(":")[2]

    with pytest.raises(AssertionError):
        other.start(0, "--metrics-port", port)
    assert other.process is not None
    assert other.process.wait(60) == 1
    other.stop()


@pytest.mark.installed
@pytest.mark.parametrize(("path", "text"), [("/live", b"live"), ("/ready", b"ready")])
def test_probes_get_a_short_answer(page: tuple[Served, str], path: str, text: bytes) -> None:
    _, address = page
    with urllib.request.urlopen(address.replace("/metrics", path), timeout=60) as answer:
        assert (answer.status, answer.read().strip()) == (200, text)
