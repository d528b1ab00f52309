"""Linear logging: what is damaged on disk comes back from a media image and the log since then.

The accident: a byte of a message file turns, a file is gone, the checkpoint cannot be read. The queue manager
refuses to start (8010, 8011) and nothing may be lost by the way back.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest

import penstock
from penstock.host.backups import media_recovery
from penstock.host.backups.media_image import archive
from penstock.host.folders.folder import existing_folder
from tests.flow_station import PENSTOCK
from tests.linear_logging import LINEAR, Workload, damage, message_file, on_queue, opened, put, refused
from tests.patience import until

pytestmark = [pytest.mark.crash, pytest.mark.installed]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    with opened(tmp_path, create=True, **LINEAR) as qm:
        qm.mqsc("DEFINE QLOCAL(A) MAXDEPTH(100000)")
        qm.mqsc("DEFINE QLOCAL(B) MAXDEPTH(100000)")
    return tmp_path


def long_story(home: Path) -> tuple[list[bytes], list[bytes]]:
    """Work, an image, then work over three runs, one of which crashes; return what is on A and B."""
    with opened(home) as qm:
        a, b = put(qm, "A", 0, 60), put(qm, "B", 0, 20)
        told = qm.record_image()
        assert told["media"] == told["restart"]
        for _ in range(10):
            qm.get("A")
        a = a[10:] + put(qm, "A", 60, 40)
        qm.mqsc("DEFINE QLOCAL(NEW)")
        qm.put("NEW", b"in a queue of after the image", persistent=True)
    qm = opened(home)
    with qm.unit_of_work():
        qm.get("A")
        qm.put("B", b"moved", persistent=True)
    qm.begin()
    qm.get("A")
    qm.put("B", b"never committed", persistent=True)
    qm.host.settle(qm.host.journal.end)
    qm.host.abandon()
    a, b = a[1:], [*b, b"moved"]
    with opened(home) as qm:
        a += put(qm, "A", 100, 100)
        qm.checkpoint()  # what the crash left is in message files now
        assert qm.get("B") is not None
    return a, b[1:]


def test_one_damaged_message_comes_back_and_all_others_are_as_they_were(home: Path) -> None:
    a, b = long_story(home)
    damage(home, a[70])
    assert refused(home) == 8010

    image, report, aside = media_recovery.recover(existing_folder("QM1", home))

    assert report.replayed > 0
    with opened(home) as qm:
        assert on_queue(qm, "A") == a
        assert on_queue(qm, "B") == b
        assert on_queue(qm, "NEW") == [b"in a queue of after the image"]
        assert [message.backout_count for message in qm.browse("A")][:2] == [1, 0]  # of the run that crashed
        a += put(qm, "A", 500, 5)
    with opened(home) as qm:  # and it goes on
        assert on_queue(qm, "A") == a
    assert image.path.parent == home / "QM1" / "images"
    assert aside == home / "QM1" / "damaged"
    assert (aside / "queues").is_dir()


@pytest.mark.parametrize("accident", ["file gone", "checkpoint cut", "checkpoint gone", "all gone"])
def test_other_accidents(home: Path, accident: str) -> None:
    a, b = long_story(home)
    folder = home / "QM1"
    if accident == "file gone":
        message_file(home, a[70]).unlink()
    elif accident == "checkpoint cut":
        (folder / "CHECKPOINT").write_bytes((folder / "CHECKPOINT").read_bytes()[:-1])
    elif accident == "checkpoint gone":
        (folder / "CHECKPOINT").unlink()
    else:
        shutil.rmtree(folder / "queues")
        (folder / "CHECKPOINT").unlink()
    with pytest.raises(penstock.MQError):
        opened(home)

    media_recovery.recover(existing_folder("QM1", home))

    with opened(home) as qm:
        assert (on_queue(qm, "A"), on_queue(qm, "B")) == (a, b)


def test_a_recovery_that_was_interrupted_is_begun_anew(home: Path) -> None:
    a, b = long_story(home)
    folder = home / "QM1"
    (folder / "queues~recovered").mkdir()
    (folder / "queues~recovered" / "M0000009.DAT").write_bytes(b"half")
    (folder / "damaged").mkdir()
    (folder / "queues").rename(folder / "damaged" / "queues")  # the moment between two names
    original = {path.name: path.read_bytes() for path in (folder / "damaged" / "queues").iterdir()}
    state = (folder / "CHECKPOINT").read_bytes()

    aside = media_recovery.recover(existing_folder("QM1", home)).aside

    with opened(home) as qm:
        assert (on_queue(qm, "A"), on_queue(qm, "B")) == (a, b)
    kept = {path.name: path.read_bytes() for path in (folder / "damaged" / "queues").iterdir()}
    assert kept == original  # the files as they were before anybody recovered anything
    assert aside == folder / "damaged-2"
    assert (aside / "CHECKPOINT").read_bytes() == state


@pytest.mark.parametrize("left", ["no checkpoint", "half a checkpoint", "another file", "no manifest"])
def test_an_image_whose_removal_was_interrupted_hinders_nobody(home: Path, left: str) -> None:
    """A crash while the old image was removed: what is left of it is no image, and goes with the next one."""
    a, b = long_story(home)
    images = home / "QM1" / "images"
    with opened(home) as qm:
        shutil.copytree(images / "I0000001", images / "I0000000")
        state = images / "I0000000" / "CHECKPOINT"
        if left == "no checkpoint":
            state.unlink()
        elif left == "half a checkpoint":
            state.write_bytes(state.read_bytes()[:50])
        elif left == "another file":
            state.write_bytes(b"?" * state.stat().st_size)
        else:
            (images / "I0000000" / "backup.json").unlink()
        (status,) = qm.mqsc("DISPLAY QMSTATUS ALL")
        assert status.attributes["MEDIALOG"] != ""
    damage(home, a[70])
    image = media_recovery.recover(existing_folder("QM1", home)).image
    assert image.path.name == "I0000001"
    with opened(home) as qm:
        assert (on_queue(qm, "A"), on_queue(qm, "B")) == (a, b)
        qm.record_image()
    assert [path.name for path in images.iterdir()] == ["I0000002"]


def test_a_damaged_newest_image_is_replaced_by_the_next(home: Path) -> None:
    with opened(home) as qm:
        put(qm, "A", 0, 10)
        qm.record_image()
    images = home / "QM1" / "images"
    (images / "I0000001" / "CHECKPOINT").unlink()
    with pytest.raises(penstock.MQError, match="I0000001 is not whole") as refusal:
        media_recovery.recover(existing_folder("QM1", home))
    assert refusal.value.reason == 8024
    with opened(home) as qm:
        qm.record_image()
    assert [path.name for path in images.iterdir()] == ["I0000002"]


def test_an_old_image_is_no_image_before_its_files_go(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A crash at any moment of the removal leaves no folder that looks whole."""
    seen: list[bool] = []
    real = shutil.rmtree

    def removing(path: Path, *more: Any, **options: Any) -> None:
        if path.name == "I0000001":
            seen.append((path / "backup.json").exists())
        real(path, *more, **options)

    with opened(home) as qm:
        qm.record_image()
        monkeypatch.setattr(shutil, "rmtree", removing)
        qm.record_image()
    assert seen == [False]


