"""Where queue managers live."""

import os
import stat

import pytest

from penstock.host.folders.folder import (
    create_folder,
    delete_folder,
    existing_folder,
    folder_of,
    list_folders,
)
from penstock.model.errors import MQError
from penstock.store.home import penstock_home


def created(name):
    folder = create_folder(name)
    folder.ini.write_text("")
    return folder


def test_home_is_the_variable_unless_an_argument_says_otherwise(tmp_path, monkeypatch):
    monkeypatch.setenv("PENSTOCK_HOME", str(tmp_path / "a"))

    assert penstock_home() == tmp_path / "a"
    assert penstock_home(tmp_path / "b") == tmp_path / "b"


def test_home_is_in_the_users_folder_without_the_variable(monkeypatch, tmp_path):
    monkeypatch.delenv("PENSTOCK_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))

    assert penstock_home() == tmp_path / ".penstock"


@pytest.mark.parametrize("name", ["QM1", "QM.EU/1", "..", ".", "a%b", "/etc/passwd", "_", "A" * 48])
def test_every_legal_name_gets_a_folder_directly_in_home_and_comes_back(name, penstock_home):
    folder = created(name)

    assert folder.path.parent == penstock_home
    assert [each.name for each in list_folders()] == [name]


@pytest.mark.parametrize("name", ["", "A" * 49, "a b", "a\0b", "a&b", "ä", "a\n", "mq://host"])
def test_an_illegal_name_is_refused_with_2058(name):
    with pytest.raises(MQError) as failure:
        folder_of(name)

    assert failure.value.reason == 2058


def test_folders_are_for_their_owner_alone():
    folder = created("QM1")

    for path in (folder.path, folder.log, folder.queues, folder.errors):
        assert stat.S_IMODE(path.stat().st_mode) == 0o700


def test_a_second_creation_is_refused_and_changes_nothing():
    folder = created("QM1")
    (folder.log / "kept").write_text("x")

    with pytest.raises(MQError) as failure:
        create_folder("QM1")

    assert failure.value.reason == 8008
    assert (folder.log / "kept").exists()


def test_an_unfinished_creation_is_no_queue_manager_and_may_be_repeated():
    create_folder("QM1")

    assert list_folders() == []
    assert created("QM1").exists()


def test_an_unknown_queue_manager_is_2058_and_says_which_there_are():
    created("QM1")

    with pytest.raises(MQError, match="QM1") as failure:
        existing_folder("QM2")

    assert failure.value.reason == 2058


def test_delete_removes_everything():
    folder = created("QM1")
    (folder.queues / "file").write_text("x")

    delete_folder(folder)

    assert not folder.path.exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_home_is_8006(penstock_home):
    penstock_home.mkdir(mode=0o500)

    with pytest.raises(MQError) as failure:
        create_folder("QM1")

    assert failure.value.reason == 8006


def test_a_home_that_is_a_file_is_8006(penstock_home):
    penstock_home.write_text("not a folder")

    with pytest.raises(MQError) as failure:
        create_folder("QM1")

    assert failure.value.reason == 8006
