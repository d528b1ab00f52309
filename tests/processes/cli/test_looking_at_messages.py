"""Commands that show queues, topics and messages in full."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import penstock
from tests.command_forks import run_command
from tests.patience import until

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.installed
PROGRAM = (sys.executable, "-m", "penstock.cli.main")


def run(*words: str, code: int = 0, **options: Any) -> str:
    done = run_command(*words, **options)
    assert done.returncode == code, done.stdout + done.stderr
    return str(done.stdout if code == 0 else done.stderr)


@pytest.fixture(autouse=True)
def queue_manager(penstock_home: Path) -> None:
    with penstock.embed("QM1", create=True) as qm:
        qm.mqsc("DEFINE QLOCAL(Q) DEFPSIST(YES)\nDEFINE QLOCAL(EMPTY)")
        qm.put("Q", b"<order><count>3</count></order>", properties={"colour": "red"}, priority=2)
        qm.put("Q", b"\x00\xffbinary")


@pytest.fixture
def served() -> Iterator[None]:
    run("qmgr", "start", "QM1", "--background")
    yield
    run("qmgr", "stop", "QM1", "--immediate")


# -- queue list ------------------------------------------------------------------------------------


def test_queue_list_shows_depth_oldest_readers_and_writers(served: None) -> None:
    with penstock.connect("QM1") as qm, qm.open("Q", 2) as reader, qm.open("EMPTY", 16), qm.open("EMPTY", 16):
        assert reader.name == "Q"
        found = {each["queue"]: each for each in json.loads(run("queue", "list", "--json"))}
    assert sorted(found) == ["EMPTY", "Q"]
    assert (found["Q"]["depth"], found["Q"]["readers"], found["Q"]["writers"]) == (2, 1, 0)
    assert (found["EMPTY"]["readers"], found["EMPTY"]["writers"], found["EMPTY"]["oldest"]) == (0, 2, None)
    assert found["Q"]["oldest"].startswith("20")
    lines = run("queue", "list").splitlines()
    assert lines[0].split() == ["QUEUE", "DEPTH", "OLDEST", "READERS", "WRITERS", "WAITING"]
    assert [line.split()[0] for line in lines[1:]] == ["EMPTY", "Q"]


def test_system_queues_only_with_all_or_by_name() -> None:
    assert "SYSTEM." not in run("queue", "list")
    assert "SYSTEM.DEAD.LETTER.QUEUE" in run("queue", "list", "--all")
    for pattern in ("SYSTEM.DEAD.*", "SYSTEM*"):
        assert "SYSTEM.DEAD.LETTER.QUEUE" in run("queue", "list", pattern)


def test_a_pattern_that_system_queues_happen_to_match_does_not_list_them() -> None:
    with penstock.embed("QM1") as qm:
        qm.mqsc("DEFINE QLOCAL(SALES)", check=True)
    assert [each["queue"] for each in json.loads(run("queue", "list", "S*", "--json"))] == ["SALES"]


def test_the_oldest_message_may_have_a_low_priority() -> None:
    with penstock.embed("QM1") as qm:
        qm.put("EMPTY", b"first", priority=1)
        first = qm.queues("EMPTY")[0].oldest
        qm.put("EMPTY", b"second", priority=9)
        assert qm.queues("EMPTY")[0].oldest == first


def test_queues_shows_each_user_what_he_may_display() -> None:
    with penstock.embed("QM1") as qm:
        qm.mqsc(
            """SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('ann') AUTHADD(CONNECT,DSP)
            SET AUTHREC PROFILE(Q) OBJTYPE(QUEUE) PRINCIPAL('ann') AUTHADD(DSP)
            SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('bob') AUTHADD(CONNECT)"""
        )
        with penstock.embed("QM1", user="ann") as ann:
            assert [each.queue for each in ann.queues()] == ["Q"]
        with penstock.embed("QM1", user="bob") as bob, pytest.raises(penstock.NotAuthorized):
            bob.queues()


# -- browse ----------------------------------------------------------------------------------------


def test_browse_shows_a_hex_dump() -> None:
    shown = run("browse", "Q", "--hex")
    assert "00000000  3c 6f 72 64 65 72 3e 3c  63 6f 75 6e 74 3e 33 3c  |<order><count>3<|" in shown
    assert "00000000  00 ff 62 69 6e 61 72 79" in shown
    assert json.loads(run("browse", "Q", "--hex", "--json").splitlines()[1])["body_hex"] == "00ff62696e617279"


def test_browse_shows_the_whole_descriptor() -> None:
    shown = run("browse", "Q", "--mqmd", "--count", "1")
    for field in (
        "MsgId",
        "CorrelId",
        "Persistence         1",
        "Priority            2",
        "PutApplName",
        "GroupId",
    ):
        assert field in shown
    assert "colour              'red'" in shown
    assert "|<order><count>3<|" in shown
    (line,) = run("browse", "Q", "--mqmd", "--count", "1", "--json").splitlines()
    facts = json.loads(line)
    assert facts["mqmd"]["MsgId"] == facts["msg_id"]
    assert len(facts["mqmd"]) == 28


def test_browse_shows_the_tree_of_a_domain(tmp_path: Path) -> None:
    shown = run("browse", "Q", "--domain", "XMLNSC", "--count", "1")
    assert "count = '3'" in shown
    assert "colour = 'red'" in shown
    (line,) = run("browse", "Q", "--domain", "XMLNSC", "--count", "1", "--json").splitlines()
    assert json.loads(line)["tree"][-1]["children"][0]["children"][0]["value"] == "3"
    book = tmp_path / "quote.cpy"
    book.write_text("       01 QUOTE.\n           05 NAME PIC X(4).\n           05 PRICE PIC 9(3).\n")
    run("put", "EMPTY", "ACME042", "--persistent")
    assert "PRICE = '42'" in run("browse", "EMPTY", "--domain", "MRM", "--model", str(book))
    assert "--domain" in run("browse", "EMPTY", "--model", str(book), code=2)


def test_a_body_that_is_not_of_the_domain_is_an_error() -> None:
    assert "penstock: 81" in run("browse", "Q", "--domain", "JSON", code=1)
    with penstock.embed("QM1") as qm:
        qm.put("Q", b"<last/>")
    done = subprocess.run(
        [*PROGRAM, "browse", "Q", "--domain", "XMLNSC"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert "1 of 3 messages cannot be parsed" in done.stderr
    assert "cannot be parsed: " in done.stdout
    assert "00 ff 62 69" in done.stdout
    assert "last" in done.stdout.partition("cannot be parsed")[2]  # what follows is shown


def test_browse_follows_the_queue(served: None) -> None:
    following = subprocess.Popen(
        [*PROGRAM, "browse", "EMPTY", "--follow", "--count", "2"], stdout=subprocess.PIPE, text=True
    )
    assert following.stdout is not None
    run("put", "EMPTY", "first")
    assert following.stdout.readline() == "first\n"
    run("put", "EMPTY", "second")
    assert following.stdout.readline() == "second\n"
    assert following.wait(60) == 0
    following.stdout.close()
    assert run("browse", "EMPTY") == "first\nsecond\n"


def test_following_a_queue_manager_that_nobody_else_can_reach_is_refused() -> None:
    assert "2059" in run("browse", "EMPTY", "--follow", code=1)


# -- get into files --------------------------------------------------------------------------------


def test_several_messages_go_to_files_of_their_own_and_overwrite_none(tmp_path: Path) -> None:
    kept = tmp_path / "body-000001.bin"
    kept.write_bytes(b"an earlier message")

    run("get", "Q", "--count", "0", "--file", str(tmp_path / "body.bin"))

    assert kept.read_bytes() == b"an earlier message"
    assert (tmp_path / "body-000002.bin").read_bytes() == b"<order><count>3</count></order>"
    assert (tmp_path / "body-000003.bin").read_bytes() == b"\x00\xffbinary"
    assert len(list(tmp_path.glob("body*"))) == 3


def test_a_separator_puts_several_messages_into_one_file(tmp_path: Path) -> None:
    file = tmp_path / "bodies"
    run("get", "Q", "--count", "0", "--file", str(file), "--separator", r"\n--\x00")
    assert file.read_bytes() == b"<order><count>3</count></order>\n--\x00\x00\xffbinary\n--\x00"
    assert "--file" in run("get", "Q", "--separator", ",", code=2)


def test_files_that_cannot_be_written_lose_no_message(tmp_path: Path) -> None:
    run("get", "Q", "--count", "0", "--file", str(tmp_path / "missing" / "body"), code=1)
    assert json.loads(run("queue", "list", "Q", "--json"))[0]["depth"] == 2


# -- topics ----------------------------------------------------------------------------------------


def test_subscribe_shows_topics_where_it_has_wildcards(served: None) -> None:
    for words, expected in (
        (("news/#",), "news/today: rain\n"),
        (("news/+", "--no-topics"), "rain\n"),
        (("news/today",), "rain\n"),
        (("news/today", "--topics"), "news/today: rain\n"),
    ):
        listening = subprocess.Popen(
            [*PROGRAM, "subscribe", *words, "--count", "1", "--wait", "60"], stdout=subprocess.PIPE, text=True
        )
        with penstock.connect("QM1") as qm:
            until(lambda: "Nobody" not in run("topic", "show", "news/today"))
            qm.publish("news/today", "rain")
        said, _ = listening.communicate(timeout=60)
        assert said == expected


def test_topic_show_answers_who_receives_what_is_published() -> None:
    with penstock.embed("QM1") as qm:
        qm.mqsc(
            """DEFINE SUB(ALL) TOPICSTR('news/#') DEST(Q)
            DEFINE SUB(TODAY) TOPICSTR('news/today') DEST(EMPTY) SELECTOR('size > 1')
            DEFINE SUB(OTHER) TOPICSTR('sports/#') DEST(Q)"""
        )
    facts = json.loads(run("topic", "show", "news/today", "--json"))
    found = {each["subscription"]: each for each in facts["subscriptions"]}
    assert {name: (each["topic"], each["queue"]) for name, each in found.items()} == {
        "ALL": ("news/#", "Q"),
        "TODAY": ("news/today", "EMPTY"),
    }
    assert found["TODAY"]["receives"] == "if its selector matches"
    unused = json.loads(run("topic", "show", "news/never/used", "--json"))
    assert [each["subscription"] for each in unused["subscriptions"]] == ["ALL"]
    assert "Nobody subscribes to weather" in run("topic", "show", "weather")


def test_topic_show_knows_levels() -> None:
    with penstock.embed("QM1") as qm:
        qm.mqsc(
            """DEFINE SUB(HIGH) TOPICSTR('a/b') DEST(Q) SUBLEVEL(5)
            DEFINE SUB(LOW) TOPICSTR('a/+') DEST(EMPTY)"""
        )
    facts = json.loads(run("topic", "show", "a/b", "--json"))
    assert [(each["subscription"], each["receives"][:3]) for each in facts["subscriptions"]] == [
        ("HIGH", "yes"),
        ("LOW", "no:"),
    ]


# -- mqsc and dlq ----------------------------------------------------------------------------------


def test_quiet_mqsc_shows_displays_and_failures_only() -> None:
    assert run("mqsc", "QM1", "-q", "-c", "DEFINE QLOCAL(NEW)") == ""
    assert run("mqsc", "QM1", "-q", "-c", "DISPLAY QLOCAL(NEW) DESCR").startswith("AMQ8409I")
    done = subprocess.run(
        [*PROGRAM, "mqsc", "QM1", "--quiet", "-c", "DEFINE QLOCAL(NEW)"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout.startswith("AMQ8150E")) == (10, True)


def test_dlq_show_says_how_many_there_are() -> None:
    assert run("dlq", "show", "--queue", "Q").startswith("1 of 2\n")
    shown = run("dlq", "show", "--queue", "Q", "--count", "0")
    assert "1 of 2\n" in shown
    assert "\n2 of 2\n" in shown
    assert run("dlq", "show", "--queue", "EMPTY") == ""


def test_a_terminal_gets_control_characters_escaped_and_a_pipe_as_they_are() -> None:
    with penstock.embed("QM1") as qm:
        qm.put("EMPTY", b"\x1b[31mred\x07\nnext", persistent=True)
    assert run("browse", "EMPTY") == "\x1b[31mred\x07\nnext\n"
    ours, theirs = pty.openpty()
    with os.fdopen(ours, "rb", buffering=0) as terminal:
        subprocess.run([*PROGRAM, "browse", "EMPTY"], stdout=theirs, timeout=60, check=True)
        os.close(theirs)
        assert terminal.read(1000) == b"\\x1b[31mred\\x07\r\nnext\r\n"


def test_queue_list_of_a_name_that_does_not_exist_fails() -> None:
    """A misspelt name with an empty table as the answer looks like an empty queue."""
    assert "2085" in run("queue", "list", "ORDRS", code=1)
    assert len(run("queue", "list", "ORDRS*").splitlines()) == 1