def test_prepared_units_come_back(home: Path) -> None:
    with opened(home) as qm:
        a = put(qm, "A", 0, 10)
        qm.record_image()
        qm.begin()
        qm.get("A")
        qm.put("B", b"prepared", persistent=True)
        qm.prepare("outside-1")
        qm.checkpoint()
    damage(home, a[5])

    media_recovery.recover(existing_folder("QM1", home))

    with opened(home) as qm:
        assert [each["xid"] for each in qm.prepared()] == ["outside-1"]
        qm.commit_prepared("outside-1")
        assert (on_queue(qm, "A"), on_queue(qm, "B")) == (a[1:], [b"prepared"])


def test_an_image_is_taken_while_messages_flow(home: Path) -> None:
    ending = threading.Event()
    sent: list[bytes] = []
    qm = opened(home)

    def produce() -> None:
        while not ending.is_set():
            sent.extend(put(qm, "A", len(sent), 5))

    producer = threading.Thread(target=produce)
    producer.start()
    try:
        until(lambda: len(sent) > 50)
        for _ in range(3):
            qm.record_image()
        count = len(sent)
        until(lambda: len(sent) > count)
    finally:
        ending.set()
        producer.join(60)
    qm.checkpoint()
    qm.close()
    damage(home, sent[20])

    media_recovery.recover(existing_folder("QM1", home))

    assert [path.name for path in (home / "QM1" / "images").iterdir()] == ["I0000003"]
    with opened(home) as again:
        assert on_queue(again, "A") == sent


