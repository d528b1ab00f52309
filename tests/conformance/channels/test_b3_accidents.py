"""B3 and A8: partners that are silent, stall, have another clock or were restored from a backup."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import penstock
from penstock.host.backups.backup import backup_stopped
from penstock.host.backups.restoring import restore_queue_manager
from penstock.host.folders.folder import existing_folder
from penstock.tools.channel_checks import examined
from tests.channel_pairs import Pair, bodies, depth, run, status, until_state
from tests.conformance.channels import hasty_server
from tests.patience import until
from tests.relay import Relay
from tests.served import Served

pytestmark = pytest.mark.installed

PATIENT = "SHORTTMR(0) SHORTRTY(999999999)"


class Hasty(Pair):
    """A pair whose channels lose patience in a second."""

    def __init__(self, home: Path) -> None:
        self.clocks = home
        super().__init__(home, start=False)
        for served in (self.a, self.b):
            served.program = (sys.executable, hasty_server.__file__)  # type: ignore[assignment]
            self.start(served)

    def start(self, served: Served) -> None:
        os.environ["PENSTOCK_CLOCK"] = str(self.clocks)
        super().start(served)


@pytest.fixture(scope="module")
def hasty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hasty]:
    made = Hasty(tmp_path_factory.mktemp("hasty"))
    yield made
    made.stop()


@contextmanager
def hanging(served: Served) -> Iterator[None]:
    """A process that stands still."""
    assert served.process is not None
    served.process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        served.process.send_signal(signal.SIGCONT)


def running(pair: Pair, name: str) -> None:
    pair.qma.put(f"{name}.R", b"first", persistent=True)
    assert bodies(pair.qmb, f"{name}.T", 1) == [b"first"]
    until_state(pair.qma, name, "RUNNING")


def test_a_silent_receiver_is_given_up(hasty: Hasty) -> None:
    hasty.link("SILENT", f"HBINT(1) {PATIENT}", "HBINT(1)")
    running(hasty, "SILENT")
    with hanging(hasty.b):
        until(lambda: "nothing was received" in status(hasty.qma, "SILENT").get("LSTERR", ""))
        hasty.qma.put("SILENT.R", b"waits", persistent=True)
    assert bodies(hasty.qmb, "SILENT.T", 1) == [b"waits"]
    assert depth(hasty.qmb, "SILENT.T") == 0


def test_a_silent_sender_is_given_up(hasty: Hasty) -> None:
    hasty.link("MUTE", f"HBINT(1) {PATIENT}", "HBINT(1)")
    running(hasty, "MUTE")
    with hanging(hasty.a):
        until_state(hasty.qmb, "MUTE", "INACTIVE")
    hasty.qma.put("MUTE.R", b"goes on", persistent=True)
    assert bodies(hasty.qmb, "MUTE.T", 1) == [b"goes on"]


@pytest.mark.parametrize("kind", ["LASTING", "FAST"])
def test_a_channel_that_confirms_nothing_is_stalled_and_its_link_renewed(hasty: Hasty, kind: str) -> None:
    name = f"STALL.{kind}"
    hasty.link(name, f"HBINT(0) {PATIENT}", "HBINT(0)")
    relay = Relay(hasty.ports["QMB"])
    run(hasty.qma, f"ALTER CHANNEL({name}) CHLTYPE(SDR) CONNAME('127.0.0.1({relay.port})')")
    running(hasty, name)
    relay.swallows.add("back")
    hasty.qma.put(f"{name}.R", b"once", persistent=kind == "LASTING")
    until(lambda: f"Channel {name} is stalled" in hasty.a.log())
    relay.swallows.clear()
    relay.cut()
    until(lambda: status(hasty.qma, name).get("INDOUBT") == "NO")
    assert bodies(hasty.qmb, f"{name}.T", 1) == [b"once"]
    assert depth(hasty.qmb, f"{name}.T") == depth(hasty.qma, f"{name}.X") == 0
    run(hasty.qma, f"STOP CHANNEL({name})")
    relay.close()


def test_a_stop_by_force_ends_although_the_partner_reads_nothing(hasty: Hasty) -> None:
    hasty.link("FORCED", f"HBINT(0) DISCINT(0) {PATIENT} NPMSPEED(FAST)", "HBINT(0) NPMSPEED(FAST)")
    running(hasty, "FORCED")
    with hanging(hasty.b):
        for _ in range(8):  # more than the kernel and the socket's own buffer take
            hasty.qma.put("FORCED.R", bytes(4_000_000), persistent=False)
        run(hasty.qma, "STOP CHANNEL(FORCED) MODE(FORCE)")
        until_state(hasty.qma, "FORCED", "STOPPED")


def test_a_long_pause_of_the_receiver_is_no_silence_of_the_sender(hasty: Hasty) -> None:
    """More has come than it keeps while it pauses, so it has read nothing for longer than its patience."""
    hasty.link("PAUSE", f"HBINT(1) {PATIENT}", "HBINT(1) MRRTY(999999999) MRTMR(200)")
    running(hasty, "PAUSE")
    run(hasty.qmb, "ALTER QLOCAL(PAUSE.T) MAXDEPTH(1)")
    with hasty.qma.unit_of_work():  # one batch: the window would hold many back
        for _ in range(40):
            hasty.qma.put("PAUSE.R", bytes(50_000), persistent=True)
    until_state(hasty.qmb, "PAUSE", "PAUSED")
    before = status(hasty.qmb, "PAUSE")["LOCLADDR"], status(hasty.qmb, "PAUSE")["BUFSRCVD"]
    time.sleep(3)
    run(hasty.qmb, "ALTER QLOCAL(PAUSE.T) MAXDEPTH(100)")
    assert len(bodies(hasty.qmb, "PAUSE.T", 40)) == 40
    row = status(hasty.qmb, "PAUSE")
    assert row["LOCLADDR"] == before[0]
    assert row["BUFSRCVD"] > before[1] > 0  # the same link
    assert "PAUSE has ended" not in hasty.b.log()
    run(hasty.qma, "STOP CHANNEL(PAUSE)")


@pytest.mark.parametrize("jump", [-3600, 3600])
def test_clocks_that_jump_hold_nothing_up(hasty: Hasty, jump: int) -> None:
    name = f"CLOCK.{'BACK' if jump < 0 else 'FORTH'}"
    hasty.link(name, f"BATCHINT(300) {PATIENT}", "MRRTY(1000) MRTMR(100)")
    running(hasty, name)
    run(hasty.qmb, f"ALTER QLOCAL({name}.T) MAXDEPTH(1)")
    for body in (b"1", b"2"):
        hasty.qma.put(f"{name}.R", body, persistent=True)
    until_state(hasty.qmb, name, "PAUSED")
    for queue_manager in ("QMA", "QMB"):
        (hasty.clocks / f"{queue_manager}.clock").write_text(str(jump))
    try:
        run(hasty.qmb, f"ALTER QLOCAL({name}.T) MAXDEPTH(10)")
        assert bodies(hasty.qmb, f"{name}.T", 2) == [b"1", b"2"]
        hasty.qma.put(f"{name}.R", b"3", persistent=True)
        assert bodies(hasty.qmb, f"{name}.T", 1) == [b"3"]
    finally:
        for queue_manager in ("QMA", "QMB"):
            (hasty.clocks / f"{queue_manager}.clock").unlink()
    hasty.qma.put(f"{name}.R", b"4", persistent=True)
    assert bodies(hasty.qmb, f"{name}.T", 1) == [b"4"]


def wrong(qm: Any, name: str) -> list[dict[str, Any]]:
    """Return the checks of `channel explain` that fail, where the other end cannot be asked."""
    return [each for each in examined(qm, name, penstock.connect)["checks"] if not each["passed"]]


@pytest.mark.parametrize("side", ["receiver", "sender"])
def test_a_restored_queue_manager_is_recognised_and_nothing_moves(
    hasty: Hasty, side: str, tmp_path: Path
) -> None:
    name = f"RESTORED.{side.upper()}"
    hasty.link(name, PATIENT)
    running(hasty, name)
    served = hasty.b if side == "receiver" else hasty.a
    until(lambda: status(hasty.qma, name).get("INDOUBT") == "NO")
    hasty.halt(served)
    saved = backup_stopped(existing_folder(served.name, served.home), tmp_path / "saved")
    hasty.start(served)
    hasty.qma.put(f"{name}.R", b"behind the backup", persistent=True)
    assert bodies(hasty.qmb, f"{name}.T", 1) == [b"behind the backup"]
    until(lambda: status(hasty.qma, name).get("INDOUBT") == "NO")
    hasty.halt(served)
    restore_queue_manager(saved, served.home, replace=True)
    hasty.start(served)
    hasty.qma.put(f"{name}.R", b"waits", persistent=True)
    row = until(lambda: (r := status(hasty.qma, name)) and "8071" in r["LSTERR"] and r)
    assert "is a restored copy" in row["LSTERR"]
    until(lambda: "is a restored copy" in hasty.b.log())  # the receiving end names the cause, too
    until(lambda: "8071" in "".join(e["text"] for e in wrong(hasty.qmb, name)))
    assert depth(hasty.qmb, f"{name}.T") == 0
    run(hasty.qma, f"STOP CHANNEL({name})")
    until_state(hasty.qma, name, "STOPPED")
    run(hasty.qma, f"RESET CHANNEL({name})\nSTART CHANNEL({name})")
    assert bodies(hasty.qmb, f"{name}.T", 1) == [b"waits"]
