"""`penstock`, as installed, whose channels lose patience in a second, and whose clock a test can set.

PENSTOCK_CLOCK names a folder. The seconds in its file QM.clock, if there is one, are added to the time that
the message channels of queue manager QM see.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from penstock.cli.main import main
from penstock.face import _clock
from penstock.protocol import heartbeat
from penstock.serve.message_channels import commands, initiator, link, receiving, sending


def now() -> float:
    offset = Path(os.environ["PENSTOCK_CLOCK"]) / f"{sys.argv[sys.argv.index('start') + 1]}.clock"
    return _clock.now() + (float(offset.read_text() or 0) if offset.exists() else 0.0)


if __name__ == "__main__":
    heartbeat.SILENCE_SECONDS_MIN = 1.0
    sending.STALL_SECONDS_MIN = 1.0
    for module in (commands, initiator, link, receiving, sending):
        module.clock = now  # type: ignore[attr-defined]
    main()
