"""Which connection is closed when there are too many, and which never."""

from __future__ import annotations

import random

import pytest

from penstock.host.folders.ini import ChannelSettings
from penstock.model.errors import MQError
from penstock.serve.connections import OWNER_ROOM, Connection, Connections
from penstock.serve.entry.connection_limits import FILES_KEPT_BACK, work_out
from penstock.serve.entry.peer import Peer


class Door:
    """Connections of named origins, and the order in which they were closed."""

    def __init__(self, sockets: int, **limits: int) -> None:
        self.connections = Connections(sockets + OWNER_ROOM, **limits)
        self.closed: list[str] = []

    def enter(self, name: str, is_owner: bool = False) -> Connection | None:
        origin = name.rstrip("0123456789")
        return self.connections.enter(origin, lambda: self.closed.append(name), is_owner)

    def enter_all(self, *names: str) -> list[Connection]:
        found = [self.enter(name) for name in names]
        assert None not in found
        return [each for each in found if each is not None]


def test_the_oldest_of_an_address_goes_when_it_has_too_many_waiting() -> None:
    door = Door(100, of_one_max=3)
    door.enter_all("a1", "b1", "a2", "a3", "a4", "a5")
    assert door.closed == ["a1", "a2"]


def test_whoever_has_most_waiting_makes_room_for_others() -> None:
    door = Door(5)
    door.enter_all("b1", "a1", "a2", "a3", "b2", "c1", "d1")
    assert door.closed == ["a1", "b1"]
    assert door.connections.newcomers == 5


def test_all_newcomers_together_are_bounded() -> None:
    door = Door(100, newcomers_max=2)
    door.enter_all("a1", "b1", "c1", "d1")
    assert len(door.closed) == 2


def test_a_client_that_has_said_hello_goes_after_the_silent_ones() -> None:
    door = Door(3)
    first, *_ = door.enter_all("a1", "a2", "a3")
    door.connections.said_hello(first)
    door.enter_all("b1", "b2")
    assert door.closed == ["a2", "a3"]
    door.enter_all("a4", "a5")
    assert "a1" not in door.closed


def test_greeted_clients_stay_and_the_next_finds_no_room() -> None:
    door = Door(3)
    for connection in door.enter_all("a1", "a2", "a3"):
        door.connections.was_greeted(connection)
    assert door.enter("b1") is None
    assert door.closed == []
    assert door.enter("o1", is_owner=True) is not None


def test_any_number_of_greeted_clients_may_come_from_one_address() -> None:
    door = Door(13_000, of_one_max=10)
    for number in range(13_000):
        connection = door.enter(f"a{number}")
        assert connection is not None
        door.connections.said_hello(connection)
        door.connections.was_greeted(connection)
    assert door.closed == []
    assert door.connections.greeted == 13_000


def test_what_is_closed_is_not_counted_any_more() -> None:
    """A random history against a plain list: counts never drift, and the limits hold."""
    seed = random.randrange(1 << 32)
    chance = random.Random(seed)
    door = Door(8, of_one_max=4, newcomers_max=6)
    alive: list[Connection] = []
    for number in range(5000):
        step = chance.randrange(4)
        if step == 0 or not alive:
            connection = door.enter(f"{chance.choice('abcd')}{number}")
            if connection is not None:
                alive.append(connection)
        elif step == 1:
            door.connections.said_hello(chance.choice(alive))
        elif step == 2:
            door.connections.was_greeted(chance.choice(alive))
        else:
            door.connections.leave(alive.pop(chance.randrange(len(alive))))
        alive = [each for each in alive if each.stage < 3]
        assert door.connections.greeted == sum(each.stage == 2 for each in alive), seed
        assert door.connections.newcomers == sum(each.stage < 2 for each in alive), seed
        assert len(alive) <= 8, seed


def test_addresses_behind_one_ipv6_network_count_as_one() -> None:
    one, other = Peer("2001:db8:1:2::5", 1), Peer("2001:db8:1:2:ffff::6", 2)
    assert one.origin == other.origin != Peer("2001:db8:1:3::5", 1).origin
    assert Peer("10.0.0.1", 1).origin == Peer("10.0.0.1", 2).origin != Peer("10.0.0.2", 1).origin
    assert Peer(local_user=5, process=1).origin == Peer(local_user=5, process=2).origin


def test_files_are_kept_back_for_the_journal_and_room_for_greetings() -> None:
    limits = work_out(ChannelSettings(), 1024, 24)
    assert limits.sockets == 1024 - 24 - FILES_KEPT_BACK
    assert limits.channels == limits.active < limits.sockets


def test_settings_count_as_far_as_open_files_allow() -> None:
    assert work_out(ChannelSettings(max_channels=100), 1024, 24).active == 100
    limits = work_out(ChannelSettings(max_channels=100, max_active_channels=50), 1024, 24)
    assert (limits.channels, limits.active, limits.warnings) == (100, 50, ())
    limits = work_out(ChannelSettings(max_channels=5000), 1024, 24)
    assert limits.channels < 1024
    assert "MaxChannels=5000" in limits.warnings[0]


def test_a_process_that_may_open_too_few_files_does_not_serve() -> None:
    with pytest.raises(MQError, match="limit of open files is 100") as caught:
        work_out(ChannelSettings(), 100, 24)
    assert caught.value.reason == 2102
