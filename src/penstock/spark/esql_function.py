"""ESQL in SQL: `penstock_esql(body, 'project/esql/shop.esql:Bill')` runs a Compute module on a column.

The function makes a flow of an input, the Compute and an output, once in a worker, and runs it on each value.
The result is the body of the message that the module propagates: NULL for none, 8405 for several. An error of
the module is one of the query. Nothing is put to queues.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.model.message import Message
from penstock.spark.plain_errors import plain

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import SparkSession

NAME = "penstock_esql"
QUEUE = "PENSTOCK.ESQL"
ESQL_FOLDER = "esql"
MODULES_MAX = 32


def register_esql(spark: SparkSession) -> None:
    """Let a session call `penstock_esql(body, module)` and `penstock_esql(body, module, domain)`."""
    spark.udf.register(NAME, penstock_esql, "binary")


@plain
def penstock_esql(body: bytes | str | None, module: str, domain: str = "XMLNSC") -> bytes | None:
    """Return the body that a Compute module makes of a body; `module` is `path/file.esql:Module`."""
    if body is None:
        return None
    given = body.encode() if isinstance(body, str) else bytes(body)
    return made(str(module), str(domain))(given)


@lru_cache(maxsize=MODULES_MAX)
def made(module: str, domain: str) -> Callable[[bytes], bytes | None]:
    """Return a module as a function of bodies."""
    from penstock.flow import CompiledFlow, Flow, Project, nodes
    from penstock.flow.nodes.mq_input_run import QueueInput
    from penstock.flow.ports import CollectingPorts

    file, _, name = module.rpartition(":")
    path = Path(file).resolve()
    if not name:
        raise error(mq.PSRC_SPARK_OPTION, f"a module is named as path/file.esql:Module, not {module!r}")
    if not path.is_file():
        raise error(mq.PSRC_SPARK_OPTION, f"there is no file {path}, which would have module {name}")
    folder = path.parent.parent if path.parent.name == ESQL_FOLDER else path.parent
    flow = Flow(NAME)
    start = flow.add(nodes.MQInput(QUEUE, domain=domain), name="In")
    compute = flow.add(nodes.Compute(str(path.relative_to(folder)), module=name))
    out = flow.add(nodes.MQOutput(QUEUE))
    start.out >> compute.in_
    compute.out >> out.in_
    ports = CollectingPorts("")
    compiled = CompiledFlow(flow, Project(folder))
    node = compiled.inputs["In"]
    assert isinstance(node, nodes.MQInput)
    started = QueueInput(node, compiled.start(ports).places["In"])

    def run(body: bytes) -> bytes | None:
        ports.outputs.clear()
        started.attempt(Message(body))
        bodies = [output.message.body for output in ports.outputs]
        if len(bodies) > 1:
            raise error(mq.PSRC_SPARK_OPTION, f"module {name} has propagated {len(bodies)} messages, not one")
        return bytes(bodies[0] or b"") if bodies else None

    return run
