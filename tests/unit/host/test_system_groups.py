"""Groups of the operating system: a directory service that takes its time holds nobody up."""

from __future__ import annotations

import threading

import pytest

from penstock.host.users import system_groups
from penstock.host.users.system_groups import SystemGroups
from tests.patience import until


class Directory:
    """A directory service that answers when it is let."""

    def __init__(self) -> None:
        self.groups: dict[str, frozenset[str]] = {"ann": frozenset({"clerks"})}
        self.answers = threading.Event()
        self.away = False
        self.asked: list[str] = []

    def __call__(self, user: str) -> frozenset[str]:
        self.asked.append(user)
        self.answers.wait(60)
        if self.away:
            raise OSError("the directory service is away")
        return self.groups.get(user, frozenset())


@pytest.fixture
def directory() -> Directory:
    return Directory()


@pytest.fixture
def groups(directory: Directory) -> SystemGroups:
    return SystemGroups(directory)


def test_a_question_about_somebody_new_waits_a_moment_only(groups: SystemGroups) -> None:
    assert groups.of("ann") == frozenset()  # the directory has not answered
    assert not groups.knows("ann")


def test_learning_waits_for_the_answer(groups: SystemGroups, directory: Directory) -> None:
    threading.Timer(0.2, directory.answers.set).start()

    assert groups.learn("ann")
    assert groups.of("ann") == {"clerks"}
    assert directory.asked == ["ann"]


def test_a_system_that_never_answers_is_given_up(
    groups: SystemGroups, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(system_groups, "LEARN_SECONDS", 0.1)

    assert not groups.learn("ann")


def test_what_is_known_is_told_while_it_is_asked_again(
    groups: SystemGroups, directory: Directory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(system_groups, "FRESH_SECONDS", 0.0)
    directory.answers.set()
    groups.learn("ann")
    directory.answers.clear()
    directory.groups["ann"] = frozenset({"bosses"})

    groups.look_again()
    assert groups.of("ann") == {"clerks"}
    assert groups.changes == 0
    until(lambda: len(directory.asked) == 2)
    directory.answers.set()
    until(lambda: groups.changes)

    assert groups.of("ann") == {"bosses"}


def test_a_system_that_is_away_changes_nothing(groups: SystemGroups, directory: Directory) -> None:
    directory.answers.set()
    groups.learn("ann")
    directory.away = True

    groups.refresh()

    assert groups.of("ann") == {"clerks"}


def test_refresh_counts_at_once(
    groups: SystemGroups, directory: Directory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(system_groups, "LOOKUP_SECONDS", 60.0)
    directory.answers.set()
    groups.learn("ann")
    directory.groups["ann"] = frozenset({"bosses"})

    groups.refresh()

    assert groups.of("ann") == {"bosses"}


def test_a_system_that_is_away_is_asked_less_and_less(
    groups: SystemGroups, directory: Directory, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(system_groups.time, "sleep", pauses.append)
    monkeypatch.setattr(system_groups.time, "monotonic", lambda: sum(pauses))
    directory.answers.set()
    directory.away = True

    assert not groups.learn("ann")

    assert pauses[:4] == [0.05, 0.1, 0.2, 0.4]
    assert max(pauses) <= system_groups.LEARN_PAUSE_SECONDS_MAX


def test_the_oldest_is_forgotten_when_there_are_too_many(
    groups: SystemGroups, directory: Directory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(system_groups, "USERS_MAX", 2)
    directory.answers.set()

    for user in ("ann", "bob", "eve"):
        groups.learn(user)

    assert [groups.knows(user) for user in ("ann", "bob", "eve")] == [False, True, True]
