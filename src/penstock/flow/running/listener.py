"""Drives an input node: gets or waits for messages, runs the flow on each, ends the unit of work.

Every input node defines its listener: `InputNode.listener` makes a `Listener` for one running instance.
Runners (the foreground command, execution groups, tests) call `listener_for` for every node in
`CompiledFlow.driven` and give each listener its own thread. They own the connections that `connect` makes; a
listener does not close them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable

    from penstock.flow.graph.compiled import CompiledFlow
    from penstock.flow.running.pausing import Pause
    from penstock.flow.running.retrying import Tally


class Listener(Protocol):
    """One instance of a flow at one of its inputs. Used by one thread; `tally` may be read by others."""

    tally: Tally
    pause: Pause

    def run(self, stop: threading.Event, until_empty: bool = False) -> None:
        """Work until stopped, or until there is nothing to do at the moment."""


def repeat(
    step: Callable[[], int], pause: Callable[[], float], stop: threading.Event, until_empty: bool
) -> None:
    """Call `step` until stopped. If it did nothing, wait `pause()` seconds, or end if `until_empty`."""
    while not stop.is_set():
        done = step()
        if until_empty and not done:
            return
        if not done:
            stop.wait(pause())


def listener_for(flow: CompiledFlow, label: str, connect: Callable[[], Any], **options: Any) -> Listener:
    """Return the listener for an input of a flow.

    `connect` returns a connection to the queue manager. Options: `batch` (messages per unit, for queues),
    `deployment`, `sources` (clock, ids, randomness), and those of `CompiledFlow.start`.
    """
    return flow.driven[label].listener(flow, label, connect, **options)
