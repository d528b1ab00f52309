"""Heartbeats and the kernel's probes: who is given up, who is not, and that the kernel is asked at all."""

import socket

import pytest

from penstock.protocol import heartbeat as pulse
from penstock.protocol.heartbeat import Due, Pulse


def looks(one: Pulse, heard: float, until: int) -> list[Due]:
    """Look once a second at an end that was last heard at `heard`, and beat when that is due."""
    spoken, found = heard, []
    for now in range(int(heard) + 1, until + 1):
        found.append(one.look(float(now), heard, spoken))
        if found[-1] is Due.BEAT:
            spoken = float(now)
    return found


def test_a_quiet_end_gets_heartbeats_but_only_a_few_that_nobody_answers() -> None:
    found = looks(Pulse(2, answers=False), 0.0, 60)

    assert found.count(Due.BEAT) == pulse.BEATS_UNANSWERED_MAX
    assert Due.GIVE_UP not in found


def test_an_end_that_answers_is_given_up_for_its_silence_and_not_before() -> None:
    found = looks(Pulse(2, answers=True), 0.0, 13)

    assert found[11] is not Due.GIVE_UP
    assert found[12] is Due.GIVE_UP


def test_what_is_heard_counts_as_an_answer() -> None:
    one = Pulse(1, answers=True)

    assert [one.look(float(now), now - 0.9, 0.0) for now in range(1, 100)].count(Due.GIVE_UP) == 0
    assert looks(one, 100.0, 103)[0] is Due.BEAT


def test_without_an_interval_nothing_is_done() -> None:
    assert set(looks(Pulse(0, answers=True), 0.0, 1000)) == {Due.NOTHING}


@pytest.mark.parametrize(("interval", "idle"), [(0, 300), (1, 5), (60, 60), (999999, 300)])
def test_the_kernel_asks_whether_the_other_machine_is_there(interval: int, idle: int) -> None:
    with socket.socket() as sock:
        pulse.keep_alive(sock, interval)

        assert sock.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
        assert sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) == idle
        assert sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == (idle + 30) * 1000
