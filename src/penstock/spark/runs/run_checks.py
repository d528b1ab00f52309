"""What is refused before a run starts: flows without guarantees, unknown queues, addresses out of reach."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from penstock.client.address import is_address
from penstock.flow.engines import why_not_spark
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.spark.remote_queue_manager import BROKEN, depth_of, queue_manager_of
from penstock.spark.runs.spark_run import input_queues
from penstock.spark.starting.session import is_local

if TYPE_CHECKING:
    from penstock.flow.graph.compiled import CompiledFlow
    from penstock.spark.runs.spark_run import SparkRun


def check(flow: CompiledFlow, url: str, master: str) -> None:
    """Refuse a run without the required guarantees: 8305 with the node or the address."""
    reasons = why_not_spark(flow)
    if reasons:
        text = "\n".join(map(str, reasons))
        raise error(mq.PSRC_FLOW_ENGINE, f"flow {flow.name} cannot run on Spark\n{text}", nodes=reasons)
    check_address(url, master)


def check_different(given: SparkRun) -> None:
    """Refuse a queue manager that is named twice: its two queries would take over from each other.

    The id of its folder tells: a QMID has only its name and the second in which it was made.
    """
    known: dict[str, str] = {}
    for run in given.each():
        remote = replace(queue_manager_of(run.source_options()), patience_seconds=0.0)
        try:
            found = remote.do(lambda qm: str(qm.status().incarnation))
        except MQError:
            continue  # it may be lost, and is looked at when it is back; or it does not tell this user
        if found in known:
            text = f"{known[found]} and {run.url} are the same queue manager: name it once"
            raise error(mq.PSRC_SPARK_OPTION, text)
        known[found] = run.url


def check_queues(given: SparkRun) -> None:
    """Refuse a flow that reads a queue that does not exist, before Spark is started: 2085.

    Of several queue managers one may be away, and is looked at when it is back.
    """
    lost: list[MQError] = []
    for run in given.each():
        try:
            remote = queue_manager_of(run.source_options())
            for queue in input_queues(given.compiled()):
                remote.do(partial(depth_of, queue=queue))
        except MQError as failure:
            if failure.reason not in BROKEN:
                raise
            lost.append(failure)
    if len(lost) == len(given.each()):
        raise lost[0]


def check_address(url: str, master: str) -> None:
    """Refuse a queue manager that workers cannot reach: 8305."""
    if not is_local(master) and not is_address(url):
        raise error(
            mq.PSRC_FLOW_ENGINE,
            f"workers of {master} cannot reach queue manager {url} by its name: give an mq:// address",
        )
