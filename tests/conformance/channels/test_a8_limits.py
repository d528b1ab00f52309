"""A8: MaxChannels counts message channels, those that retry or are stopped too, and clients beside them."""

from __future__ import annotations

from pathlib import Path

import pytest

import penstock
from tests.channel_pairs import run, until_state
from tests.patience import until
from tests.served import SCRIPT, Served

pytestmark = pytest.mark.installed


def test_all_channels_count_together(tmp_path: Path) -> None:
    served = Served(tmp_path, script=SCRIPT)
    ini = served.folder / "qm.ini"
    ini.write_text(ini.read_text() + "\nChannels:\n   MaxChannels=2\n")
    served.start()
    try:
        with served.local() as qm:
            for number in (1, 2, 3):
                run(
                    qm,
                    f"DEFINE QLOCAL(X{number}) USAGE(XMITQ)\n"
                    f"DEFINE CHANNEL(C{number}) CHLTYPE(SDR) XMITQ(X{number}) CONNAME('127.0.0.1(1)')",
                )
            run(qm, "ALTER QMGR CHLEV(EXCEPTION)\nSTART CHANNEL(C1)\nSTART CHANNEL(C2)")
            until_state(qm, "C1", "RETRYING")
            until_state(qm, "C2", "RETRYING")
            run(qm, "START CHANNEL(C3)")
            until(lambda: "Channel C3 was not started" in served.log())
            with pytest.raises(penstock.MQError) as caught:
                penstock.connect(served.address(), share=False)
            assert caught.value.reason == 2537
            run(qm, "STOP CHANNEL(C1) STATUS(INACTIVE)")
            until_state(qm, "C1", "INACTIVE")
            penstock.connect(served.address(), share=False).close()
            run(qm, "START CHANNEL(C3)")
            until_state(qm, "C3", "RETRYING")
    finally:
        served.stop()
