"""A store that lives, crashes and comes back, against a model of fifty lines.

The model: records appended in order of which a prefix is certain, and messages that are alive as of
the last checkpoint. A crash may keep any more of the records, as long as it is a prefix.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from penstock.model.errors import MQError
from penstock.store.checkpoint import read_checkpoint, write_checkpoint
from penstock.store.faults import LOSE_ALL, LOSE_NOTHING, LOSE_OLDEST, Faults
from penstock.store.journal import Journal, create_journal, open_journal
from penstock.store.journal_reader import read_journal
from penstock.store.manifest import Manifest
from penstock.store.message_files import MessageFiles
from penstock.store.segments import FIRST_POSITION, LogSettings, LogType, segment_numbers

sizes = st.sampled_from([0, 1, 8, 100, 4000, 30_000, 300_000])


class Model:
    """What must be true: `records[:certain]` are there, and `saved` is what the checkpoint holds."""

    def __init__(self) -> None:
        self.records: list[tuple[int, bytes]] = []  # (end, payload)
        self.certain = 0
        self.messages: dict[int, tuple[bytes, int]] = {}  # location -> (body, value)
        self.saved: dict[int, tuple[bytes, int]] = {}
        self.saved_start = 0

    def promise(self, position: int) -> None:
        self.certain = max(self.certain, sum(1 for end, _ in self.records if end <= position))

    def after_crash(self, records: list[tuple[int, bytes]]) -> None:
        expected = [record for record in self.records if record[0] > self.saved_start]
        skipped = len(self.records) - len(expected)
        assert records == expected[: len(records)]
        assert skipped + len(records) >= self.certain
        self.records = self.records[: skipped + len(records)]
        self.certain = len(self.records)
        self.messages = dict(self.saved)


class StoreMachine(RuleBasedStateMachine):
    journal: Journal
    files: MessageFiles

    @initialize(linear=st.booleans())
    def create(self, linear: bool) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="store"))
        kind = LogType.LINEAR if linear else LogType.CIRCULAR
        self.settings = LogSettings(kind, primary_files=2, secondary_files=1, file_pages=64, buffer_pages=1)
        create_journal(self.folder / "log", self.settings)
        self.model = Model()
        self.faults = Faults()
        self.open(FIRST_POSITION, Manifest())

    def open(self, end: int, manifest: Manifest) -> None:
        self.faults = Faults(lose=LOSE_ALL)
        self.files = MessageFiles(self.folder / "queues", self.faults, file_bytes=20_000)
        loaded = {location: (bytes(b), value) for location, _, b, value in self.files.load(manifest)}
        assert loaded == self.model.saved
        self.journal = open_journal(self.folder / "log", self.settings, end, self.faults)

    @rule(size=sizes, kind=st.integers(0, 65535), data=st.data())
    def append(self, size: int, kind: int, data: st.DataObject) -> None:
        payload = bytes([len(self.model.records) % 256]) * size
        cut = data.draw(st.integers(0, min(size, 50)))
        end = self.journal.append(kind, payload[:cut], payload[cut:])
        self.model.records.append((end, payload))

    @rule()
    def wait(self) -> None:
        end = self.journal.end
        assert self.journal.wait(end)
        self.model.promise(end)

    @rule()
    def request(self) -> None:
        self.journal.request(self.journal.end)

    @rule(bodies=st.lists(st.binary(max_size=60), max_size=5), big=st.booleans())
    def write(self, bodies: list[bytes], big: bool) -> None:
        bodies = [body * 500 for body in bodies] if big else bodies
        for location, body in zip(self.files.write([(b"", b) for b in bodies]), bodies, strict=True):
            self.model.messages[location] = (body, 0)

    @precondition(lambda self: self.model.messages)
    @rule(data=st.data(), value=st.integers(0, 100))
    def change(self, data: st.DataObject, value: int) -> None:
        location = data.draw(st.sampled_from(sorted(self.model.messages)))
        body, _ = self.model.messages[location]
        assert self.files.read([location]) == [(b"", body)]
        if value < 50:
            self.files.discard(location)
            del self.model.messages[location]
        else:
            self.files.amend(location, value)
            self.model.messages[location] = (body, value)

    @rule()
    def checkpoint(self) -> None:
        start = self.journal.end
        self.wait()
        manifest = self.files.sync()
        write_checkpoint(self.folder, b"", start, manifest, self.faults)
        self.model.saved, self.model.saved_start = dict(self.model.messages), start
        self.journal.release(start)
        self.files.release(manifest)
        self.journal.prepare_ahead()

    @rule(lose=st.sampled_from([LOSE_NOTHING, LOSE_ALL, LOSE_OLDEST]))
    def crash(self, lose: int) -> None:
        self.faults.strike(lose)
        self.come_back()

    @rule()
    def close_and_open(self) -> None:
        self.wait()
        self.journal.close()
        self.files.close()
        self.come_back()

    def come_back(self) -> None:
        self.stop()
        self.faults.lose_names()
        checkpoint = read_checkpoint(self.folder)
        assert (checkpoint.journal_start if checkpoint else 0) == self.model.saved_start
        reading = read_journal(self.folder / "log", self.model.saved_start)
        self.model.after_crash([(end, bytes(payload)) for end, _, payload in reading])
        self.open(reading.end, checkpoint.manifest if checkpoint else Manifest())

    @invariant()
    def circular_files_are_few(self) -> None:
        if hasattr(self, "journal") and self.settings.log_type is LogType.CIRCULAR:
            oldest = self.model.saved_start // self.settings.segment_bytes
            needed = self.journal.end // self.settings.segment_bytes - oldest + 2
            assert len(segment_numbers(self.folder / "log")) <= max(4, needed + 1)

    def stop(self) -> None:
        try:
            self.journal.close()
        except MQError as stopped:
            assert stopped.reason == 8004
        self.files.close()

    def teardown(self) -> None:
        if hasattr(self, "journal"):
            self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


StoreMachine.TestCase.settings = settings(max_examples=40, stateful_step_count=40, deadline=None)
TestStoreMachine = StoreMachine.TestCase
