"""People: passwords are checked, logins remembered for a while, groups come from file and system."""

from __future__ import annotations

import getpass
import os
import threading
import time

import pytest

from penstock.host.users import passwords
from penstock.host.users.passwords import RecentLogins, hash_password, matches
from penstock.host.users.system_groups import groups_on_this_machine
from penstock.host.users.user_directory import People, owner_of
from penstock.host.users.users_file import NAME, User, changing_users
from penstock.model.errors import MQError


@pytest.fixture
def people(tmp_path):
    path = tmp_path / NAME
    with changing_users(path) as users:
        users["bob"] = User("bob", frozenset({"sales"}), hash_password("correct horse"))
        users["app"] = User("app", frozenset({"apps"}))
        users["boss"] = User("boss", frozenset({"mqm"}))
    return People(path, "owner")


@pytest.fixture
def hashes(monkeypatch):
    """How many slow hashes were made."""
    made = []
    slow = passwords._hash
    monkeypatch.setattr(passwords, "_hash", lambda *given: (made.append(1), slow(*given))[1])
    return made


def test_passwords(people) -> None:
    assert people.verify("bob", "correct horse")
    assert not people.verify("bob", "wrong horse")
    assert not people.verify("app", "")
    assert not people.verify("nobody", "correct horse")


def test_an_accented_letter_is_the_same_however_it_is_typed() -> None:
    stored = hash_password("caf\u00e9-au-lait")
    assert matches("cafe\u0301-au-lait", stored)


def test_unknown_users_cost_as_much_as_known_ones(people, hashes) -> None:
    people.verify("nobody", "whatever")
    people.verify("app", "whatever")
    assert len(hashes) == 2


def test_an_endless_password_is_refused_before_any_work(people, hashes) -> None:
    assert not people.verify("bob", "x" * 1_000_000)
    assert hashes == []


def test_a_password_that_let_its_user_in_is_remembered(people, hashes) -> None:
    """One that was only right is not: on a channel that lets nobody in its time must not tell."""
    for _ in range(3):
        assert people.verify("bob", "correct horse")
    assert len(hashes) == 3
    assert not people.remembers("bob", "correct horse")
    people.remember("bob", "correct horse")
    for _ in range(3):
        assert people.verify("bob", "correct horse")
    assert people.remembers("bob", "correct horse")
    assert len(hashes) == 3
    for _ in range(3):
        assert not people.verify("bob", "wrong horse")
    assert len(hashes) == 6


def test_the_password_of_last_time_is_expected(people) -> None:
    assert not people.expects("bob", "correct horse")
    people.remember("bob", "correct horse")
    people.remember("nobody", "correct horse")
    assert people.expects("bob", "correct horse")
    assert not people.expects("nobody", "correct horse")
    wrong = sum(people.expects("bob", f"guess {number}") for number in range(1000))
    assert wrong <= 5  # 1 in 65,536 each
    with changing_users(people.users_file) as users:
        users["bob"] = User("bob", frozenset(), hash_password("correct horse"))
    people.refresh()
    assert not people.expects("bob", "correct horse")


def test_a_changed_password_counts_at_once(people) -> None:
    people.remember("bob", "correct horse")
    with changing_users(people.users_file) as users:
        users["bob"] = User("bob", frozenset(), hash_password("battery staple"))
    assert not people.verify("bob", "correct horse")
    assert people.verify("bob", "battery staple")


def test_a_removed_user_is_out_at_once(people) -> None:
    people.remember("bob", "correct horse")
    with changing_users(people.users_file) as users:
        del users["bob"]
    assert not people.verify("bob", "correct horse")
    assert "sales" not in people.groups("bob")


def test_remembered_logins_end_and_are_limited(monkeypatch) -> None:
    logins, stored = RecentLogins(), hash_password("correct horse")
    now = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    logins.add("bob", "correct horse", stored)
    assert logins.knows("bob", "correct horse", stored)
    assert not logins.knows("ann", "correct horse", stored)
    now[0] += passwords.RECENT_SECONDS
    assert not logins.knows("bob", "correct horse", stored)
    for number in range(passwords.RECENT_MAX + 10):
        logins.add(f"u{number}", "correct horse", stored)
    assert len(logins._until) == passwords.RECENT_MAX
    for number in range(passwords.HINTS_MAX + 10):
        logins.add(f"u{number}", "correct horse", stored)
    assert len(logins._hints) == passwords.HINTS_MAX
    assert logins.expects(f"u{number}", "correct horse", stored)


def test_nothing_remembered_holds_a_password() -> None:
    logins, stored = RecentLogins(), hash_password("correct horse")
    logins.add("bob", "correct horse", stored)
    assert b"correct horse" not in b"".join(logins._until)


def test_other_threads_run_while_a_password_is_hashed() -> None:
    started, seen = threading.Event(), []

    def work() -> None:
        started.set()
        hash_password("correct horse")
        seen.append("hashed")

    thread = threading.Thread(target=work)
    thread.start()
    started.wait()
    while thread.is_alive():
        seen.append("other work")
        time.sleep(0)
    assert seen.count("other work") > 1


def test_administrators(people) -> None:
    assert people.administrator_by("owner")
    assert people.administrator_by("root")
    assert people.administrator_by("mqm")
    assert people.administrator_by("boss")
    assert not people.administrator_by("bob")
    assert not people.administrator_by("")


def test_groups_of_this_machine(people, tmp_path) -> None:
    user = owner_of(tmp_path)
    assert groups_on_this_machine(user)
    assert people.groups(user) >= groups_on_this_machine(user)
    assert groups_on_this_machine("no-such-user") == frozenset()
    assert groups_on_this_machine("nul\0name") == frozenset()
    assert user == (getpass.getuser() if os.environ.get("LOGNAME") is None else user)


def test_a_damaged_file_lets_nobody_in(people) -> None:
    people.users_file.write_bytes(b"rubbish")
    with pytest.raises(MQError, match="8017"):
        people.verify("bob", "correct horse")
