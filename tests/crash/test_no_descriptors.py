"""The process has no file descriptor left: what needs one waits, and goes on when there is one.

Each accident happens in a process of its own with a small limit of open files, which it uses up.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import penstock
from penstock.store import message_files
from penstock.store.message_files import MessageFiles

pytestmark = pytest.mark.crash
LOG = {"file_pages": 64, "primary_files": 2, "secondary_files": 60}
PRELUDE = """
import logging, os, resource, sys, threading
import penstock
from penstock.store import _writer, files

_writer.STARVED_SECONDS_MAX = files.DESCRIPTOR_SECONDS_MAX = float(sys.argv[2])

class Waiting(logging.Handler):
    "Set once the journal says that it waits for a descriptor."
    def __init__(self):
        super().__init__()
        self.begun = threading.Event()
    def emit(self, record):
        if "descriptor" in record.getMessage():
            self.begun.set()

waiting = Waiting()
logging.getLogger("penstock").addHandler(waiting)
qm = penstock.embed("QM1", home=sys.argv[1])

def use_up():
    "Take every descriptor that the limit allows."
    used = len(os.listdir("/proc/self/fd"))
    resource.setrlimit(resource.RLIMIT_NOFILE, (used + 20, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    taken = []
    try:
        while True:
            taken.append(os.dup(0))
    except OSError:
        return taken

def give_back(taken):
    for fd in taken:
        os.close(fd)
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    with penstock.embed("QM1", create=True, home=tmp_path, **LOG) as qm:
        qm.mqsc("DEFINE QLOCAL(A) MAXDEPTH(100000)")
    return tmp_path


def run(home: Path, program: str, patience: float = 60.0) -> str:
    """Run a program in a process of its own, with so many seconds of patience; return what it prints."""
    command = [sys.executable, "-c", PRELUDE + program, str(home), str(patience)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stderr
    return done.stdout


def bodies(home: Path) -> list[bytes | None]:
    with penstock.embed("QM1", home=home) as qm:
        return [message.body for message in qm.browse("A")]


def test_the_first_persistent_put_waits_for_a_descriptor(home: Path) -> None:
    """The journal opens its file for the first put: without a descriptor that put waits, and is kept."""
    run(
        home,
        """
taken = use_up()
putter = threading.Thread(target=qm.put, args=("A", b"kept"), kwargs={"persistent": True})
putter.start()
assert waiting.begun.wait(60)
assert putter.is_alive()
give_back(taken)
putter.join(60)
assert not putter.is_alive()
qm.host.abandon()
""",
    )
    assert bodies(home) == [b"kept"]


def test_puts_that_fill_many_log_files_wait_and_lose_nothing(home: Path) -> None:
    """A thief takes every descriptor that comes free: buffers that are half written go on where they were."""
    run(
        home,
        """
def put():
    for number in range(20):
        qm.put("A", b"%03d" % number + bytes(60_000), persistent=True)

def steal():
    while not over.is_set():
        try:
            taken.append(os.dup(0))
        except OSError:
            over.wait(0.005)

over = threading.Event()
taken = use_up()
threads = [threading.Thread(target=put) for _ in range(3)]
thief = threading.Thread(target=steal)
for thread in (*threads, thief):
    thread.start()
assert waiting.begun.wait(60)
for _ in range(50):
    give_back([taken.pop() for _ in range(5)])
    over.wait(0.02)
over.set()
thief.join()
give_back(taken)
for thread in threads:
    thread.join(60)
    assert not thread.is_alive()
qm.host.abandon()
""",
    )
    found = [body[:3] for body in bodies(home) if body is not None]
    assert sorted(found) == sorted([b"%03d" % number for number in range(20)] * 3)


def test_a_checkpoint_waits_for_a_descriptor(home: Path) -> None:
    run(
        home,
        """
qm.put("A", b"kept", persistent=True)
taken = use_up()
checkpoint = threading.Thread(target=qm.checkpoint)
checkpoint.start()
checkpoint.join(0.2)
assert checkpoint.is_alive()
give_back(taken)
checkpoint.join(60)
assert not checkpoint.is_alive()
assert qm.host.checkpoint_end == qm.host.journal.end
qm.host.abandon()
""",
    )
    assert bodies(home) == [b"kept"]


def test_who_gets_no_descriptor_at_all_is_told_and_nothing_confirmed_is_lost(home: Path) -> None:
    out = run(
        home,
        """
qm.put("A", b"kept", persistent=True)
taken = use_up()
try:
    qm.checkpoint()
except penstock.MQError as failure:
    print(failure.reason, failure.detail)
try:
    penstock.embed("QM2", home=sys.argv[1], create=True)
except penstock.MQError as failure:
    print(failure.reason)
qm.put("A", b"also kept", persistent=True)
qm.host.abandon()
""",
        patience=0.2,
    )
    assert out.startswith("2102 ")
    assert "limit of open files" in out
    assert out.endswith("\n2102\n")
    assert bodies(home) == [b"kept", b"also kept"]


def test_closing_does_not_wait_for_descriptors_for_ever(home: Path) -> None:
    """A message that nobody was promised is given up; the folder is free for the next start."""
    run(
        home,
        """
taken = use_up()
with qm.host.gate:
    qm.engine.journal.append(1, b"", b"never written")
try:
    qm.close()
except penstock.MQError as failure:
    print(failure.reason)
""",
        patience=0.2,
    )
    assert bodies(home) == []


def test_spilled_messages_take_few_descriptors(tmp_path: Path) -> None:
    """Message files whose records are not synced need theirs: there are never many of them."""
    files = MessageFiles(tmp_path, file_bytes=10_000)
    before = len(list(Path("/proc/self/fd").iterdir()))
    locations = [files.write([(b"head", b"%03d" % number + bytes(10_000))])[0] for number in range(200)]
    opened = len(list(Path("/proc/self/fd").iterdir())) - before

    assert opened <= message_files.OPEN_FILES_MAX + message_files.UNSYNCED_FILES_MAX
    assert [body[:3] for _, body in files.read(locations)] == [b"%03d" % number for number in range(200)]
    files.close()


def test_a_failed_append_lets_go_of_its_own_body_and_of_no_equal_one(home: Path) -> None:
    """Two appends of equal large bodies are under way: the one that fails must not give up the other's.

    The writer copies a large body later, from where it lies: a body that is let go of is written as
    whatever comes to lie there.
    """
    run(
        home,
        """
import gc

def is_lent(body):
    "Say whether a loan of this body, which is a list, is in the journal's list of loans."
    loan = next((each for each in gc.get_referrers(body) if type(each) is list), None)
    return any(type(each) is list for each in gc.get_referrers(loan)) if loan is not None else False

journal = qm.host.journal
journal.buffer_bytes_max = 1
taken = use_up()
written = threading.Thread(target=journal.wait, args=(journal.append(99, b"", bytes(900_000)),))
written.start()
assert waiting.begun.wait(60)
journal.append(99, b"", bytes(900_000))  # now the buffer is full
first = b"x" * (2 << 20)
appending = threading.Thread(target=journal.append, args=(99, b"", first))
appending.start()
while not is_lent(first):
    assert appending.is_alive()
second = bytes(bytearray(first))
try:
    journal.append(99, bytes(1 << 30), second)
except penstock.MQError as failure:
    assert "bytes" in str(failure)  # over the limit of a record
else:
    raise AssertionError("a record over the limit was taken")
kept = is_lent(first), is_lent(second)
give_back(taken)
appending.join(60)
assert not appending.is_alive()
written.join(60)
qm.host.abandon()
assert kept == (True, False)
""",
    )
