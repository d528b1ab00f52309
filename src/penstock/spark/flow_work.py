"""A flow as work for Spark's tasks: made once in a worker process, called with slices of messages.

`make(arguments)` is named to `fused.start`, `rows(arguments)` to `mapInArrow`. Both load the project, compile
the flow and run it exactly as the inline engine does in batches (`flow.running.trying`): failures are tried
again in memory and led away by the rules of the queue. What the flow puts comes back as outputs.
"""

from __future__ import annotations

import random
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.flow.broker.deployments import digest_of
from penstock.flow.compiled import CompiledFlow
from penstock.flow.nodes.mq_input import MQInput
from penstock.flow.overrides import apply_overrides
from penstock.flow.ports import BackoutRules, CollectingPorts, Output, backout_rules, put_arguments
from penstock.flow.project import Project
from penstock.flow.queue_input import QueueInput
from penstock.flow.running.trying import Tally, Trying
from penstock.model import constants as mq
from penstock.model.constants_reasons import PSRC_FLOW_ENGINE
from penstock.model.errors import error
from penstock.model.message import NEVER
from penstock.qmgr.batch_publishing import TOPIC
from penstock.spark.connection import place_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from penstock.model.message import Message

SEED = "seed"


class FlowWork:
    """A flow in a worker process; `arguments` say which, where its project is, and what was set."""

    def __init__(self, arguments: Mapping[str, Any]) -> None:
        self.ports = CollectingPorts(arguments.get("qmgr", ""), **fixed_sources(arguments))
        project = Project(arguments["project"])
        flow = project.flow(arguments["flow"])
        apply_overrides(flow, arguments.get("set", {}))
        compiled = CompiledFlow(flow, project)
        label = arguments["input"]
        node = compiled.inputs[label]
        assert isinstance(node, MQInput)
        self._options = arguments.get("options", {})
        self._queue = node.queue
        self.tally = Tally()
        started = QueueInput(node, compiled.start(self.ports).places[label])
        self._trying = Trying(started, self.ports, self._rules, self.tally)
        self._databases = project.databases

    def outputs(self, messages: list[Message]) -> list[Output]:
        """Run the flow on messages and return what it put."""
        self.ports.outputs.clear()
        try:
            for message in messages:
                self._trying.run(message)
        finally:
            self._databases.rollback_all()  # lookups end with the slice: nothing was written
        return self.ports.outputs

    def _rules(self) -> BackoutRules:
        if "url" not in self._options:
            return BackoutRules(dead_letter_queue=self._options.get("deadLetterQueue", ""))
        return place_of(self._options).do(lambda qm: backout_rules(qm, self._queue))


def work_arguments(project: str, flow: str, input: str, **more: Any) -> dict[str, Any]:
    """Return what tells a worker which flow to run; a changed project makes other arguments.

    Workers keep what they have loaded, and a Spark that stays keeps its workers: without the stamp they would
    go on with a flow of yesterday.
    """
    return {"project": project, "flow": flow, "input": input, "stamp": digest_of(Path(project)), **more}


def make(arguments: dict[str, Any]) -> Callable[[list[Message]], list[tuple[Any, ...]]]:
    """Make the work of a fused query: messages in, (queue, message) out."""
    work = FlowWork(arguments)

    def run(messages: list[Message]) -> list[tuple[Any, ...]]:
        return [fused_output(output, work.ports.clock()) for output in work.outputs(messages)]

    return run


def fused_output(output: Output, now: float) -> tuple[Any, ...]:
    """Return an output as a batch takes it: ready, or with what the queue manager has yet to set."""
    if output.retain:
        raise error(PSRC_FLOW_ENGINE, f"a batch retains no publication, here of topic {output.topic}")
    message = output.message
    queue = f"{TOPIC}{output.topic}" if output.topic else output.queue
    if output.topic or output.qmgr or not output.options & mq.MQPMO_SET_ALL_CONTEXT:
        details = {name: value for name, value in put_arguments(message).items() if name != "descriptor"}
        own = message.descriptor
        details |= {name: getattr(own, name) for name in own.__slots__}
        return queue, message.body, {**details, "options": output.options, "qmgr": output.qmgr}
    message.put_time = now
    if message.expires_at != NEVER:
        message.expires_at = now + message.remaining
    return queue, message


def fixed_sources(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return clock, ids and randomness that give the same at every run, when a test asks for them."""
    if SEED not in arguments:
        return {}
    chance = random.Random(arguments[SEED])
    return {
        "clock": lambda: float(arguments.get("now", 0.0)),
        "make_uuid": lambda: uuid.UUID(int=chance.getrandbits(128), version=4),
        "randomness": random.Random(arguments[SEED]),
    }