@pytest.mark.parametrize("seed", range(4))
def test_random_work_since_the_image(home: Path, seed: int) -> None:
    work = Workload(home, seed)
    for run in range(5):
        for _ in range(60):
            work.step()
        if run < 2:
            work.qm.record_image()
        work.restart(crash=run % 2 == 1)
    expected = work.state()
    work.qm.close()
    (home / "QM1" / "CHECKPOINT").unlink()

    media_recovery.recover(existing_folder("QM1", home))

    work.qm = opened(home)
    try:
        assert work.state() == expected, f"seed {seed}"
    finally:
        work.qm.close()


def test_what_cannot_be_recovered_is_refused_and_nothing_is_changed(home: Path, tmp_path: Path) -> None:
    folder = existing_folder("QM1", home)
    with pytest.raises(penstock.MQError, match="none was recorded") as none:
        media_recovery.recover(folder)
    assert none.value.reason == 8024
    with opened(home) as qm:
        put(qm, "A", 0, 200)
        qm.record_image()
        a = put(qm, "A", 200, 300)
        with pytest.raises(penstock.MQError) as running:
            media_recovery.recover(folder)
        assert running.value.reason == 8001
    before = (folder.path / "CHECKPOINT").read_bytes()
    files = sorted(folder.log.glob("S*.LOG"))
    middle = files[-3]
    whole = middle.read_bytes()
    middle.rename(tmp_path / middle.name)
    with pytest.raises(penstock.MQError, match=f"{middle.name} of .* missing") as missing:
        media_recovery.recover(folder)
    assert missing.value.reason == 8024
    middle.write_bytes(whole[:9_000] + b"?" + whole[9_001:])
    with pytest.raises(penstock.MQError) as damaged:
        media_recovery.recover(folder)
    assert damaged.value.reason == 8002
    middle.write_bytes(whole)
    for path in (folder.path / "images").rglob("M*.DAT"):
        path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(penstock.MQError, match="not a whole backup"):
        media_recovery.recover(folder)
    assert (folder.path / "CHECKPOINT").read_bytes() == before
    with opened(home) as qm:
        assert on_queue(qm, "A")[-1] == a[-1]


def test_circular_logging_has_no_images(tmp_path: Path) -> None:
    with opened(tmp_path, create=True) as qm:
        with pytest.raises(penstock.MQError, match="circular logging") as refusal:
            qm.record_image()
        assert refusal.value.reason == 8024
        (reply,) = qm.mqsc("DISPLAY QMSTATUS CURRLOG RECLOG MEDIALOG ARCHLOG")
        assert {reply.attributes[name] for name in ("CURRLOG", "RECLOG", "MEDIALOG", "ARCHLOG")} == {""}


