"""The settings of a session, and the session itself."""

from __future__ import annotations

import sys

import pytest

from penstock.model.errors import MQError
from penstock.spark.session import QUICK_START, is_local, quick_start, session, settings_for


@pytest.mark.parametrize(
    ("master", "settled"),
    [
        ("local", "local[1,4]"),
        ("local[*]", "local[*,4]"),
        ("local[3]", "local[3,4]"),
        ("local[3,2]", "local[3,2]"),
        ("spark://host:7077", "spark://host:7077"),
    ],
)
def test_a_task_on_this_machine_has_four_attempts(master: str, settled: str) -> None:
    assert settings_for(master, {})["spark.master"] == settled


def test_what_is_given_wins() -> None:
    settings = settings_for("local[2]", {"spark.ui.enabled": "true", "spark.driver.memory": "3g"})

    assert settings["spark.ui.enabled"] == "true"
    assert settings["spark.driver.memory"] == "3g"
    assert settings["spark.sql.shuffle.partitions"] == "2"


def test_a_quick_start_is_for_those_who_say_nothing_of_the_jvm() -> None:
    """Two garbage collectors on one command line are an error of Java's."""
    given = {"spark.driver.extraJavaOptions": "-XX:+UseG1GC"}

    assert quick_start("local[*]", {"spark.ui.enabled": "true"}) == {
        **QUICK_START,
        "spark.ui.enabled": "true",
    }
    assert quick_start("local[*]", given) == given
    assert quick_start("spark://host:7077", {}) == {}


def test_a_cluster_is_not_bound_to_this_machine() -> None:
    assert "spark.driver.host" not in settings_for("spark://host:7077", {})
    assert not is_local("spark://host:7077")


def test_a_connect_address_needs_its_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "grpc", None)

    with pytest.raises(MQError) as caught:
        session("sc://localhost:15002")

    assert caught.value.reason == 8401
