"""`penstock`, as installed, whose message channels stop at named moments when a test says so.

PENSTOCK_FAULTS names a folder. At a moment NAME (`channel/fault_points.py`) of queue manager QM the process
looks for the file QM.NAME there, renames it to QM.NAME.hit and waits until QM.NAME.go exists: whoever made
the file decides what happens to the process meanwhile.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from penstock.channel import fault_points
from penstock.cli.main import main


def stop(moment: str) -> None:
    armed = Path(os.environ["PENSTOCK_FAULTS"]) / f"{sys.argv[sys.argv.index('start') + 1]}.{moment}"
    if not armed.exists():
        return
    armed.rename(armed.with_name(armed.name + ".hit"))
    go = armed.with_name(armed.name + ".go")
    while not go.exists():
        time.sleep(0.001)
    go.unlink()


if __name__ == "__main__":
    fault_points.plan = stop
    main()