def test_the_status_names_the_log_files_that_are_needed(home: Path, tmp_path: Path) -> None:
    folder = existing_folder("QM1", home)

    def status(qm: penstock.QueueManager) -> dict[str, Any]:
        (reply,) = qm.mqsc("DISPLAY QMSTATUS ALL")
        return dict(reply.attributes)

    with opened(home) as qm:
        assert status(qm)["MEDIALOG"] == ""
        put(qm, "A", 0, 300)
        first = qm.record_image()
        put(qm, "A", 300, 300)
        qm.checkpoint()
        told = status(qm)
        assert told["MEDIALOG"] == first["media"]
        (queue,) = qm.mqsc("DISPLAY QSTATUS(SYSTEM.DEAD.LETTER.QUEUE) MEDIALOG", check=True)
        assert queue.attributes["MEDIALOG"] == first["media"]
        assert first["media"] < told["RECLOG"] <= told["CURRLOG"]  # a restart needs less
        assert told["MEDIASZ"] >= told["RECSZ"]
        second = qm.record_image()
        assert second["media"] > first["media"]
        assert first["media"] in second["not_needed"]
        assert status(qm)["MEDIALOG"] == second["media"]
        archive(folder, second["not_needed"], tmp_path / "archive")
        a = on_queue(qm, "A")
        qm.checkpoint()
        assert status(qm)["REUSESZ"] == 0
    assert min(path.name for path in folder.log.glob("S*.LOG")) == second["media"]
    assert {path.name for path in (tmp_path / "archive").iterdir()} == set(second["not_needed"])
    damage(home, a[400])
    media_recovery.recover(folder)
    with opened(home) as qm:
        assert on_queue(qm, "A") == a


def test_a_log_file_is_removed_only_when_the_archive_has_it(home: Path, tmp_path: Path) -> None:
    folder = existing_folder("QM1", home)
    with opened(home) as qm:
        put(qm, "A", 0, 300)
        names = qm.record_image()["not_needed"]
    assert len(names) >= 3
    there = {name: (folder.log / name).read_bytes() for name in names}
    target = tmp_path / "archive"
    target.mkdir()
    (target / names[1]).write_bytes(there[names[1]])  # as an archive that was interrupted leaves it
    (target / f"{names[0]}.partial").write_bytes(b"half")
    (target / names[2]).write_bytes(bytes(len(there[names[2]])))  # of another queue manager

    with pytest.raises(penstock.MQError, match=f"{names[2]} exists already and differs") as differs:
        archive(folder, names, target)
    assert differs.value.reason == 8014
    assert {name: (folder.log / name).read_bytes() for name in names} == there

    (target / names[2]).unlink()
    archive(folder, names, target)
    assert {path.name: path.read_bytes() for path in target.iterdir()} == there
    assert not any((folder.log / name).exists() for name in names)


def test_the_log_folder_is_no_archive(home: Path) -> None:
    folder = existing_folder("QM1", home)
    with opened(home) as qm:
        put(qm, "A", 0, 300)
        names = qm.record_image()["not_needed"]
    with pytest.raises(penstock.MQError, match="is the log itself") as refusal:
        archive(folder, names, folder.log)
    assert refusal.value.reason == 8014
    assert all((folder.log / name).exists() for name in names)


def test_the_commands(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PENSTOCK_HOME", str(home))

    def run(*words: str, fails: bool = False) -> Any:
        done = subprocess.run(
            [*PENSTOCK, *words, "--json"], capture_output=True, text=True, timeout=60, check=False
        )
        assert (done.returncode != 0) == fails, done.stdout + done.stderr
        return json.loads(done.stdout or done.stderr)

    server = subprocess.Popen([*PENSTOCK, "qmgr", "start", "QM1"], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        assert "runs in process" in server.stdout.readline()
        with penstock.connect("QM1", home=home) as qm:
            a = put(qm, "A", 0, 50)  # type: ignore[arg-type]
            told = run("qmgr", "image", "QM1")
            assert Path(told["image"]).is_dir()
            a += put(qm, "A", 50, 50)  # type: ignore[arg-type]
            qm.checkpoint()
            assert run("qmgr", "image", "QM1", "--archive", str(tmp_path / "old"))["media"] >= told["media"]
    finally:
        server.terminate()
        server.wait(60)
        assert server.stdout is not None
        server.stdout.close()
    damage(home, a[70])
    told = run("qmgr", "recover", "QM1")
    assert told["name"] == "QM1"
    with opened(home) as qm:
        assert on_queue(qm, "A") == a
    shutil.rmtree(home / "QM1" / "images")
    assert "8024" in str(run("qmgr", "recover", "QM1", fails=True))
