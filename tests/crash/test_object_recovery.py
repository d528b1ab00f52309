"""Media images of single objects: a damaged queue comes back alone, and everything else stays as it was.

The accident: a byte of a message file turns, or the file is gone. The queue manager refuses to start (8010,
8011). Queues share message files, so the damage may have hit several of them: none may lose a message, and
what was not damaged may not change, non-persistent messages of NPMCLASS(HIGH) queues included.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import penstock
from penstock.cli.main import application
from penstock.host.backups.object_recovery import RecoveredObject, recover_objects
from penstock.host.folders.folder import existing_folder
from tests.linear_logging import LINEAR, Workload, damage, message_file, on_queue, opened, put, refused

pytestmark = [pytest.mark.crash, pytest.mark.installed]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    with opened(tmp_path, create=True, **LINEAR) as qm:
        qm.mqsc("DEFINE QLOCAL(A) MAXDEPTH(100000)")
        qm.mqsc("DEFINE QLOCAL(B) MAXDEPTH(100000) NPMCLASS(HIGH)")
    return tmp_path


def recover(home: Path, *names: str) -> list[RecoveredObject]:
    return recover_objects(existing_folder("QM1", home), names)[0]


def content(home: Path) -> dict[str, list[tuple[bytes, int]]]:
    with opened(home) as qm:
        return {
            name: [(bytes(each.body or b""), each.backout_count) for each in qm.browse(name)] for name in "AB"
        }


def story(home: Path) -> tuple[list[bytes], list[bytes]]:
    """Images of all and of A, then work and a prepared unit; return what is on A and B when it commits."""
    with opened(home) as qm:
        a, b = put(qm, "A", 0, 40), put(qm, "B", 0, 20)
        assert qm.record_image()["all"]
        a += put(qm, "A", 40, 40)
        told = qm.record_image("A", object_type="queue")
        assert (told["objects"], told["all"]) == (["QLOCAL(A)"], False)
        qm.begin()
        qm.get("A")
        qm.backout()  # its count is of after the image
        qm.put("B", b"non-persistent", persistent=False)
        for _ in range(5):
            qm.get("A")
        a = a[5:] + put(qm, "A", 80, 20)
        qm.begin()
        qm.get("A")
        qm.put("A", b"prepared", persistent=True)
        qm.put("B", b"prepared too", persistent=True)
        qm.prepare("outside-1")
        qm.checkpoint()
        a += put(qm, "A", 100, 5)
    return [*a[1:], b"prepared"], [*b, b"non-persistent", b"prepared too"]


def test_a_damaged_queue_comes_back_alone_and_exactly(home: Path) -> None:
    a, b = story(home)
    damage(home, a[50])
    assert refused(home) == 8010

    (done,) = recover(home, "A")

    assert (done.name, done.messages, done.lost) == ("A", 101, 1)
    assert done.image == home / "QM1" / "images" / "I0000002"
    assert [path.suffix for path in (home / "QM1" / "damaged").iterdir()]
    with opened(home) as qm:
        assert on_queue(qm, "A") == a[:-1]
        assert qm.get("A") is not None  # and it works
        qm.commit_prepared("outside-1")
        assert on_queue(qm, "A") == a[1:]
        assert on_queue(qm, "B") == b  # with its non-persistent message: nobody touched it
    with opened(home) as qm:  # the damaged file is not needed any more
        assert on_queue(qm, "A") == a[1:]


def test_messages_of_other_queues_in_a_lost_file_are_named_and_not_given_up(home: Path) -> None:
    a, b = story(home)
    message_file(home, a[50]).unlink()
    before = (home / "QM1" / "CHECKPOINT").read_bytes()

    with pytest.raises(penstock.MQError, match="B lost messages too") as refusal:
        recover(home, "A")

    assert (refusal.value.reason, refusal.value.fields["queues"]) == (8010, ["B"])
    assert (home / "QM1" / "CHECKPOINT").read_bytes() == before
    assert {each.name: each.lost > 0 for each in recover(home, "A", "B")} == {"A": True, "B": True}
    with opened(home) as qm:
        qm.commit_prepared("outside-1")
        assert on_queue(qm, "A") == a
        assert on_queue(qm, "B") == [each for each in b if each != b"non-persistent"]  # its file is gone


def test_an_older_log_that_is_gone_does_not_hinder_a_queue_with_a_newer_image(home: Path) -> None:
    with opened(home) as qm:
        put(qm, "B", 0, 5)
        qm.record_image()
        put(qm, "A", 0, 300)
        told = qm.record_image("A")
        assert told["media"] < told["since"]  # the queue manager still needs what A does not need
        rows = {reply.attributes["QUEUE"]: reply for reply in qm.mqsc("DISPLAY QSTATUS(*) MEDIALOG")}
        assert rows["A"].attributes["MEDIALOG"] == told["since"]
        assert rows["B"].attributes["MEDIALOG"] == told["media"]
        (whole,) = qm.mqsc("DISPLAY QMSTATUS MEDIALOG")
        assert whole.attributes["MEDIALOG"] == told["media"]
        assert told["media"] not in told["not_needed"]
        a = on_queue(qm, "A")
    (home / "QM1" / "log" / told["media"]).unlink()
    damage(home, a[100])
    recover(home, "A")
    with opened(home) as qm:
        assert on_queue(qm, "A") == a


def test_a_batch_of_a_flow_goes_on(home: Path) -> None:
    """Its inputs are held on one queue and its prepared outputs wait for another; both are recovered."""
    with opened(home) as qm:
        a, b = put(qm, "A", 0, 10), put(qm, "B", 0, 3)
        qm.record_image()
        epoch = qm.batches.new_epoch("flow")
        n = qm.batches.reserve("flow", "A", after=0, epoch=epoch, max_rows=4)["n"]
        made = qm.batches.output("B", b"made", persistent=True)
        qm.batches.prepare_outputs("flow", n, 0, 0, [made], epoch=epoch)
        qm.checkpoint()
    message_file(home, a[5]).unlink()

    assert {each.name: each.lost for each in recover(home, "A", "B")} == {"A": 10, "B": 4}

    with opened(home) as qm:
        assert on_queue(qm, "A") == a[4:]
        qm.batches.commit("flow", n, {0: 0}, epoch=epoch)
        assert (on_queue(qm, "A"), on_queue(qm, "B")) == (a[4:], [*b, b"made"])


def test_images_are_kept_until_a_later_one_holds_their_objects(home: Path) -> None:
    def kept() -> list[str]:
        return sorted(path.name[-1] for path in (home / "QM1" / "images").iterdir())

    with opened(home) as qm:
        assert qm.record_image("A")["all"]  # the first one
        qm.record_image("A")
        qm.record_image("B")
        assert kept() == ["1", "2", "3"]
        qm.record_image("A")
        assert kept() == ["1", "3", "4"]
        assert len(qm.record_image("*", object_type="qlocal")["objects"]) > 2
        assert kept() == ["1", "5"]
        qm.record_image("*")
        assert kept() == ["6"]


@pytest.mark.parametrize("seed", [1, 2])
def test_random_work_and_damage(home: Path, seed: int) -> None:
    work, chance = Workload(home, seed), random.Random(seed)
    for run in range(4):
        for _ in range(40):
            work.step()
        work.qm.record_image(*([chance.choice(["A", "B", "P"])] if run else []))
        for _ in range(20):
            work.step()
        work.restart(crash=run % 2 == 1)
    work.qm.checkpoint()
    expected = work.state()
    work.qm.close()
    path = chance.choice(sorted((home / "QM1" / "queues").glob("M*.DAT")))
    data = bytearray(path.read_bytes())
    for _ in range(3):
        data[chance.randrange(4096, len(data))] ^= 0xFF
    path.write_bytes(data)

    try:
        recover(home, "P")
    except penstock.MQError as refusal:
        assert refusal.reason == 8010
        recover(home, "P", *refusal.fields["queues"])

    work.qm = opened(home)
    try:
        assert work.state() == expected, f"seed {seed}"
    finally:
        work.qm.close()


KILLED = """
import os, signal, sys
from penstock.host import checkpointing
from penstock.host.backups import object_image, object_recovery
from penstock.host.folders.folder import existing_folder
import penstock
home, what, module, name = sys.argv[1:]
def kill(*arguments, **options):
    os.kill(os.getpid(), signal.SIGKILL)
