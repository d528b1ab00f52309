"""`flow check --qmgr` finds what an open or a put of the flow would be refused for, before a deployment."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING

import pytest

import penstock
from penstock.flow import Flow, nodes
from penstock.flow.queue_checking import QueueChecker
from tests.flow_station import PENSTOCK, Station

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

OBJECTS = """
ALTER QMGR DEADQ(DEAD)
DEFINE QLOCAL(DEAD)
DEFINE QLOCAL(GOOD)
DEFINE QLOCAL(NO.PUT) PUT(DISABLED)
DEFINE QLOCAL(NO.GET) GET(DISABLED)
DEFINE QLOCAL(BAD.BACKOUT) BOTHRESH(3) BOQNAME(NOWHERE)
DEFINE QALIAS(ALIAS) TARGET(GOOD)
DEFINE QALIAS(ALIAS.NO.PUT) TARGET(NO.PUT)
DEFINE QALIAS(ALIAS.NOWHERE) TARGET(NOWHERE)
DEFINE QALIAS(ALIAS.ALIAS) TARGET(ALIAS)
DEFINE QALIAS(ALIAS.TOPIC) TARGET(NO.TOPIC) TARGTYPE(TOPIC)
DEFINE QLOCAL(XMIT) USAGE(XMITQ)
DEFINE QREMOTE(FAR) RNAME(X) RQMNAME(QM2) XMITQ(XMIT)
DEFINE QREMOTE(FAR.NO.XMIT) RNAME(X) RQMNAME(QM2)
DEFINE QREMOTE(FAR.BAD.XMIT) RNAME(X) RQMNAME(QM2) XMITQ(GOOD)
DEFINE QREMOTE(FAR.GONE.XMIT) RNAME(X) RQMNAME(QM2) XMITQ(NOWHERE)
DEFINE QMODEL(MODEL)
"""


@pytest.fixture
def checker(tmp_path: Path) -> Iterator[QueueChecker]:
    with penstock.embed("QM1", create=True, home=tmp_path) as qm:
        for command in OBJECTS.strip().splitlines():
            assert not any(reply.failed for reply in qm.mqsc(command)), command
        yield QueueChecker(qm)


def found(checker: QueueChecker, source: str, target: str, **properties: str) -> list[str]:
    flow = Flow("f")
    start = flow.add(nodes.MQInput(source), name="in")
    end = flow.add(nodes.MQOutput(target, **properties), name="out")
    start.out >> end.in_
    return [str(each) for each in checker.check(flow)]


@pytest.mark.parametrize("target", ["GOOD", "ALIAS", "FAR", "DEAD"])
def test_nothing_is_wrong(checker: QueueChecker, target: str) -> None:
    assert found(checker, "ALIAS" if target == "ALIAS" else "GOOD", target) == []


@pytest.mark.parametrize(
    ("target", "text"),
    [
        ("NOWHERE", "error: out: there is no queue NOWHERE at QM1 (2085)"),
        ("ALIAS.NOWHERE", "error: out: alias ALIAS.NOWHERE is of queue NOWHERE, which does not exist (2082)"),
        ("ALIAS.ALIAS", "error: out: alias ALIAS.ALIAS is of ALIAS, which is a QALIAS (2001)"),
        ("ALIAS.TOPIC", "error: out: alias ALIAS.TOPIC is of topic NO.TOPIC, which does not exist (2082)"),
        ("NO.PUT", "warning: out: queue NO.PUT has PUT(DISABLED) (2051)"),
        ("ALIAS.NO.PUT", "warning: out: queue NO.PUT has PUT(DISABLED) (2051)"),
        (
            "FAR.NO.XMIT",
            "error: out: queue FAR.NO.XMIT: there is no transmission queue QM2 and no DEFXMITQ (2087)",
        ),
        (
            "FAR.BAD.XMIT",
            "error: out: queue FAR.BAD.XMIT: GOOD is no transmission queue, USAGE(XMITQ) (2092)",
        ),
        (
            "FAR.GONE.XMIT",
            "error: out: queue FAR.GONE.XMIT: its transmission queue NOWHERE does not exist (2196)",
        ),
        ("MODEL", "error: out: queue MODEL is a model queue: every open would make another queue"),
    ],
)
def test_outputs(checker: QueueChecker, target: str, text: str) -> None:
    assert found(checker, "GOOD", target) == [text]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("NOWHERE", "error: in: there is no queue NOWHERE at QM1 (2085)"),
        ("NO.GET", "warning: in: queue NO.GET has GET(DISABLED) (2016)"),
        ("FAR", "error: in: queue FAR is a remote one: nothing can be got from it (2045)"),
        (
            "BAD.BACKOUT",
            "error: in: backout queue of BAD.BACKOUT: there is no queue NOWHERE at QM1 (2085)",
        ),
    ],
)
def test_inputs(checker: QueueChecker, source: str, text: str) -> None:
    assert found(checker, source, "GOOD") == [text]


def test_another_queue_manager(checker: QueueChecker) -> None:
    assert found(checker, "GOOD", "X", qmgr="XMIT") == []
    (text,) = found(checker, "GOOD", "X", qmgr="QM9")
    assert text.endswith("there is no transmission queue QM9 and no DEFXMITQ (2087)")


@pytest.mark.installed
def test_the_command(tmp_path: Path) -> None:
    station = Station(tmp_path)  # not running: the command opens it
    station.write(
        "flows/copy.py", (station.project / "flows/copy.py").read_text().replace('"OUT"', '"NOWHERE"')
    )
    command = [*PENSTOCK, "flow", "check", str(station.project), "--json"]

    plain = subprocess.run(command, env=station.env, capture_output=True, text=True, timeout=60, check=False)
    looked = subprocess.run(
        [*command, "--qmgr", "QM1"], env=station.env, capture_output=True, text=True, timeout=60, check=False
    )

    assert (plain.returncode, json.loads(plain.stdout)[0]["engine"]) == (0, "spark")
    assert looked.returncode == 1
    (report,) = json.loads(looked.stdout)
    assert report["engine"] == ""
    assert {"severity": "error", "node": "out", "text": "there is no queue NOWHERE at QM1 (2085)"} in report[
        "findings"
    ]
