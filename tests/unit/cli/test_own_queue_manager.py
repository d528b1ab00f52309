"""A queue manager that a command starts for itself: what it complains about does not block it."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING

from penstock.cli import own_queue_manager

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

TALKATIVE = """#!{python}
import os
import sys
assert "PENSTOCK_BACKGROUND" not in os.environ  # that pipe is not for it
print("it runs", flush=True)
for _ in range(4000):
    print("a warning of about a hundred characters" + "." * 60, file=sys.stderr)
"""


def test_many_warnings_do_not_block_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "program"
    program.write_text(TALKATIVE.format(python=sys.executable))
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program))
    monkeypatch.setenv("PENSTOCK_BACKGROUND", "9")
    process = own_queue_manager._start("QM1")
    assert process.wait(60) == 0
    assert process.stdout is not None
    process.stdout.close()
    for thread in threading.enumerate():
        if thread.name == "qmgr-warnings":
            thread.join(60)
    assert "a warning" in capfd.readouterr().err
