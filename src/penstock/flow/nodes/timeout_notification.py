"""TimeoutNotification: starts a flow on a timer.

In mode "automatic" every `interval` seconds, with an empty message; in mode "controlled" when a timeout set
by a TimeoutControl is due, with the message that was stored. LocalEnvironment.TimeoutRequest says which.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.flow.kinds import Kind
from penstock.flow.node import KW_ONLY, InputNode
from penstock.flow.timers.record import QUEUE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from penstock.flow.graph.compiled import CompiledFlow
    from penstock.flow.running.listener import Listener

MODES = ("automatic", "controlled")


class TimeoutNotification(InputNode):
    """Sends messages at set times: `TimeoutNotification("HEARTBEAT", interval=60.0)`.

    With several instances, in any number of processes, each timeout fires once.
    """

    kind = Kind.EFFECT
    state_queues = (QUEUE,)

    identifier: str
    _: KW_ONLY
    mode: str = "automatic"
    interval: float = 1.0

    def check(self) -> Iterable[str]:
        if not self.identifier:
            yield "a TimeoutNotification needs an identifier"
        yield from self.wrong_choices(mode=MODES)
        if self.mode == "automatic" and not self.interval > 0:
            yield "interval is a number of seconds above 0"

    def listener(
        self, flow: CompiledFlow, label: str, connect: Callable[[], Any], **options: Any
    ) -> Listener:
        from penstock.flow.running.timeout_listener import TimeoutListener

        return TimeoutListener(flow, label, connect(), **options)