place = {"checkpointing": checkpointing, "recovery": object_recovery, "image": object_image}[module]
if what == "recover":
    setattr(place, name, kill)
    object_recovery.recover_objects(existing_folder("QM1", home), ["A"])
else:
    qm = penstock.embed("QM1", home=home)
    setattr(place, name, kill)
    qm.record_image("A")
"""


def killed(home: Path, what: str, module: str, name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(home), what, module, name], check=False, timeout=120
    )
    assert done.returncode == -9


def test_a_kill_during_image_or_recovery_leaves_what_can_be_repeated(home: Path) -> None:
    a, _ = story(home)
    killed(home, "image", "image", "_write_chunk")
    with opened(home) as qm:
        assert on_queue(qm, "A") == a[:-1]
        qm.record_image("A")
    names = sorted(path.name for path in (home / "QM1" / "images").iterdir())
    assert names == ["I0000001", "I0000003"]
    damage(home, a[50])
    killed(home, "recover", "recovery", "_take_over")  # what can be read is saved
    killed(home, "recover", "checkpointing", "write_checkpoint")  # all is written but for the checkpoint
    assert refused(home) == 8010
    recover(home, "A")
    with opened(home) as qm:
        assert on_queue(qm, "A") == a[:-1]


def test_the_commands_take_names_and_types(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PENSTOCK_HOME", str(home))

    def run(*words: str, code: int = 0) -> Any:
        told = CliRunner().invoke(application(), ["qmgr", *words])
        assert told.exit_code == code, told.output
        return told.output if code == 0 else str(told.exception)

    assert "the first image, so it holds all objects" in run("image", "QM1", "A")
    with opened(home) as qm:
        a = put(qm, "A", 0, 10)
    assert "It holds QLOCAL(A);" in run("image", "-m", "QM1", "A")
    assert json.loads(run("image", "-m", "QM1", "-t", "channel", "SYSTEM.DEF.*", "--json"))["objects"]
    assert "2085" in run("image", "QM1", "NO.SUCH", code=1)
    assert "2043" in run("image", "QM1", "-t", "table", code=1)
    damage(home, a[3])
    assert "2085" in run("recover", "QM1", "NO.SUCH", code=1)
    told = json.loads(run("recover", "-m", "QM1", "-t", "queue", "A", "--json"))
    assert [(each["object"], each["messages"], each["lost"]) for each in told["objects"]] == [("A", 10, 1)]
    assert "its definition is whole" in run("recover", "QM1", "-t", "channel", "SYSTEM.DEF.SVRCONN")
    (home / "QM1" / "CHECKPOINT").write_bytes(b"?")
    assert "recover without names" in run("recover", "QM1", "A", code=1)
