"""One job on two workers reads the queues of all members of a cluster and writes to one of them.

For `make soak`: members are killed and come back, as often as its scale says, and executors are killed too.
The short case of `make test` is `test_several_queue_managers`, with three queue managers on embedded Spark.
In the end every message is on the one output queue, once: outputs leave their own queue manager by a
transmission queue, in the same step in which the input goes.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from penstock.spark.cluster_members import members
from penstock.spark.runs.spark_run import SparkRun
from tests.cluster_group import Group
from tests.conformance.spark.clusters import DRIVER
from tests.patience import until
from tests.spark import HOME, SCRIPT, SPARK_SECONDS, marks
from tests.uncompiled import ROOT

pytestmark = [*marks, pytest.mark.crash]
NAMES = ("LONDON", "PARIS", "ROME")
CLUSTER = "STOCK"
EACH = 120
FLOW = """
from penstock.flow import Flow, nodes

flow = Flow("collect")
start = flow.add(nodes.MQInput("STOCK.IN"))
out = flow.add(nodes.MQOutput("STOCK.OUT"))
start.out >> out.in_
"""


@pytest.fixture
def group(tmp_path: Path) -> Iterator[Group]:
    running = Group(tmp_path / "home", NAMES)
    running.form(CLUSTER)
    for name in NAMES:
        running.run(name, f"{SCRIPT}\nDEFINE QLOCAL(STOCK.IN) DEFPSIST(YES)")
    running.run(NAMES[0], f"DEFINE QLOCAL(STOCK.OUT) DEFPSIST(YES) MAXDEPTH(999999) CLUSTER({CLUSTER})")
    yield running
    running.stop()


def put(group: Group, name: str, first: int) -> set[int]:
    numbers = range(first, first + EACH)
    group[name].put_many("STOCK.IN", [b"%d" % number for number in numbers], persistent=True)
    return set(numbers)


def out(group: Group) -> list[int]:
    return sorted(int(message.body) for message in group[NAMES[0]].browse("STOCK.OUT"))


@contextmanager
def running_on(cluster: str, given: SparkRun) -> Iterator[subprocess.Popen[str]]:
    """Run a job on a cluster, in a driver of its own."""
    options = {
        **DRIVER,
        "spark.executor.memory": "512m",
        "spark.executorEnv.PENSTOCK_HOME": str(HOME),
        "spark.executorEnv.PYTHONPATH": str(ROOT),
    }
    program = str(ROOT / "tests/conformance/spark/cluster_driver.py")
    driver = subprocess.Popen(
        [sys.executable, program, cluster, json.dumps(options)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert driver.stdin is not None
    print(json.dumps(given.arguments()), file=driver.stdin, flush=True)
    try:
        yield driver
    finally:
        driver.kill()
        driver.communicate()


def wait_for(driver: subprocess.Popen[str], what: Callable[[], Any]) -> None:
    until(lambda: driver.poll() is not None or what(), pause=0.2, seconds=SPARK_SECONDS)
    assert driver.poll() is None, "the driver has ended"


def executors() -> list[int]:
    """Return the executors of this process's cluster."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes()
            ours = f"PYTHONPATH={ROOT}\0".encode() in (folder / "environ").read_bytes()
        except OSError:
            continue
        if ours and b"CoarseGrainedExecutorBackend" in words:
            found.append(int(folder.name))
    return found


@pytest.mark.soak
@pytest.mark.skipif(sys.platform != "linux", reason="finds executors in /proc, and wants two hosts")
def test_a_job_reads_all_members_while_one_is_killed(
    cluster: str, group: Group, tmp_path: Path, scale: int
) -> None:
    dice = random.Random(scale)
    (tmp_path / "flows").mkdir()
    (tmp_path / "flows" / "collect.py").write_text(FLOW)
    url = f"mq://127.0.0.1:{group.ports['LONDON']}/LONDON?channel=APP.SVRCONN"
    told: list[str] = []
    others = members(url, CLUSTER, ["STOCK.IN"], {}, told.append)
    assert (len(others), told) == (2, [])
    numbers: set[int] = set()
    for position, name in enumerate(NAMES):
        numbers |= put(group, name, 1000 * position)
    given = SparkRun(
        str(tmp_path), "collect", url, also=others, checkpoint=str(tmp_path / "ck"), batch_rows=40
    )

    with running_on(cluster, given) as driver:
        wait_for(driver, lambda: len(out(group)) >= EACH)
        for turn in range(1, scale + 1):
            lost, well = dice.sample(NAMES[1:], 2)
            group.kill(lost)
            if turn > 1:
                os.kill(dice.choice(executors()), signal.SIGKILL)
            expected = put(group, well, 10_000 * turn) | put(group, "LONDON", 10_000 * turn + 5000)
            wait_for(driver, lambda expected=expected: expected <= set(out(group)))
            group.start(lost)
            numbers |= expected | put(group, lost, 10_000 * turn + 7000)
        wait_for(driver, lambda: len(out(group)) >= len(numbers))
        assert driver.stdin is not None
        assert driver.stdout is not None
        print("stop", file=driver.stdin, flush=True)
        facts = json.loads(driver.stdout.readline())

    assert out(group) == sorted(numbers)
    assert facts["engine"] == "spark"
    for name in NAMES:
        assert group.depth(name, "STOCK.IN") == 0
