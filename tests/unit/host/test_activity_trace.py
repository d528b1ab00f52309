"""Activity trace and resource topics: who subscribes gets it, and nobody else pays."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest

import penstock
from penstock.model.pcf import decode_pcf
from penstock.model.pcf_names import describe
from tests.patience import until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from penstock.host.queue_manager import QueueManager

TOP = "$SYS/MQ/INFO/QMGR/QM1"
QUEUE = "SYSTEM.ADMIN.TRACE.ACTIVITY.QUEUE"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def qm(home: Path) -> Iterator[QueueManager]:
    with penstock.embed("QM1", create=True, application="watcher", home=home) as found:
        found.mqsc("DEFINE QLOCAL(Q)\nDEFINE QLOCAL(OTHER)", check=True)
        yield found


def plain(message: Any) -> dict[str, Any]:
    about = describe(decode_pcf(message.body or b""))
    return {"command": about["command"], "type": about["type"], **about["parameters"]}


def operations(found: list[dict[str, Any]]) -> list[tuple[int, str]]:
    groups = [group for each in found for group in each["MQGACF_ACTIVITY_TRACE"]]
    return [(each["MQIACF_OPERATION_ID"], each.get("MQCACF_OBJECT_NAME", "")) for each in groups]


def test_a_subscriber_to_a_program_gets_its_calls_and_no_others(qm: QueueManager, home: Path) -> None:
    with (
        qm.subscribe(f"{TOP}/ActivityTrace/ApplName/shop") as activity,
        penstock.embed("QM1", application="shop", home=home) as shop,
    ):
        until(lambda: qm.host.engine.tracer is not None)
        qm.put("OTHER", b"not the shop's")
        with shop.unit_of_work():
            shop.put("Q", b"12345", persistent=True)
        shop.get("Q")
        found: list[dict[str, Any]] = []

        def all_there() -> bool:
            while (message := activity.get()) is not None:
                found.append(plain(message))
            return len(operations(found)) >= 3

        until(all_there)
    assert [number for number, _ in operations(found)] == [9, 15, 10]
    assert {name for number, name in operations(found) if number != 15} == {"Q"}
    assert {each["MQCACF_APPL_NAME"] for each in found} == {"shop"}
    assert found[0]["command"] == "MQCMD_ACTIVITY_TRACE"
    put = found[0]["MQGACF_ACTIVITY_TRACE"][0]
    assert (put["MQIACF_MSG_LENGTH"], put["MQIACF_PERSISTENCE"]) == (5, 1)
    watches = qm.host.trace.watches
    watches.update(dict.fromkeys(watches, 0.0))  # as ten seconds later
    until(lambda: qm.host.engine.tracer is None)  # nobody listens any more


def test_actvtrc_writes_what_all_programs_do_and_does_not_trace_itself(qm: QueueManager) -> None:
    qm.mqsc("ALTER QMGR ACTVTRC(ON)", check=True)
    until(lambda: qm.host.engine.tracer is not None)
    qm.put("Q", b"1")
    found = [plain(until(lambda: qm.get(QUEUE)))]
    assert operations(found) == [(9, "Q")]
    qm.host.housekeeping(time.time())
    assert qm.get(QUEUE) is None
    qm.mqsc("ALTER QMGR ACTVTRC(OFF)", check=True)


@pytest.mark.parametrize(
    ("topic", "wanted"),
    [
        ("METADATA/CLASSES", {"CPU", "DISK", "STATMQI", "STATQ"}),
        ("METADATA/STATQ/TYPES", {"PUT", "GET", "GENERAL"}),
    ],
)
def test_what_there_is_can_be_asked_for(qm: QueueManager, topic: str, wanted: set[str]) -> None:
    with qm.subscribe(f"{TOP}/Monitor/{topic}") as asked:
        about = plain(until(asked.get))
    groups = about.get("MQGACF_MONITOR_CLASS") or about["MQGACF_MONITOR_TYPE"]
    names = {each.get("MQCAMO_MONITOR_CLASS") or each["MQCAMO_MONITOR_TYPE"] for each in groups}
    assert names == wanted
    assert all(each["MQCA_TOPIC_STRING"].startswith(f"{TOP}/Monitor/METADATA/") for each in groups)


def test_figures_of_a_queue_are_published_as_the_elements_say(qm: QueueManager) -> None:
    with (
        qm.subscribe(f"{TOP}/Monitor/METADATA/STATQ/PUT/ELEMENTS") as described,
        qm.subscribe(f"{TOP}/Monitor/STATQ/Q/PUT") as figures,
    ):
        about = plain(until(described.get))
        assert about["MQCA_TOPIC_STRING"] == f"{TOP}/Monitor/STATQ/%s/PUT"
        names = {
            each["MQIAMO_MONITOR_ELEMENT"]: each["MQCAMO_MONITOR_DESC"]
            for each in about["MQGACF_MONITOR_ELEMENT"]
        }
        qm.host.housekeeping(time.time() + 10)
        figures.get()
        qm.put("Q", b"123")
        qm.put("Q", b"12345", persistent=True)
        qm.host.housekeeping(time.time() + 30)
        pcf = decode_pcf(until(figures.get).body or b"")
        values = {name: pcf.get(number) for number, name in names.items()}
    assert values["non-persistent puts"] == 1
    assert values["bytes of persistent puts"] == 5
    assert values["failed puts"] == 0
