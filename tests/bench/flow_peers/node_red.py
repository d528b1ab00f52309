"""Node-RED from npm, over Mosquitto with QoS 1: XML and JSON nodes around a function node.

A message cannot wait for it as on a queue: Node-RED is started and answers a probe, then messages are
published as quickly as the broker takes them. Its XML nodes are xml2js; filter and route write the document
again, as flows of its users do. `install.sh` installs it.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.lab.load.server_process import LOOPBACK, ServerProcess
from tests.bench.flow_peers.bytewax_flow import PLACE
from tests.bench.flow_peers.engine import FIRST_SECONDS_MAX, Engine, EngineFailed
from tests.ports import free_port

if TYPE_CHECKING:
    from tests.bench.flow_inline import Case

PROGRAM = PLACE / "node-red" / "node_modules" / "node-red" / "red.js"
BROKER = "mosquitto"
FUNCTIONS = {
    "pass": "return msg;",
    "filter": "return Number(msg.payload.Order.Total[0]) > 1000 ? msg : null;",
    "set": "msg.payload.Order.State[0] = 'billed'; return msg;",
    "route": "return Number(msg.payload.Order.Total[0]) > 1000 ? [msg, null] : [null, msg];",
    "JSON": "msg.payload.Order.State = 'billed'; return msg;",
}


class NodeRed(Engine):
    """One process of Node-RED for each flow."""

    name = "Node-RED"

    def missing(self) -> str:
        if not shutil.which(BROKER):
            return "apt-get install mosquitto"
        if not shutil.which("node"):
            return "node is not installed"
        try:
            import paho.mqtt.client  # noqa: F401
        except ImportError:
            return "pip install '.[peers]' (paho-mqtt)"
        return "" if PROGRAM.exists() else f"sh {Path(__file__).parent / 'install.sh'} (no {PROGRAM})"

    def version(self) -> str:
        return str(json.loads((PROGRAM.parent / "package.json").read_text())["version"])

    def start(self, folder: Path) -> None:
        import paho.mqtt.client as mqtt

        self.folder, self.port, self.count = folder, free_port(), 0
        settings = f"listener {self.port} {LOOPBACK}\nallow_anonymous true\nmax_queued_messages 0\n"
        (folder / "mosquitto.conf").write_text(settings)
        command = [BROKER, "-c", str(folder / "mosquitto.conf")]
        self.server = ServerProcess(command, folder / "mosquitto.log", self.port)
        self.running.callback(self.server.stop)
        self.server.start()
        self.mqtt: Any = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2)
        self.mqtt.on_message = self._count
        self.mqtt.max_queued_messages_set(0)
        self.mqtt.connect(LOOPBACK, self.port)
        self.mqtt.subscribe("OUT", qos=0)
        self.mqtt.loop_start()
        self.running.callback(self.mqtt.loop_stop)

    def _count(self, *_: Any) -> None:
        self.count += 1

    def rate(self, case: Case, body: bytes, count: int) -> float:
        process = self.begin(case)
        try:
            self._probe(process, body)
            self.count = 0
            publishing = threading.Thread(target=self._publish, args=(body, count))
            publishing.start()
            try:
                return self._watch(process, count)
            finally:
                publishing.join()
        finally:
            process.terminate()
            process.wait(20)

    def done(self) -> int:
        return self.count

    def begin(self, case: Case) -> subprocess.Popen[bytes]:
        place = self.folder / case.name
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        (place / "flows.json").write_text(json.dumps(self._flow(case)))
        command = ["node", str(PROGRAM), "-u", str(place), "-p", str(free_port()), "flows.json"]
        with (place / "log").open("wb") as log:
            return subprocess.Popen(command, stdout=log, stderr=log)

    def _probe(self, process: subprocess.Popen[bytes], body: bytes) -> None:
        """Wait until the flow answers, and until nothing of that is left."""
        self.count, end = 0, time.monotonic() + FIRST_SECONDS_MAX
        while not self.count:
            if process.poll() is not None or time.monotonic() > end:
                raise EngineFailed(f"{self.name} does not answer (exit code {process.poll()})")
            self.mqtt.publish("IN", body, qos=1)
            time.sleep(0.2)
        time.sleep(1.0)

    def _publish(self, body: bytes, count: int) -> None:
        for _ in range(count):
            self.mqtt.publish("IN", body, qos=1)

    def _flow(self, case: Case) -> list[dict[str, Any]]:
        broker = {"id": "b", "type": "mqtt-broker", "broker": LOOPBACK, "port": str(self.port)}
        broker |= {"clientid": "", "autoConnect": True, "protocolVersion": "4", "keepalive": "60"}
        broker |= {"cleansession": True}
        tab = {"id": "t", "type": "tab", "label": case.name}
        given = {"z": "t", "x": 0, "y": 0}
        node = case.domain.lower()[:3] if case.domain.startswith("XML") else "json"
        start = {"id": "i", "type": "mqtt in", "topic": "IN", "qos": "1", "datatype": "utf8", "broker": "b"}
        ends = [
            {
                "id": f"o{n}",
                "type": "mqtt out",
                "topic": topic,
                "qos": "1",
                "broker": "b",
                **given,
                "wires": [],
            }
            for n, topic in enumerate(("OUT", "OUT2"))
        ]
        parser = {"property": "payload", "attr": "", "chr": "", "action": "", "pretty": False, **given}
        work = {"id": "f", "type": "function", "func": FUNCTIONS[case.name], "outputs": 1, **given}
        if case.name == "pass":
            return [tab, broker, start | given | {"wires": [["o0"]]}, *ends]
        outputs = 2 if case.name == "route" else 1
        writers = [{"id": f"w{n}", "type": node, **parser, "wires": [[f"o{n}"]]} for n in range(outputs)]
        reader = {"id": "r", "type": node, **parser, "wires": [["f"]]}
        work |= {"outputs": outputs, "wires": [[f"w{n}"] for n in range(outputs)]}
        return [tab, broker, start | given | {"wires": [["r"]]}, reader, work, *writers, *ends]
