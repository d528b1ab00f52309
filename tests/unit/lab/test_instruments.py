"""The instruments against a server whose service times are known: they measure what it really did."""

from __future__ import annotations

import socket
import threading
import time
from functools import partial
from statistics import mean

import pytest

from penstock.lab.load.crew import Crew
from penstock.lab.load.roles import _keep_pace
from penstock.lab.load.schedule import Pace, fixed
from tests.patience import attempts
from tests.unit.lab.synthetic_server import SyntheticServer


def asking(role, address):
    """Ask without think time."""
    with socket.create_connection(address) as line:
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        role.ready()
        while True:
            began = time.perf_counter_ns()
            line.sendall(b"x")
            line.recv(1)
            role.took(time.perf_counter_ns() - began)


def keeping_pace(role, address, rate):
    with socket.create_connection(address) as line:
        role.ready()

        def once():
            line.sendall(b"x")
            line.recv(1)

        _keep_pace(role, Pace(fixed(1 / rate, time.monotonic())), once, threading.Lock())


@pytest.mark.parametrize(("service", "workers", "applications"), [(0.02, 1, 1), (0.05, 4, 4)])
def test_known_service_times_are_measured_within_five_percent(tmp_path, service, workers, applications):
    server = SyntheticServer(service, workers)
    try:
        for _ in attempts():
            with Crew([("ask", partial(asking, address=server.address))] * applications, tmp_path) as crew:
                before = len(server.taken)
                seen = crew.observe(0.1, 0.6)
                real = mean(server.taken[before:])
            if abs(seen.mean_ms("ask") / 1000 / real - 1) <= 0.05:
                break
        else:
            pytest.fail(f"{seen.mean_ms('ask')} ms, really {real * 1000} ms")
        assert seen.rates["ask"] == pytest.approx(applications / (seen.mean_ms("ask") / 1000), rel=0.15)
    finally:
        server.close()


def test_a_stall_of_the_server_stands_in_the_percentiles(tmp_path):
    """The server stands still for 0.5 s of 1.5 s: a third of the requests were delayed, not one."""
    server = SyntheticServer(0.002, stall_at=30, stall_s=0.5)
    try:
        with Crew(
            [("ask", partial(keeping_pace, address=server.address, rate=50))], tmp_path, kinds=3
        ) as crew:
            seen = crew.observe(0.0, 1.5)
    finally:
        server.close()

    assert seen.percentile_ms("ask", 99) >= 300
    assert seen.percentile_ms("ask", 90) >= 150
