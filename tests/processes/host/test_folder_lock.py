"""One process runs a queue manager at a time."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest

from penstock.host.folders.folder_lock import end_holder, holder_of, lock_folder
from penstock.model.errors import MQError

HOLD = """
import sys, time
from pathlib import Path
from penstock.host.folders.folder_lock import lock_folder
lock = lock_folder(Path(sys.argv[1]))
print("held", flush=True)
time.sleep(60)
"""


@pytest.fixture
def path(tmp_path):
    return tmp_path / "lock"


@pytest.fixture
def holder(path):
    process = subprocess.Popen([sys.executable, "-c", HOLD, str(path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.wait()
    process.stdout.close()


def test_a_second_opener_gets_8001_that_names_the_holder(path, holder):
    with pytest.raises(MQError, match=str(holder.pid)) as failure:
        lock_folder(path, patience_s=0)

    assert failure.value.reason == 8001
    assert failure.value.fields["pid"] == holder.pid


def test_a_second_opener_in_the_same_process_is_refused_too(path):
    with lock_folder(path), pytest.raises(MQError, match=str(os.getpid())):
        lock_folder(path, patience_s=0)


def test_the_lock_of_a_killed_process_is_free_whatever_its_file_says(path, holder):
    holder.kill()
    holder.wait()

    assert str(holder.pid) in path.read_text()
    with lock_folder(path) as lock:
        assert lock.held


@pytest.mark.parametrize("content", ["", "{", "[]", '{"pid": "x"}', "\0" * 10_000])
def test_nonsense_in_the_file_of_a_held_lock_does_no_harm(path, content):
    with lock_folder(path):
        path.write_text(content)
        with pytest.raises(MQError) as failure:
            lock_folder(path, patience_s=0)

    assert failure.value.reason == 8001


def test_holder_is_told_while_held_and_not_after(path):
    assert holder_of(path) is None
    with lock_folder(path):
        assert holder_of(path).pid == os.getpid()
    assert holder_of(path) is None


def test_release_twice_is_harmless(path):
    lock = lock_folder(path)
    lock.release()
    lock.release()

    assert not lock.held


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_neither_frees_the_lock_nor_keeps_it(path):
    # Given a child that lives on after a fork
    lock = lock_folder(path)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(writer)
        os.write(2, b"") if not lock.held else os._exit(3)
        os.read(reader, 1)  # until the parent is done
        os._exit(0)
    os.close(reader)
    # Then the parent still holds it
    time.sleep(0.05)
    assert holder_of(path) is not None
    # And when the parent releases, the living child does not keep it
    lock.release()
    with lock_folder(path):
        pass
    os.close(writer)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_the_holder_ends_when_asked(path, holder):
    end_holder(path, holder_of(path))

    assert holder.wait(60) == -signal.SIGTERM


def test_a_holder_of_another_container_is_not_ended_by_its_number(path, holder):
    with subprocess.Popen(["sleep", "60"]) as other:
        elsewhere = replace(holder_of(path), pid=other.pid)  # here this number is another process's
        with pytest.raises(MQError, match="end it there") as refused:
            end_holder(path, elsewhere)
        still_runs = other.poll() is None
        other.kill()

    assert refused.value.reason == 8001
    assert still_runs
    assert holder.poll() is None
