"""A small life of a store that the crash tests cut short, and what must be true afterwards.

`live` appends, waits, rolls over tiny journal files, writes messages, discards some and takes
checkpoints until it is done or the fault plan strikes. `Diary` holds what was tried and what was
promised; `check_after_crash` opens the folder without faults and compares.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path

from penstock.model.errors import MQError
from penstock.store.checkpoint import read_checkpoint, write_checkpoint
from penstock.store.faults import Faults
from penstock.store.journal import Journal, open_journal
from penstock.store.journal_reader import read_journal
from penstock.store.manifest import Manifest
from penstock.store.message_files import MessageFiles
from penstock.store.segments import LogSettings

TINY = LogSettings(file_pages=64, primary_files=2, secondary_files=1, buffer_pages=1)
SIZES = (0, 1, 50, 700, 5000, 90_000)


@dataclass
class Diary:
    """What happened: records tried in order, the position promised, checkpoints tried and promised."""

    appended: list[tuple[int, int, bytes]] = field(default_factory=list)
    promised: int = 0
    live: dict[bytes, int] = field(default_factory=dict)  # body -> amended value
    checkpoints: dict[int, dict[bytes, int]] = field(default_factory=dict)
    checkpoint_promised: int = 0


def live(folder: Path, diary: Diary, faults: Faults | None, *, end: int, seed: int, rounds: int = 10) -> None:
    """Work until done, or until the plan strikes; MQError 8004 is then the only thing that may come out."""
    random_ = random.Random(seed)
    files = MessageFiles(folder / "queues", faults, file_bytes=8192)
    checkpoint = read_checkpoint(folder)
    manifest = checkpoint.manifest if checkpoint else Manifest()
    diary.live = dict(diary.checkpoints[checkpoint.journal_start]) if checkpoint else {}
    journal = None
    try:
        locations = {bytes(body): location for location, _, body, _ in files.load(manifest)}
        journal = open_journal(folder / "log", TINY, end, faults)
        for _ in range(rounds):
            append_some(journal, diary, random_)
            change_messages(files, diary, locations, random_)
            take_checkpoint(folder, journal, files, diary, faults)
        journal.close()
    finally:
        files.close()
        if journal is not None:
            try:
                journal.close()
            except MQError as stopped:
                assert stopped.reason == 8004


def append_some(journal: Journal, diary: Diary, random_: random.Random) -> None:
    for _ in range(random_.randrange(1, 6)):
        head, body = random_.randbytes(random_.randrange(40)), random_.randbytes(random_.choice(SIZES))
        kind = random_.randrange(1, 9)
        end = journal.append(kind, head, body)
        diary.appended.append((end, kind, head + body))
        if random_.random() < 0.4:
            assert journal.wait(end)
            diary.promised = end
    journal.request(journal.end)


def change_messages(
    files: MessageFiles, diary: Diary, locations: dict[bytes, int], random_: random.Random
) -> None:
    bodies = [random_.randbytes(16 + random_.choice((0, 900, 3000))) for _ in range(random_.randrange(5))]
    for body, location in zip(bodies, files.write([(b"head", body) for body in bodies]), strict=True):
        locations[body] = location
        diary.live[body] = 0
    for body in random_.sample(sorted(diary.live), len(diary.live) // 3):
        if random_.random() < 0.7:
            files.discard(locations[body])
            del diary.live[body]
        else:
            diary.live[body] += 1
            files.amend(locations[body], diary.live[body])


def take_checkpoint(
    folder: Path, journal: Journal, files: MessageFiles, diary: Diary, faults: Faults | None
) -> None:
    start = journal.end
    manifest = files.sync()
    diary.checkpoints[start] = dict(diary.live)
    journal.wait(start)
    diary.promised = max(diary.promised, start)
    write_checkpoint(folder, b"state %d" % start, start, manifest, faults)
    diary.checkpoint_promised = start
    journal.release(start)
    files.release(manifest)
    journal.prepare_ahead()


def check_after_crash(folder: Path, diary: Diary) -> int:
    """Compare what the folder holds with the diary; return where the journal ends."""
    checkpoint = read_checkpoint(folder)
    start = 0
    if checkpoint is not None:
        start = checkpoint.journal_start
        assert start in diary.checkpoints, "a checkpoint that was never taken"
        assert checkpoint.state == b"state %d" % start
        files = MessageFiles(folder / "queues", file_bytes=8192)
        found = {bytes(body): value for _, head, body, value in files.load(checkpoint.manifest)}
        files.close()
        assert found == diary.checkpoints[start], "messages of the checkpoint"
    assert start >= diary.checkpoint_promised, "a checkpoint that was promised is gone"
    reading = read_journal(folder / "log", start)
    records = [(end, kind, bytes(payload)) for end, kind, payload in reading]
    expected = [record for record in diary.appended if record[0] > start]
    assert records == expected[: len(records)], "records invented, changed or out of order"
    assert reading.end >= diary.promised, "something that was promised is lost"
    assert len(records) >= sum(1 for record in expected if record[0] <= diary.promised)
    diary.appended = [r for r in diary.appended if r[0] <= start] + records
    diary.promised = reading.end  # recovery acted on it, so from now on it must stay
    return reading.end
