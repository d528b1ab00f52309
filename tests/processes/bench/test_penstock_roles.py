"""The roles and scenarios of our own server really run: a benchmark that nobody runs would rot unseen."""

from __future__ import annotations

import pytest

from penstock.lab.load import bindings, round_trip
from penstock.lab.load.queue_server import DEPTH_MAX
from penstock.lab.load.setting import Setting
from tests.bench import capacity, durable_network, rated, short_sessions, zero_think_time
from tests.bench.peers import durable_batches, durable_puts, one_way, request_reply
from tests.bench.peers.comparison import Timing, run_once
from tests.bench.peers.penstock_client import PenstockClient
from tests.patience import until

pytestmark = pytest.mark.installed
SHORT = Timing(warm_seconds=0.05, window_seconds=0.3)
SCENARIOS = [
    next(iter(module.scenarios())) for module in (request_reply, one_way, durable_puts, durable_batches)
]


@pytest.fixture(scope="module")
def peer(tmp_path_factory):
    peer = PenstockClient()
    peer.start(tmp_path_factory.mktemp("peer"))
    yield peer
    peer.stop()


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    queue = f"DEFINE QLOCAL({durable_network.QUEUE}) MAXDEPTH({DEPTH_MAX})"
    with bindings.served(tmp_path_factory.mktemp("server"), [*round_trip.DEFINITIONS, queue]) as server:
        yield server


@pytest.fixture
def setting(tmp_path):
    return Setting(rounds=1, quick=True, folder=tmp_path)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_penstock_plays_its_roles(scenario, peer, tmp_path):
    until(lambda: run_once(scenario, peer, SHORT, tmp_path).rate > 0)


@pytest.mark.parametrize(
    ("name", "persistent"), [("embedded", True), ("local socket", False), ("client", True)]
)
def test_round_trips_are_made_by_each_binding(name, persistent, setting):
    with bindings.bound(name, setting.folder, round_trip.DEFINITIONS) as binding:
        until(lambda: zero_think_time.run(setting, binding, 1, persistent, 2).mean_ms(round_trip.DRIVER) > 0)


def test_rated_applications_are_paced(setting, server, monkeypatch):
    monkeypatch.setattr(rated, "INTERVAL_SECONDS", 0.3)

    until(
        lambda: 0 < rated.run(setting, server, 4, persistent=False).rates[round_trip.DRIVER] < 4 / 0.3 * 1.5
    )


def test_short_sessions_come_and_go(setting, server):
    until(lambda: short_sessions.run(setting, server, 1).rates[short_sessions.SESSION] > 0)


def test_durable_puts_over_tcp_are_counted(setting, server):
    until(lambda: durable_network.put_rate(setting, server, 1, 0.2) > 0)


def test_clients_are_connected_and_their_memory_is_measured(setting):
    assert 0 < capacity.memory_of_a_client(setting, 40) < 1 << 20
