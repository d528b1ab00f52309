"""A verb overtakes a checkpoint between its snapshot and the disk; then the process is gone.

Every state a message can be in when the snapshot is taken, every verb that can change it, every step
of the checkpoint at which another thread may come in between: the restart finds what was confirmed.
"""

from __future__ import annotations

import contextvars
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import penstock
from penstock.host import checkpointing

pytestmark = pytest.mark.crash
LOG = {"file_pages": 64, "primary_files": 2, "secondary_files": 1}
STEPS = ("_save", "_settle_removals", "_rewrite", "_mostly_dead_files", "write_checkpoint")


class Story:
    """A queue manager with b"first" and b"last" on Q, a unit that got b"first" and put b"new"."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.qm = penstock.embed("QM1", create=True, home=home, **LOG)
        self.qm.mqsc("DEFINE QLOCAL(Q)\nDEFINE QLOCAL(OTHER)")
        self.unit = contextvars.Context()

    def begin(self) -> None:
        for body in (b"first", b"last"):
            self.qm.put("Q", body, persistent=True)
        self.unit.run(self.qm.begin)
        self.unit.run(self.qm.get, "Q")
        self.unit.run(self.qm.put, "Q", b"new", persistent=True)

    def prepare(self) -> None:
        self.unit.run(self.qm.prepare, "x")

    def crash(self) -> None:
        self.qm.host.abandon()
        self.qm = penstock.embed("QM1", home=self.home)

    def bodies(self) -> list[bytes]:
        return [message.body for message in self.qm.browse("Q")]


def unsaved(story: Story) -> None:
    story.begin()


def saved(story: Story) -> None:
    story.begin()
    story.qm.checkpoint()


def spilled(story: Story) -> None:
    story.begin()
    engine = story.qm.engine
    engine.wishes.spilling += [m for m in engine.queues["Q"].messages() if m.body == b"last"]
    checkpointing.spill(story.qm.host)


def prepared(story: Story) -> None:
    story.begin()
    story.prepare()


def prepared_and_saved(story: Story) -> None:
    prepared(story)
    story.qm.checkpoint()


def prepared_and_restarted(story: Story) -> None:
    prepared_and_saved(story)
    story.crash()


def commit(story: Story) -> list[bytes]:
    story.unit.run(story.qm.commit)
    return [b"last", b"new"]


def back_out(story: Story) -> list[bytes]:
    story.unit.run(story.qm.backout)
    return [b"first", b"last"]


def commit_prepared(story: Story) -> list[bytes]:
    story.qm.commit_prepared("x")
    return [b"last", b"new"]


def back_out_prepared(story: Story) -> list[bytes]:
    story.qm.backout_prepared("x")
    return [b"first", b"last"]


def put_and_get(story: Story) -> list[bytes]:
    """Others put behind and take from the front; the unit stays open, and a crash backs it out."""
    story.qm.put("Q", b"behind", persistent=True)
    assert story.qm.get("Q").body == b"last"
    return [b"behind"] if story.qm.prepared() else [b"first", b"behind"]


def commit_and_take(story: Story) -> list[bytes]:
    story.unit.run(story.qm.commit)
    assert [story.qm.get("Q").body, story.qm.get("Q").body] == [b"last", b"new"]
    return []


def commit_prepared_and_take(story: Story) -> list[bytes]:
    story.qm.commit_prepared("x")
    assert [story.qm.get("Q").body, story.qm.get("Q").body] == [b"last", b"new"]
    return []


def prepare_now(story: Story) -> list[bytes]:
    story.prepare()
    return [b"last"]


OPEN = (commit, back_out, put_and_get, commit_and_take, prepare_now)
IN_DOUBT = (commit_prepared, back_out_prepared, put_and_get, commit_prepared_and_take)
STORIES = [(state, verb) for state in (unsaved, saved, spilled) for verb in OPEN]
STORIES += [
    (state, verb) for state in (prepared, prepared_and_saved, prepared_and_restarted) for verb in IN_DOUBT
]


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize(("state", "verb"), STORIES, ids=lambda part: part.__name__)
def test_restart_finds_what_was_confirmed(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    step: str,
    state: Callable[[Story], None],
    verb: Callable[[Story], list[bytes]],
) -> None:
    story = Story(tmp_path)
    state(story)
    expected: list[list[bytes]] = []
    original = getattr(checkpointing, step)

    def overtaken(*args: Any) -> Any:
        host = story.qm.host
        if not expected:
            host.files_lock.release()
            expected.append(verb(story))
            host.files_lock.acquire()
        return original(*args)

    with monkeypatch.context() as patched:
        patched.setattr(checkpointing, step, overtaken)
        story.qm.put("OTHER", b"so that there is something to save", persistent=True)
        story.qm.checkpoint()
    story.crash()

    assert [story.bodies()] == expected
    story.crash()
    assert [story.bodies()] == expected
    finish_prepared(story, verb)
    story.qm.close()


def finish_prepared(story: Story, verb: Callable[[Story], list[bytes]]) -> None:
    for unit in story.qm.prepared():
        before = story.bodies()
        story.qm.commit_prepared(unit["xid"])
        assert story.bodies() == [*before, b"new"]
        assert verb in (put_and_get, prepare_now)


# -- work that the disk has not confirmed when the snapshot is taken --------------------------


def put_in_flight(story: Story) -> list[bytes]:
    route = story.qm.engine.resolve("Q")
    context = story.qm.connection.context
    with story.qm.gate:
        story.qm.engine.put_plain(route.queue, b"flying", None, bytes(24), True, 0, context, None, 1.0)
    return [b"last", b"flying"] if story.qm.prepared() else [b"first", b"last", b"flying"]


def get_in_flight(story: Story) -> list[bytes]:
    story.bodies()  # brings them into memory
    with story.qm.gate:
        story.qm.engine.take(story.qm.engine.queues["Q"], None, None, 1.0)
    return [] if story.qm.prepared() else [b"first"]


def commit_in_flight(story: Story) -> list[bytes]:
    (unit,) = story.qm.engine.units.values()
    with story.qm.gate:
        story.qm.engine.commit(unit, 1.0)
    return [b"last", b"new"]


@pytest.mark.parametrize("state", [saved, prepared, prepared_and_saved, prepared_and_restarted])
@pytest.mark.parametrize("verb", [put_in_flight, get_in_flight, commit_in_flight])
def test_checkpoint_keeps_what_is_in_flight(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    state: Callable[[Story], None],
    verb: Callable[[Story], list[bytes]],
) -> None:
    story = Story(tmp_path)
    state(story)
    expected = verb(story)
    end = story.qm.host.journal.end
    original = checkpointing.write_checkpoint
    durable: list[int] = []

    def write(*args: Any) -> None:
        durable.append(story.qm.host.journal.durable)
        original(*args)

    with monkeypatch.context() as patched:
        patched.setattr(checkpointing, "write_checkpoint", write)
        story.qm.checkpoint()
    story.crash()

    assert durable[0] >= end, "the checkpoint was written before the journal was on disk"
    assert story.bodies() == expected
    story.crash()
    assert story.bodies() == expected
    story.qm.close()
