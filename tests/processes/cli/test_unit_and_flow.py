"""Commands for what waits for a decision: prepared units and reservations."""

import json

import pytest

import penstock
from tests.command_forks import run_command

pytestmark = pytest.mark.installed


def run(*arguments):
    return run_command(*arguments)


@pytest.fixture
def prepared():
    """QM1 with a unit, prepared as T1, that has put to ORDERS."""
    with penstock.embed("QM1", create=True) as qm:
        qm.mqsc("DEFINE QLOCAL(ORDERS) DEFPSIST(YES)")
        qm.begin()
        qm.put("ORDERS", b"apples")
        qm.prepare("T1")


def body_on_orders():
    with penstock.embed("QM1") as qm:
        message = qm.get("ORDERS")
        return None if message is None else message.body


def test_a_prepared_unit_is_listed_and_committed(prepared) -> None:
    listed = json.loads(run("unit", "list", "--json").stdout)
    assert [(each["xid"], each["puts"], each["queues"]) for each in listed] == [("T1", 1, ["ORDERS"])]

    assert run("unit", "commit", "T1").returncode == 0

    assert body_on_orders() == b"apples"
    assert json.loads(run("unit", "list", "--json").stdout) == []


def test_a_prepared_unit_is_backed_out(prepared) -> None:
    assert run("unit", "backout", "T1").returncode == 0

    assert body_on_orders() is None


def test_an_unknown_unit_is_an_error_with_its_number(prepared) -> None:
    done = run("unit", "commit", "NOBODY")

    assert done.returncode == 1
    assert "8021" in done.stderr


def test_reservations_are_listed_and_released() -> None:
    with penstock.embed("QM1", create=True) as qm:
        qm.mqsc("DEFINE QLOCAL(ORDERS) DEFPSIST(YES)")
        qm.put("ORDERS", b"apples")
        epoch = qm.batches.new_epoch("nightly")
        qm.batches.reserve("nightly", "ORDERS", after=0, epoch=epoch)
    listed = json.loads(run("flow", "reservations", "list", "--json").stdout)
    assert [(each["flow"], each["n"], each["rows"]) for each in listed] == [("nightly", 1, 1)]
    assert "nightly" in run("flow", "reservations", "list").stdout

    assert "did you mean nightly?" in run("flow", "reservations", "release", "nihgtly").stderr
    assert run("flow", "reservations", "release", "nightly").returncode == 0

    assert body_on_orders() == b"apples"


def test_a_flow_is_offered_with_its_input() -> None:
    with penstock.embed("QM1", create=True) as qm:
        qm.batches.new_epoch("shop/MQInput")

    done = run("flow", "reservations", "release", "shop")

    assert done.returncode == 1
    assert "there is no flow shop; did you mean shop/MQInput?" in done.stderr
