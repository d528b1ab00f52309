"""The work of the seed's scenarios: driving applications and server applications around two queues.

A driving application puts a request and waits for the reply whose correlation id is the request's message
id; a server application gets requests and puts replies on the common reply queue. Non-persistent work is
outside units, persistent server work inside one, as the report did it.
"""

from __future__ import annotations

from time import perf_counter_ns
from typing import TYPE_CHECKING, Any

from penstock.lab.load.queue_server import DEPTH_MAX

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.face.blocking import BlockingQueueManager
    from penstock.lab.load.bindings import Binding
    from penstock.lab.load.crew import Role, Task

REQUESTS, REPLIES = "REQUESTS", "REPLIES"
DEFINITIONS = [f"DEFINE QLOCAL({queue}) MAXDEPTH({DEPTH_MAX})" for queue in (REQUESTS, REPLIES)]
SERVERS = {False: 4, True: 8}  # server applications, by persistence
WAIT_SECONDS = 30.0
DRIVER, SERVER = "driver", "server"


def round_trip(qm: BlockingQueueManager, body: bytes, persistent: bool) -> None:
    """Do one round trip."""
    receipt = qm.put(REQUESTS, body, persistent=persistent, reply_to=REPLIES)
    assert qm.get(REPLIES, correl_id=receipt.msg_id, wait=WAIT_SECONDS) is not None


def drivers(binding: Binding, apps: int, body: bytes, persistent: bool) -> list[Task]:
    """Return applications without think time."""

    def drive(role: Role) -> None:
        qm = binding.connect()
        role.ready()
        while True:
            began = perf_counter_ns()
            round_trip(qm, body, persistent)
            role.took(perf_counter_ns() - began)

    return [(DRIVER, drive)] * apps


def servers(connect: Callable[[], Any], persistent: bool) -> list[Task]:
    """Return the server applications."""
    serve = _serve_in_units if persistent else _serve

    def run(role: Role) -> None:
        qm = connect()
        role.ready()
        serve(qm, role)

    return [(SERVER, run)] * SERVERS[persistent]


def _serve(qm: BlockingQueueManager, role: Role) -> None:
    while True:
        request = qm.get(REQUESTS, wait=WAIT_SECONDS)
        if request is not None:
            qm.put(request.reply_to, request.body or b"", correl_id=request.msg_id)
            role.count()


def _serve_in_units(qm: BlockingQueueManager, role: Role) -> None:
    while True:
        with qm.unit_of_work():
            request = qm.get(REQUESTS, wait=WAIT_SECONDS)
            if request is not None:
                qm.put(request.reply_to, request.body or b"", correl_id=request.msg_id, persistent=True)
        role.count(request is not None)
