"""What others notice: the round trips of sixteen clients while somebody asks for what takes long.

Each client puts to a queue of its own and gets the message again. Beside them one connection asks for the
same thing again and again: displays of very many topics and rules, an export, scripts and calls that are all
size. The first line has nobody beside them; each other one is to be read against it.
"""

from __future__ import annotations

import shutil
import socket
import struct
import tempfile
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter_ns, sleep
from typing import TYPE_CHECKING, Any

import penstock
from penstock.lab.analysis.results import Figures
from penstock.lab.load.queue_server import CHANNEL, DEPTH_MAX, QMGR, QueueServer
from penstock.lab.load.server_process import LOOPBACK
from penstock.model.errors import MQError
from penstock.model.rfh2 import Rfh2
from penstock.protocol import hello
from penstock.protocol import numbers as protocol
from penstock.protocol._frames import Outgoing
from tests.bench.topic_displays import grow

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.lab.analysis.results import Result
    from penstock.lab.load.crew import Observation, Role
    from penstock.lab.load.setting import Setting

CLIENTS = 16
CLIENT, STRANGER = "client", "stranger"
BODY = bytes(200)
DEEP = "DEEP"
SEE = "SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('bench') AUTHADD(DSP)"
LARGE = bytes(100 << 20)
LARGE_Q = "LARGE"
MAXMSGL = len(LARGE)
EMPTY_LISTS = b"\x92\xa6status\x81\xa1a\xdd" + struct.pack(">I", 3_000_000) + b"\x90" * 3_000_000
PROPERTIES = Rfh2((f"<usr>{''.join(f'<p{n}>v</p{n}>' for n in range(200_000))}</usr>",)).pack()
RESPITE_SECONDS = 0.01  # between two refusals

Act = "Callable[[QueueServer, Any], None]"


def measure(setting: Setting) -> Iterator[Result]:
    topics, rules = setting.size(200_000, 20_000), setting.size(20_000, 2_000)
    queues = [f"DEFINE QLOCAL(C.{number}) MAXDEPTH({DEPTH_MAX})" for number in range(CLIENTS)]
    blocks = [
        f"SET CHLAUTH('R.{n}') TYPE(ADDRESSMAP) ADDRESS('10.0.0.1') USERSRC(NOACCESS)" for n in range(rules)
    ]
    home = Path(tempfile.mkdtemp(dir=setting.folder))
    large = (
        f"ALTER QMGR MAXMSGL({MAXMSGL})",
        f"ALTER CHANNEL({CHANNEL}) CHLTYPE(SVRCONN) MAXMSGL({MAXMSGL})",
        f"DEFINE QLOCAL({LARGE_Q}) MAXMSGL({MAXMSGL})",
    )
    deep = f"DEFINE QLOCAL({DEEP}) MAXDEPTH({DEPTH_MAX})"
    server = QueueServer(home, (*queues, *large, deep, SEE, "\n".join(blocks)))
    columns = ("beside them", "round trips /s", "p99, ms", "longest, ms", "times asked /s")
    table = Figures(f"{CLIENTS} clients, {topics:,} topics, {rules:,} rules", columns)
    try:
        with server.connect_locally() as qm:
            grow(qm, topics)
            for _ in range(setting.size(20, 4)):
                qm.put_many(DEEP, [BODY] * 5000, persistent=False)
            for number in range(setting.size(20_000, 2_000)):
                qm.publish(f"retained/{number}", BODY, retain=True, persistent=False)
        for name, act in ACTS.items():
            seen = [observed(setting, server, act) for _ in range(setting.repeats)]
            table.lines.append([name, *figures(seen)])
    finally:
        server.stop()
        shutil.rmtree(home, ignore_errors=True)
    yield table


def figures(seen: list[Observation]) -> list[str]:
    return [
        f"{median(each.rates[CLIENT] for each in seen):,.0f}",
        f"{median(each.percentile_ms(CLIENT, 99) for each in seen):.1f}",
        f"{max(each.percentile_ms(CLIENT, 100) for each in seen):.1f}",
        f"{median(each.rates.get(STRANGER, 0.0) for each in seen):.1f}",
    ]


def observed(setting: Setting, server: QueueServer, act: Any) -> Observation:
    tasks: list[Any] = [(CLIENT, partial(goes_round, server=server))] * CLIENTS
    if act is not None:
        tasks.append((STRANGER, partial(asks, server=server, act=act)))
    with setting.crew(tasks) as crew:
        return crew.observe(0.5, 1.5 if setting.quick else 5.0, {server.process.session})


def goes_round(role: Role, *, server: QueueServer) -> None:
    """Put a message and get it again, for ever."""
    queue = f"C.{role.place}"
    with server.connect() as qm:
        role.ready()
        while True:
            began = perf_counter_ns()
            qm.put(queue, BODY, persistent=False)
            assert qm.get(queue) is not None
            role.took(perf_counter_ns() - began)


