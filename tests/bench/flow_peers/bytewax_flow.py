"""Bytewax over Redis, in an environment of its own that `install.sh` makes: a source that pops a list 200 at
a time, a step, a sink that pushes. It runs with that environment's Python (`bytewax_program.py`).
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from tests.bench.flow_peers.redis_script import BATCH, RedisScript

if TYPE_CHECKING:
    from tests.bench.flow_inline import Case

PLACE = Path(os.environ.get("PENSTOCK_FLOW_PEERS", "build/flow-peers")).resolve()
PYTHON = PLACE / "bytewax" / "bin" / "python"
PROGRAM = Path(__file__).with_name("bytewax_program.py")


class BytewaxFlow(RedisScript):
    """A dataflow in one worker."""

    name = "Bytewax over Redis"

    def missing(self) -> str:
        if reason := super().missing():
            return reason
        return "" if PYTHON.exists() else f"sh {PROGRAM.parent / 'install.sh'} (no environment at {PYTHON})"

    def version(self) -> str:
        show = "from importlib.metadata import version; print(version('bytewax'))"
        return subprocess.run([PYTHON, "-c", show], capture_output=True, text=True).stdout.strip()

    def fill(self, case: Case, body: bytes, count: int) -> None:
        for _ in range(count // BATCH):
            self.redis.rpush("in", *[body] * BATCH)

    def begin(self, case: Case) -> subprocess.Popen[bytes]:
        return subprocess.Popen([str(PYTHON), str(PROGRAM), str(self.server.port), case.name])

    def done(self) -> int:
        return int(self.redis.llen("OUT"))
