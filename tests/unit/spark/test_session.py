"""The settings of a session, and the session itself."""

from __future__ import annotations

import socket
import sys

import pytest

from penstock.model.errors import MQError
from penstock.spark.starting.session import (
    QUICK_START,
    check_master,
    is_local,
    quick_start,
    session,
    settings_for,
)


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


@pytest.mark.parametrize("master", ["local[0]", "local[2", "LOCAL[2]", "foo", "mq://host", "local[x]"])
def test_a_master_that_spark_does_not_know_is_refused_before_a_start(master: str) -> None:
    with pytest.raises(MQError, match="is not one of local") as caught:
        check_master(master)

    assert caught.value.reason == 8403


@pytest.mark.parametrize("master", ["", "local", "local[2, 3]", "yarn", "local-cluster[2,1,512]", "k8s://a"])
def test_a_master_that_spark_knows_is_not(master: str) -> None:
    assert passes(master)
    assert not passes(f"x{master}")


def passes(master: str) -> bool:
    try:
        check_master(master)
    except MQError:
        return False
    return True


def test_a_connect_server_that_is_not_there_is_told_of_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("grpc")
    for name in ("grpc_proxy", "https_proxy", "http_proxy"):
        monkeypatch.delenv(name, raising=False)
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))  # nobody listens
        with pytest.raises(MQError, match="no Spark Connect server answers") as caught:
            session(f"sc://127.0.0.1:{nobody.getsockname()[1]}/;use_ssl=false")

    assert caught.value.reason == 8404
