"""A client that a uniform cluster moves: what it is sent, when it is refused and when it is disconnected."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import pytest

from penstock.protocol.hello import Greeting
from penstock.serve.uniform_clusters.movable import Instance, Movable, movable


class Socket:
    """A link that notes what happens to it."""

    def __init__(self, units: int = 0) -> None:
        self.goodbyes: list[bytes] = []
        self.ending = ""
        self.closed = self.hung_up = False
        self.quiesced = 0
        self.out = SimpleNamespace(frame=lambda *given: self.goodbyes.append(given[-1]))
        gets = SimpleNamespace(quiesce=self._quiesce)
        self.conversations = {1: SimpleNamespace(units=SimpleNamespace(units=[0] * units), gets=gets)}

    def _quiesce(self) -> None:
        self.quiesced += 1

    def write(self) -> None:
        """Send nothing."""

    def close_when_written(self, moment: float) -> None:
        self.hung_up = True


def client(*balancing: Any, tag: str = "", sent_to: str = "") -> Movable:
    facts: dict[str, Any] = {"moves": True, "connection_tag": tag, "sent_to": sent_to}
    if balancing:
        facts["balancing"] = list(balancing)
    found = movable(Greeting(1, 1, 0, facts), "QM1", 100.0)
    assert found is not None
    return found


def test_a_simple_client_is_refused_new_work_at_once_and_its_unit_is_ended_when_time_is_up() -> None:
    link: Any = Socket(units=1)
    mover = client()

    mover.ask(link, "QM2", 100.0)
    assert (link.goodbyes, link.ending, link.quiesced) == ([b"move QM2"], "move", 1)
    mover.hurry(link, 109.0)
    assert not link.hung_up
    mover.hurry(link, 110.0)

    assert link.hung_up


def test_a_client_without_a_unit_is_never_disconnected() -> None:
    link: Any = Socket()
    mover = client("SIMPLE", 0, True)

    mover.ask(link, "QM2", 100.0)
    mover.hurry(link, 1e6)

    assert not link.hung_up


def test_a_unit_may_last_for_ever_or_count_for_nothing() -> None:
    patient, hurried = client("SIMPLE", None, False), client("SIMPLE", None, True)
    links: list[Any] = [Socket(units=1), Socket(units=1)]

    for mover, link in zip((patient, hurried), links, strict=True):
        mover.ask(link, "QM2", 100.0)
        mover.hurry(link, 1e9)

    assert [link.hung_up for link in links] == [False, True]


def test_a_client_that_awaits_replies_is_refused_nothing_before_its_time_is_up() -> None:
    link: Any = Socket()
    mover = client("REQREP", 5, False)

    mover.ask(link, "QM2", 100.0)
    mover.hurry(link, 104.0)
    assert (link.goodbyes, link.ending) == ([b"move QM2"], "")
    mover.hurry(link, 105.0)

    assert (link.ending, link.quiesced, link.hung_up) == ("move", 1, False)


def test_a_client_that_has_not_been_asked_is_left_alone() -> None:
    link: Any = Socket(units=1)
    client("SIMPLE", 0, True).hurry(link, 1e9)

    assert not link.hung_up
    assert not link.ending


def test_connections_with_one_tag_are_one_instance_that_moves_as_a_whole() -> None:
    links: list[Any] = [Socket(), Socket()]
    tagged = Instance("app")
    tagged.add(links[0], client(tag="T"))
    tagged.add(links[1], client(tag="T"))

    assert (tagged.size, tagged.connections, tagged.may_move(100.0)) == (1, 2, True)
    tagged.ask("QM2", 100.0)

    assert [link.goodbyes for link in links] == [[b"move QM2"]] * 2
    assert tagged.goes()
    assert not tagged.may_move(100.0)


def test_a_client_that_missed_its_member_stays_for_a_while() -> None:
    mover = client(sent_to="QM2")

    assert mover.returned
    assert (mover.may_move(100.0), mover.may_move(700.0)) == (False, True)
    assert client(sent_to="QM1").may_move(100.0)


@pytest.mark.parametrize(
    "balancing",
    [
        ["SIMPLE", 1],
        ["OTHER", 1, False],
        ["SIMPLE", "soon", False],
        ["SIMPLE", -1, False],
        ["SIMPLE", math.nan, 0],
    ],
)
def test_nonsense_about_balancing_is_refused(balancing: list[Any]) -> None:
    with pytest.raises(ValueError, match="balancing"):
        client(*balancing)