def asks(role: Role, *, server: QueueServer, act: Any) -> None:
    """Ask for the same thing for ever."""
    with server.connect_locally() as qm:
        role.ready()
        while True:
            act(server, qm)
            role.count()


def displays(text: str) -> Any:
    def act(server: QueueServer, qm: Any) -> None:
        for _ in qm.mqsc_script([text]):
            pass

    return act


def exports(server: QueueServer, qm: Any) -> None:
    qm.export(everything=True)


def publishes_long(server: QueueServer, qm: Any) -> None:
    try:
        qm.publish("a/" * 20_000, b"")
    except MQError:
        sleep(RESPITE_SECONDS)


def calls_with_lists(server: QueueServer, qm: Any) -> None:
    call_with_lists(server.process.port)


def call_with_lists(port: int) -> None:
    """Make a call whose arguments are very many empty lists; it is refused."""
    facts = {"qmgr": QMGR, "channel": CHANNEL, "user": "", "application": "strangers", "process": 1}
    with socket.create_connection((LOOPBACK, port)) as sock:
        sock.sendall(_frame(protocol.HELLO, hello.pack(facts), 0))
        sock.recv(65536)
        sock.sendall(_frame(protocol.CALL, EMPTY_LISTS, 1))
        sock.recv(65536)


def continues_lines(server: QueueServer, qm: Any) -> None:
    qm.mqsc("+\n" * 1_000_000)


def selects_in_a_deep_queue(server: QueueServer, qm: Any) -> None:
    qm.get(DEEP, selector="JMSMessageID LIKE '%x%y%z%' OR colour = 'red'")


def puts_100_mb(server: QueueServer, qm: Any) -> None:
    qm.put(LARGE_Q, LARGE, persistent=False)
    qm.get(LARGE_Q)


def puts_100_mb_on_disk(server: QueueServer, qm: Any) -> None:
    qm.put(LARGE_Q, LARGE, persistent=True)
    qm.get(LARGE_Q)


def calls_with_100_mb(server: QueueServer, qm: Any) -> None:
    qm.put(LARGE_Q, LARGE, persistent=False, properties={"colour": "red"})
    qm.get(LARGE_Q)


def sends_a_script_of_16_mb(server: QueueServer, qm: Any) -> None:
    qm.mqsc("* nothing\n" * 1_600_000)


def commands_with_topics(server: QueueServer, qm: Any) -> None:
    names = "".join(f"<Topic>c/{n}</Topic>" for n in range(250))
    for command in ("Publish", "RegSub", "DeregSub"):
        folder = f"<psc><Command>{command}</Command>{names}<QName>{LARGE_Q}</QName></psc>"
        qm.put("SYSTEM.BROKER.CONTROL.QUEUE", Rfh2((folder,)).pack(), format="MQHRF2")


def puts_many_properties(server: QueueServer, qm: Any) -> None:
    qm.put(LARGE_Q, PROPERTIES, format="MQHRF2", persistent=False)
    qm.get(LARGE_Q)


def subscribes_to_retained(server: QueueServer, qm: Any) -> None:
    qm.subscribe("retained/#").close()


def subscribes_by_long_patterns(server: QueueServer, qm: Any) -> None:
    with qm.subscribe("#/a" * 16), qm.subscribe("*a" * 128, wildcard="char"):
        qm.publish("/".join("a" * 999), b"")


def gets_a_group_from_a_deep_queue(server: QueueServer, qm: Any) -> None:
    with qm.open(DEEP, penstock.Open.BROWSE) as handle:
        handle.get(options=penstock.Get.LOGICAL_ORDER | penstock.Get.BROWSE_FIRST, quiet=True)


def _frame(kind: int, payload: bytes, conversation: int) -> bytes:
    out = Outgoing()
    out.frame(kind, 0, conversation, 1, 0, payload)
    return b"".join(out.take())


ACTS: dict[str, Any] = {
    "nobody": None,
    "DISPLAY TPSTATUS('#')": displays("DISPLAY TPSTATUS('#')"),
    "DISPLAY CHLAUTH(*)": displays("DISPLAY CHLAUTH('*') ALL"),
    "DISPLAY TPSTATUS with WHERE": displays("DISPLAY TPSTATUS('#') WHERE(TOPICSTR EQ 'x')"),
    "export": exports,
    "publish, 20,000 levels": publishes_long,
    "call of 3,000,000 lists": calls_with_lists,
    "MQSC, 1,000,000 continued lines": continues_lines,
    "get by selector, deep queue": selects_in_a_deep_queue,
    "put and get of 100 MB": puts_100_mb,
    "the same, persistent": puts_100_mb_on_disk,
    "the same, with a property": calls_with_100_mb,
    "MQSC, 16 MB": sends_a_script_of_16_mb,
    "psc commands of 250 topics": commands_with_topics,
    "MQRFH2 of 200,000 properties": puts_many_properties,
    "subscribe, many retained": subscribes_to_retained,
    "patterns of 16 # and 128 *": subscribes_by_long_patterns,
    "group get, deep queue": gets_a_group_from_a_deep_queue,
}
