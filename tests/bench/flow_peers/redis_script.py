"""A script over Redis streams: 200 at a time, outputs and acks in one MULTI.

Redis runs with its file synced every second, so a script that is killed neither loses nor repeats. The same
server feeds Bytewax (`bytewax_flow`), which takes from a list.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.lab.load.server_process import LOOPBACK, ServerProcess
from tests.bench.flow_inline import CASES
from tests.bench.flow_peers.engine import Engine
from tests.ports import free_port

if TYPE_CHECKING:
    from tests.bench.flow_inline import Case

SERVER = "redis-server"
GROUP = "flow"
READ = 200
BATCH = 100


class RedisScript(Engine):
    """XREADGROUP, work with lxml, XADD and XACK in one transaction."""

    name = "Redis-stream script"

    def missing(self) -> str:
        if not shutil.which(SERVER):
            return "apt-get install redis-server"
        try:
            import redis  # noqa: F401
        except ImportError:
            return "pip install '.[peers]' (redis)"
        return ""

    def start(self, folder: Path) -> None:
        import redis

        port = free_port()
        command = [SERVER, "--bind", LOOPBACK, "--port", str(port), "--dir", str(folder), "--save", ""]
        command += ["--appendonly", "yes", "--appendfsync", "everysec"]
        self.server = ServerProcess(command, folder / "redis.log", port)
        self.running.callback(self.server.stop)
        self.server.start()
        self.redis: Any = redis.Redis(port=port)

    def clear(self) -> None:
        self.redis.flushall()

    def fill(self, case: Case, body: bytes, count: int) -> None:
        self.redis.xgroup_create("in", GROUP, "0", mkstream=True)
        for _ in range(count // BATCH):
            pipe = self.redis.pipeline(transaction=False)
            for _ in range(BATCH):
                pipe.xadd("in", {"b": body})
            pipe.execute()

    def begin(self, case: Case) -> subprocess.Popen[bytes]:
        command = (
            sys.executable,
            "-m",
            "tests.bench.flow_peers.redis_script",
            str(self.server.port),
            case.name,
        )
        return subprocess.Popen(command, env={**os.environ, "PYTHONPATH": str(Path.cwd())})

    def done(self) -> int:
        return int(self.redis.xlen("OUT"))


def script(port: int, case: Case) -> None:
    """Run until somebody ends it."""
    import redis

    connection: Any = redis.Redis(port=port)
    while True:
        found = connection.xreadgroup(GROUP, "me", {"in": ">"}, count=READ, block=1000)
        if not found:
            continue
        pipe, ids = connection.pipeline(transaction=True), []
        for number, fields in found[0][1]:
            queue, body = case.by_hand(fields[b"b"])
            pipe.xadd(queue, {"b": body})
            ids.append(number)
        pipe.xack("in", GROUP, *ids)
        pipe.execute()


if __name__ == "__main__":
    script(int(sys.argv[1]), next(each for each in CASES if each.name == sys.argv[2]))
