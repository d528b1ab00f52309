"""Executors try the nearest address of a queue manager first; members of a cluster get addresses."""

from __future__ import annotations

from penstock.spark.cluster_members import address_of
from penstock.spark.nearest_host import nearest_first


def test_this_machine_comes_before_others() -> None:
    given = "mqs://192.0.2.7:1500,127.0.0.1:1414,[::1]:1415/QM1?channel=APP"

    hosts = nearest_first(given).partition("//")[2].partition("/")[0].split(",")

    assert hosts[0] == "127.0.0.1:1414"
    assert sorted(hosts) == sorted(["192.0.2.7:1500", "127.0.0.1:1414", "[::1]:1415"])
    assert nearest_first(given).endswith("/QM1?channel=APP")


def test_one_host_and_names_stay_as_they_are() -> None:
    assert nearest_first("mq://no.such.host.example:1414/QM1") == "mq://no.such.host.example:1414/QM1"
    assert nearest_first("QM1") == "QM1"


def test_a_member_gets_the_channel_of_the_queue_manager_that_was_asked() -> None:
    assert address_of("mqs://a/QM1?channel=APP", "QM2", "b(1415),c") == "mqs://b:1415,c:1414/QM2?channel=APP"
    assert address_of("QM1", "QM2", "b(1415)") == "mq://b:1415/QM2"
