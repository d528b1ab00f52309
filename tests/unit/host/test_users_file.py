"""The users file: what is written is read, what is damaged is refused, and nobody else may look."""

from __future__ import annotations

import stat
import threading

import pytest

from penstock.host.users.passwords import Hashed, check_password, hash_password
from penstock.host.users.users_file import (
    NAME,
    User,
    changing_users,
    check_groups,
    check_new,
    identity_of,
    known_user,
    read_users,
)
from penstock.model.errors import MQError
from tests.uncompiled import ROOT

SAMPLE = ROOT / "tests" / "data" / "formats" / "users-1.auth"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "home" / NAME


@pytest.fixture
def written(path):
    with changing_users(path) as users:
        users["bob"] = User("bob", frozenset({"sales", "west"}), Hashed(b"s" * 32, b"h" * 32, 2, 1, 1))
        users["app"] = User("app")
    return path


def test_users_are_read_as_they_were_written(written) -> None:
    users = read_users(written)
    assert users["bob"].groups == {"sales", "west"}
    assert users["bob"].password == Hashed(b"s" * 32, b"h" * 32, 2, 1, 1)
    assert users["app"].password is None


def test_the_file_is_its_owners_alone(written) -> None:
    assert stat.S_IMODE(written.stat().st_mode) == 0o600


def test_no_file_is_no_users(path) -> None:
    assert read_users(path) == {}
    assert identity_of(path) is None


def test_a_change_is_a_new_identity_and_leaves_no_passing_file(written) -> None:
    before = identity_of(written)
    with changing_users(written) as users:
        del users["app"]
    assert identity_of(written) != before
    assert sorted(each.name for each in written.parent.iterdir()) == [NAME, f"{NAME}.lock"]


def test_an_error_changes_nothing(written) -> None:
    before = written.read_bytes()
    with pytest.raises(MQError, match="8060"), changing_users(written) as users:
        known_user({}, users.pop("bob").name)
    assert written.read_bytes() == before


@pytest.mark.parametrize("place", [0, 9, 50, 60, -1])
def test_a_damaged_file_is_refused(written, place) -> None:
    data = bytearray(written.read_bytes())
    data[place] ^= 0xFF
    written.write_bytes(bytes(data))
    with pytest.raises(MQError) as failure:
        read_users(written)
    assert failure.value.reason in (8017, 8003)


@pytest.mark.parametrize("length", [0, 1, 47, 48, 51])
def test_a_file_cut_short_is_refused(written, length) -> None:
    written.write_bytes(written.read_bytes()[:length])
    with pytest.raises(MQError, match="8017"):
        read_users(written)


def test_parameters_that_would_cost_gigabytes_are_refused(path) -> None:
    with changing_users(path) as users:
        users["bob"] = User("bob", frozenset(), Hashed(b"s" * 32, b"h" * 32, 1 << 30, 8, 1))
    with pytest.raises(MQError, match="8017"):
        read_users(path)


def test_many_writers_lose_nothing(path) -> None:
    def add(number: int) -> None:
        with changing_users(path) as users:
            users[f"u{number}"] = User(f"u{number}")

    threads = [threading.Thread(target=add, args=(number,)) for number in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(read_users(path)) == 10


def test_names_groups_and_passwords_have_rules(written) -> None:
    with pytest.raises(MQError, match="8061"):
        check_new(written, "bob")
    for name in ("", "thirteen-long", "two words", "tab\t"):
        with pytest.raises(MQError, match="8042"):
            check_new(written, name)
    for group in ("", "a b", "x" * 65):
        with pytest.raises(MQError, match="8042"):
            check_groups([group])
    for password in ("short", "x" * 257, "line\nbreaks are not"):
        with pytest.raises(MQError, match="8062"):
            check_password(password)


def test_the_format_of_the_first_release_stays_readable() -> None:
    users = read_users(SAMPLE)
    assert sorted(users) == ["app", "bob"]
    assert users["bob"].groups == {"sales", "west"}
    assert users["bob"].password is not None
    assert users["bob"].password.cost == 1 << 14


def test_two_hashes_of_one_password_differ() -> None:
    assert hash_password("correct horse").hash != hash_password("correct horse").hash
