"""The accident: another program fills the disk of a queue manager. A real one, of 110 MB, in memory.

It is mounted in a namespace of its own, for which no root is needed; where the kernel does not allow that,
the test is left out, and `test_bad_disk` has the same with planned failures.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.crash, pytest.mark.installed]
INSIDE = ["unshare", "--user", "--map-root-user", "--mount"]
SCRIPT = """
set -u
mount -t tmpfs -o size=110m tmpfs "$1" || exit 77
export PENSTOCK_HOME="$1/home"
p() { "$PYTHON" -m penstock.cli.main "$@"; echo "exit $?"; }
PYTHON=$2
p qmgr create QM1
p qmgr start QM1 --background
p mqsc QM1 -c "DEFINE QLOCAL(A)"
p put A first --persistent -m QM1
dd if=/dev/zero of="$1/fill" bs=1M 2>/dev/null
echo "full"
p qmgr stop QM1
p qmgr start QM1 --background
p put A second --persistent -m QM1
p get A -m QM1
p qmgr stop QM1
rm "$1/fill"
p qmgr start QM1 --background
p put A third --persistent -m QM1
p get A -m QM1
p qmgr stop QM1
"""


def test_a_queue_manager_stops_starts_and_works_off_its_queues_on_a_full_disk(tmp_path: Path) -> None:
    if shutil.which("unshare") is None or subprocess.run([*INSIDE, "true"], capture_output=True).returncode:
        pytest.skip("no file system can be mounted here")
    command = [*INSIDE, "bash", "-c", SCRIPT, "bash", str(tmp_path), sys.executable]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if done.returncode == 77:
        pytest.skip("no file system can be mounted here")
    before, _, after = done.stdout.partition("full\n")
    assert before.count("exit 0") == 4, done.stdout + done.stderr
    lines = [line for line in after.splitlines() if line.startswith(("exit", "first", "second", "third"))]
    assert lines == [
        "exit 0",  # stop
        "exit 0",  # start
        "exit 1",  # the put is refused at once
        "first",
        "exit 0",  # get
        "exit 0",  # stop
        "exit 0",  # start
        "exit 0",  # put
        "third",
        "exit 0",
        "exit 0",
    ], done.stdout + done.stderr
    assert "2056" in done.stderr
