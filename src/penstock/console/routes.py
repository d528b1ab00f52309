"""Which address shows which page, and which one does which act."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.console.acts import messages as acts
from penstock.console.acts.dead_letters import redrive
from penstock.console.acts.flows import deploy, flow_act
from penstock.console.acts.mqsc import mqsc_page, mqsc_run
from penstock.console.acts.step import step, step_page
from penstock.console.acts.trial import trial, trial_page
from penstock.console.pages.audit import audit
from penstock.console.pages.channels import access, channel_act, channels
from penstock.console.pages.charts import charts
from penstock.console.pages.dead_letters import dlq, letters
from penstock.console.pages.flows import flow, flows
from penstock.console.pages.follow import follow, follow_act
from penstock.console.pages.measurements import measurements
from penstock.console.pages.messages import export, message, messages
from penstock.console.pages.overview import overview
from penstock.console.pages.queue import queue
from penstock.console.pages.queues import queues
from penstock.console.pages.runs import run
from penstock.console.pages.topics import listen, listening, publish, topics
from penstock.console.pages.topology import topology

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
    "/dlq": dlq,
    "/letters": letters,
    "/topics": topics,
    "/listen": listening,
    "/channels": channels,
    "/access": access,
    "/flows": flows,
    "/flow": flow,
    "/follow": follow,
    "/run-on-spark": run,
    "/trial": trial_page,
    "/step": step_page,
    "/map": topology,
    "/charts": charts,
    "/measurements": measurements,
    "/mqsc": mqsc_page,
    "/audit": audit,
}
ACTS: dict[str, Callable[[Visit], Any]] = {
    "/put": acts.put,
    "/plan": acts.plan,
    "/run": acts.run,
    "/job": acts.job_stop,
    "/pause": acts.pause,
    "/redrive": redrive,
    "/publish": publish,
    "/listen": listen,
    "/deploy": deploy,
    "/follow": follow_act,
    "/channel": channel_act,
    "/flow": flow_act,
    "/trial": trial,
    "/step": step,
    "/mqsc": mqsc_run,
}
