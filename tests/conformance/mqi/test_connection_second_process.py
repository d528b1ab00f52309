"""A folder belongs to one process at a time: the second gets 8001, which names the holder."""

from __future__ import annotations

import os
import subprocess
import sys

SCRIPT = """
import sys, penstock
try:
    penstock.embed("QM1")
except penstock.MQError as failure:
    print(failure.reason, failure)
"""


def test_a_second_process_is_told_who_holds_the_folder(qm, queue):
    found = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False)
    assert found.stdout.startswith("8001 "), found.stderr
    assert str(os.getpid()) in found.stdout
    qm.put(queue, b"a")
    assert qm.get(queue).body == b"a"


def test_the_same_process_may_open_it_again(qm, embed, queue):
    embed().put(queue, b"a")
    assert qm.get(queue).body == b"a"
