"""The class archive: written once, used afterwards, never a broken one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from penstock.spark.starting import class_archive
from penstock.spark.starting.java import Java


@pytest.fixture
def java(tmp_path: Path) -> Java:
    home = tmp_path / "java"
    (home / "lib/server").mkdir(parents=True)
    (home / "lib/server/classes.jsa").touch()
    return Java(home, "17.0.1")


@pytest.fixture
def jars(tmp_path: Path) -> Path:
    folder = tmp_path / "jars"
    folder.mkdir()
    (folder / "spark.jar").write_bytes(b"jar")
    return folder


def written(folder: Path, java: Java, jars: Path, size: int) -> Path:
    (option,) = class_archive.options(folder, java, jars)
    path = Path(option.partition("=")[2])
    with path.open("wb") as file:
        file.truncate(size)
    os.utime(path, (0, 0))
    return path


def test_the_first_start_writes_and_the_next_one_uses(tmp_path: Path, java: Java, jars: Path) -> None:
    fresh = written(tmp_path, java, jars, class_archive.ARCHIVE_BYTES_MIN)

    (option,) = class_archive.options(tmp_path, java, jars)

    assert option == f"-XX:SharedArchiveFile={class_archive.path_of(tmp_path, java, jars)}"
    assert not fresh.exists()


def test_remains_of_a_killed_jvm_are_dropped(tmp_path: Path, java: Java, jars: Path) -> None:
    fresh = written(tmp_path, java, jars, 1000)

    (option,) = class_archive.options(tmp_path, java, jars)

    assert option.startswith("-XX:ArchiveClassesAtExit=")
    assert not fresh.exists()


def test_one_that_is_being_written_is_left_alone(tmp_path: Path, java: Java, jars: Path) -> None:
    fresh = written(tmp_path, java, jars, class_archive.ARCHIVE_BYTES_MIN)
    os.utime(fresh)

    (option,) = class_archive.options(tmp_path, java, jars)

    assert option.startswith("-XX:ArchiveClassesAtExit=")
    assert fresh.exists()


def test_other_jars_have_another_archive(tmp_path: Path, java: Java, jars: Path) -> None:
    before = class_archive.path_of(tmp_path, java, jars)

    (jars / "other.jar").write_bytes(b"jar")

    assert class_archive.path_of(tmp_path, java, jars) != before


def test_from_java_25_on_it_is_a_cache_made_in_one_step(tmp_path: Path, java: Java, jars: Path) -> None:
    (option,) = class_archive.options(tmp_path, Java(java.home, "25.0.2"), jars)

    assert option.startswith("-XX:AOTCacheOutput=")


def test_a_java_without_a_base_has_none(tmp_path: Path, jars: Path) -> None:
    assert class_archive.options(tmp_path, Java(tmp_path, "17.0.1"), jars) == []
