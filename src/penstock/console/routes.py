"""Which address shows which page, and which one does which act."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.console.acts import messages as acts
from penstock.console.acts.mqsc import mqsc_page, mqsc_run
from penstock.console.pages.audit import audit
from penstock.console.pages.messages import export, message, messages
from penstock.console.pages.overview import overview
from penstock.console.pages.queue import queue
from penstock.console.pages.queues import queues

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.console.visit import Visit

PAGES: dict[str, Callable[[Visit], Any]] = {
    "/": overview,
    "/queues": queues,
    "/queue": queue,
    "/messages": messages,
    "/message": message,
    "/export": export,
    "/put": acts.put_page,
    "/plan": acts.plan,
    "/job": acts.job_page,
    "/mqsc": mqsc_page,
    "/audit": audit,
}
ACTS: dict[str, Callable[[Visit], Any]] = {
    "/put": acts.put,
    "/plan": acts.plan,
    "/run": acts.run,
    "/job": acts.job_stop,
    "/pause": acts.pause,
    "/mqsc": mqsc_run,
}
