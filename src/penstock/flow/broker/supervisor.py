"""Turns the desired state into running workers: reads the state file, fills and empties slots, reports
status.

One thread, one loop. A flow that is deployed again is drained first: its workers complete their unit of work,
then those of the new version start, so that two versions never read the same queue. When a broker is killed,
its workers end too; the next start reads everything from the file.
"""

from __future__ import annotations

import logging
import os
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from penstock.flow.broker.deployments import deployments_of
from penstock.flow.broker.home import write_json
from penstock.flow.broker.job import Job
from penstock.flow.broker.logs import trim_logs
from penstock.flow.broker.worker_slot import Slot

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator

    from penstock.flow.broker.deployments import Deployment
    from penstock.flow.broker.home import BrokerHome

    Key = tuple[str, str, int]  # deployment or group, flow, instance

logger = logging.getLogger(__name__)
TICK_SECONDS = 0.1
HTTP = "http"  # the worker for all flows of a group that share ports


class Supervisor:
    """The broker's loop. `user` and `password` are for a queue manager's address."""

    def __init__(
        self,
        home: BrokerHome,
        qmgr: str,
        user: str = "",
        password: str | None = None,
        *,
        log_json: bool = False,
        log_data: bool = False,
        counters: bool = False,
    ) -> None:
        self.home = home
        self.qmgr = qmgr
        self.user = user
        self.password = password
        self.log_json = log_json
        self.log_data = log_data
        self.counters = counters
        self.slots: dict[Key, Slot] = {}
        self.leaving: list[Slot] = []
        self._generation = -1
        self._wanted: dict[Key, Job] = {}
        self._told: Any = None

    def run(self, stop: threading.Event) -> None:
        """Keep everything running until stopped; then let every worker complete its unit of work."""
        while not stop.is_set():
            self.step()
            stop.wait(TICK_SECONDS)
        self._wanted = {}
        while self.slots or self.leaving:
            self._settle()
            time.sleep(TICK_SECONDS)
        self.tell()

    def step(self) -> None:
        """Check the state file and every worker, once."""
        state = self.home.read_deployed()
        if state["generation"] != self._generation:
            self._generation = state["generation"]
            self._wanted = self._wanted_by(list(deployments_of(state).values()))
        self._settle()
        trim_logs(self.home.logs)
        self.tell()

    def _wanted_by(self, deployments: list[Deployment]) -> dict[Key, Job]:
        """Return the workers that the deployments need; flows of a group that serve HTTP share one."""
        wanted: dict[Key, Job] = {}
        serving: dict[str, list[Job]] = {}
        for each in sorted(deployments, key=lambda each: each.key):
            for job, workers in self._jobs(each):
                if job.flow in each.serving:
                    serving.setdefault(each.group, []).append(job)
                else:
                    wanted |= {(each.key, job.flow, number): job for number in range(workers)}
        for group, jobs in serving.items():
            wanted[group, HTTP, 0] = replace(jobs[0], beside=jobs[1:])
        return wanted

    def _jobs(self, deployment: Deployment) -> Iterator[tuple[Job, int]]:
        """Yield the jobs of a deployment: one worker per instance, or one worker with threads if they share
        state.
        """
        for flow, tied in deployment.flows.items():
            count = deployment.instances_of(flow)
            if not count:
                continue
            workers, threads = (1, count) if tied else (count, 1)
            job = Job(
                project=str(deployment.folder(self.home)),
                flow=flow,
                qmgr=self.qmgr,
                properties=deployment.properties,
                threads=threads,
                broker=self.home.name,
                group=deployment.group,
                user=self.user,
                password=self.password,
                failures=str(self.home.failures),
                log_json=self.log_json,
                log_data=self.log_data,
                counters=self.counters,
            )
            yield job, workers

    def _settle(self) -> None:
        """Empty the slots that are no longer needed, fill those that are."""
        for key, slot in list(self.slots.items()):
            if self._wanted.get(key) != slot.job:
                slot.leave()
                self.leaving.append(self.slots.pop(key))
        for slot in (*self.leaving, *self.slots.values()):
            slot.step()
        self.leaving = [slot for slot in self.leaving if not slot.empty]
        for key, job in self._wanted.items():
            if key not in self.slots and not self._still_leaving(job):
                log = self.home.logs / f"{job.group}.log"
                self.slots[key] = Slot(job, key[2], log)
                self.slots[key].step()

    def _still_leaving(self, job: Job) -> bool:
        """Return whether workers of another version, or with other properties, still run one of its flows."""
        flows = {each.flow for each in job.all}
        return any(
            slot.job.group == job.group
            and slot.job != job
            and not flows.isdisjoint(each.flow for each in slot.job.all)
            for slot in self.leaving
        )

    def status(self) -> dict[str, Any]:
        """Return the last status, for other threads."""
        return dict(self._told or {"settled": False, "workers": []})

    def tell(self) -> None:
        """Write the status, if it has changed."""
        workers = [facts for slot in (*self.slots.values(), *self.leaving) for facts in slot.facts()]
        settled = not self.leaving and len(self.slots) == len(self._wanted)
        told = {"generation": self._generation, "settled": settled, "workers": workers}
        if told != self._told:
            self._told = told
            write_json(self.home.status, {**told, "process": os.getpid(), "qmgr": self.qmgr}, durable=False)
