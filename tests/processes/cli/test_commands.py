"""Commands that change messages: nothing is lost when something goes wrong."""

import json
import subprocess
import sys

import pytest

import penstock
from penstock.cli import demo_orders
from penstock.model.headers import DeadLetterHeader
from penstock.model.reasons import REASONS
from tests.command_forks import run_command

SCRIPT = "import sys; sys.argv[0] = 'penstock'; from penstock.cli.main import main; main()"
pytestmark = pytest.mark.installed


def run(*arguments, **options):
    return run_command(*arguments, **options)


@pytest.fixture
def queue_manager():
    """QM1 with ORDERS, and a dead letter that was going there."""
    with penstock.embed("QM1", create=True) as qm:
        for name in ("ORDERS", "DEAD", "OTHER"):
            qm.mqsc(f"DEFINE QLOCAL({name}) DEFPSIST(YES)")
        qm.mqsc("ALTER QMGR DEADQ(DEAD)")
        header = DeadLetterHeader(2053, "ORDERS", "QM1", 546, 1208, "MQSTR")
        qm.put("DEAD", header.pack() + b"apples", format="MQDEAD", correl_id=b"c" * 24, priority=7)
    return "QM1"


def bodies(queue):
    with penstock.embed("QM1") as qm:
        return [message.body for message in qm.browse(queue)]


def test_dlq_retry_sends_a_letter_where_it_was_going_as_it_was(queue_manager):
    done = run("dlq", "retry", "--yes", "--json")

    assert json.loads(done.stdout)["done"] == 1, done.stderr
    with penstock.embed("QM1") as qm:
        message = qm.get("ORDERS")
    assert (message.body, message.format, message.correl_id) == (b"apples", "MQSTR", b"c" * 24)
    assert (message.priority, message.persistent) == (7, True)
    assert bodies("DEAD") == []


def test_dlq_retry_leaves_a_letter_that_cannot_go_and_ends_with_1(queue_manager):
    with penstock.embed("QM1") as qm:
        qm.mqsc("ALTER QLOCAL(ORDERS) PUT(DISABLED)")

    done = run("dlq", "retry", "--yes")

    assert done.returncode == 1
    assert "2051" in done.stdout
    assert len(bodies("DEAD")) == 1


def test_dlq_dry_run_and_filter_change_nothing(queue_manager):
    assert "1 message." in run("dlq", "move", "OTHER", "--dry-run").stdout
    assert "0 messages" in run("dlq", "move", "OTHER", "--reason", "2030", "--yes").stdout

    assert len(bodies("DEAD")) == 1


def test_dlq_export_removes_only_what_is_in_the_file(queue_manager, tmp_path):
    file = tmp_path / "letters.jsonl"

    run("dlq", "export", str(file), "--remove", "--yes")

    letter = json.loads(file.read_text())
    assert (letter["body"], letter["reason"], letter["destination"]) == ("apples", 2053, "ORDERS")
    assert bodies("DEAD") == []


def test_get_into_a_file_that_cannot_be_written_loses_nothing(queue_manager, tmp_path):
    done = run("get", "DEAD", "--file", str(tmp_path / "missing" / "file"))

    assert done.returncode == 1
    assert len(bodies("DEAD")) == 1


def test_get_into_a_full_device_loses_nothing(queue_manager):
    done = run("get", "DEAD", "--file", "/dev/full")

    assert done.returncode == 1
    assert len(bodies("DEAD")) == 1


def test_a_record_is_put_with_what_describes_it(queue_manager, tmp_path):
    record = tmp_path / "record.bin"
    record.write_bytes("ORDER 7".encode("cp037"))

    described = ("--ccsid", "37", "--encoding", "785", "--format", "MYREC")
    done = run("put", "OTHER", "--file", str(record), *described)

    assert done.returncode == 0, done.stderr
    with penstock.embed("QM1") as qm:
        descriptor = qm.get("OTHER").descriptor
    assert (descriptor.ccsid, descriptor.encoding, descriptor.format) == (37, 785, "MYREC")


def test_text_is_put_as_text_and_a_file_as_it_is(queue_manager, tmp_path):
    file = tmp_path / "body"
    file.write_bytes(b"\xff\x00")

    run("put", "OTHER", "words")
    run("put", "OTHER", "--file", str(file), "--property", "size=2")

    with penstock.embed("QM1") as qm:
        text, binary = qm.get("OTHER"), qm.get("OTHER")
    assert (text.body, text.format) == (b"words", "MQSTR")
    assert (binary.body, binary.format, dict(binary.properties)) == (b"\xff\x00", "", {"size": 2})


def test_the_trigger_monitor_starts_the_program_with_its_structure(queue_manager, tmp_path):
    program = tmp_path / "program"
    program.write_text('#!/bin/sh\nprintf "%s" "$1" > "$(dirname "$0")/got"\n')
    program.chmod(0o700)
    with penstock.embed("QM1") as qm:
        qm.mqsc(f"DEFINE PROCESS(P) APPLICID('{program}')")
        qm.mqsc("DEFINE QLOCAL(W) TRIGGER TRIGTYPE(FIRST) PROCESS(P) INITQ(SYSTEM.DEFAULT.INITIATION.QUEUE)")
        qm.put("W", b"job", persistent=True)

    done = run("trigger-monitor", "--count", "1", "--wait", "60")

    assert "ended with 0" in done.stdout, done.stderr
    structure = (tmp_path / "got").read_text()
    assert structure.startswith("TMC    2W ")
    assert "QM1" in structure


def test_get_from_a_queue_that_is_not_there_leaves_the_file_as_it_was(queue_manager, tmp_path):
    file = tmp_path / "notes"
    file.write_text("precious")

    for queue in ("NOWHERE", "OTHER"):
        assert run("get", queue, "--file", str(file)).returncode == 1

    assert file.read_text() == "precious"


def test_get_replaces_what_the_file_held(queue_manager, tmp_path):
    file = tmp_path / "notes"
    file.write_text("something longer than the message")
    run("put", "OTHER", "words")

    run("get", "OTHER", "--file", str(file))

    assert file.read_text() == "words"


def test_dlq_retry_says_that_a_letter_has_no_destination(queue_manager):
    with penstock.embed("QM1") as qm:
        qm.put("DEAD", b"no header")

    done = run("dlq", "retry", "--dry-run")

    assert done.stdout.splitlines() == [
        "1 message without a destination: `dlq move` takes those.",
        "retry from DEAD: 1 message. Nothing was done.",
    ]


def put_given_up(*texts):
    with penstock.embed("QM1") as qm:
        for text in texts:
            given = {"cause": 8205, "flow": "book", "node": "Book", "text": text}
            qm.put("OTHER", b"x", properties={f"penstock.{name}": value for name, value in given.items()})


def headings():
    shown = run("dlq", "list", "--queue", "OTHER").stdout.splitlines()
    return [line for line in shown if " at node " in line]


def test_dlq_list_has_a_heading_for_each_text(queue_manager):
    put_given_up("NOT NULL failed", "UNIQUE failed", "NOT NULL failed")

    first, second = headings()

    assert first.startswith("2 messages: 8205 ")
    assert first.endswith(" at node Book of flow book: NOT NULL failed")
    assert second.startswith("1 message: 8205 ")
    assert second.endswith(" at node Book of flow book: UNIQUE failed")


def test_dlq_list_names_the_reason_on_a_backout_queue(queue_manager):
    put_given_up("NOT NULL failed")

    _, columns, row = run("dlq", "list", "--queue", "OTHER").stdout.splitlines()

    name = REASONS[8205].name
    assert (columns.split()[3], row.split()[2:4]) == ("REASON_NAME", ["8205", name])


def test_dlq_list_counts_texts_that_are_too_many_for_headings(queue_manager):
    put_given_up(*(f"no order {number}" for number in range(11)), "no order 0")

    (only,) = headings()

    assert only.startswith("12 messages, 11 texts: 8205 ")
    assert only.endswith(" at node Book of flow book: such as no order 0")


def test_a_script_at_creation_counts_its_own_lines(tmp_path):
    script = tmp_path / "two.mqsc"
    script.write_text("DEFINE QLOCAL(A)\nDEFINE QLOCAL(A)\n")

    done = run("qmgr", "create", "QM2", "-u", "DEAD", "--mqsc", str(script))

    assert done.returncode == 10
    assert "line 2: AMQ8150E" in done.stdout


def test_status_of_an_ended_queue_manager_does_not_call_it_running(queue_manager):
    done = run("qmgr", "status", "QM1", "--json")

    facts = json.loads(done.stdout)
    assert (done.returncode, facts["status"], facts["holder"]) == (1, "Ended", None)
    assert [key for key in facts if key != key.lower()] == []


def test_delete_in_json_does_not_ask(queue_manager):
    done = run("qmgr", "delete", "QM1", "--json")

    assert (done.returncode, done.stdout) == (2, "")
    assert len(bodies("DEAD")) == 1


def test_without_a_queue_manager_the_way_to_make_one_is_shown():
    assert "penstock qmgr create" in run("put", "ORDERS", "words").stderr
    assert "penstock qmgr create" in run("qmgr", "list").stderr


def test_the_demo_counts_every_order():
    done = run("demo", "--orders", "3000", "--engine", "inline")

    assert done.returncode == 0, done.stderr
    assert "promises kept" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("inline   first result after ")
    assert any(line.startswith("   <Bill") and line.endswith("</Bill>") for line in done.stdout.splitlines())


def test_doctor_counts_the_modules_that_are_compiled():
    shown = run("doctor").stdout.splitlines()
    listed = [each["subject"] for each in json.loads(run("doctor", "--json").stdout)]

    assert sum(line.endswith(" compiled") for line in shown) == 1
    assert any(line.startswith("ok  modules") for line in shown)
    assert "penstock.model.message" in listed


def test_what_the_demo_would_not_overlook():
    count = demo_orders.Count()
    count.add("BILLING", [demo_orders.order(1), demo_orders.order(3), demo_orders.order(3)])
    count.add("WAREHOUSE", [demo_orders.order(5)])
    assert (count.lost(5), count.doubled(), count.astray()) == (2, 1, 1)


def test_a_put_that_stops_in_the_middle_says_how_far_it_came(queue_manager):
    with penstock.embed("QM1") as qm:
        qm.mqsc("ALTER QLOCAL(OTHER) MAXDEPTH(150)")

    done = run("put", "OTHER", "words", "--count", "200")

    assert done.returncode == 1
    assert done.stderr.startswith("100 of 200 messages are put on OTHER.\npenstock: 2053 ")
    assert len(bodies("OTHER")) == 100


def test_a_reader_that_has_gone_is_no_failure(queue_manager):
    run("put", "OTHER", "words", "--count", "2000")
    command = [sys.executable, "-c", SCRIPT, "browse", "OTHER"]

    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as browsing:
        browsing.stdout.close()
        said = browsing.stderr.read()

    assert said == b""


@pytest.mark.parametrize(
    ("text", "encoding", "option", "note"),
    [
        ("Bestände: 5 €", "utf-8", (), ""),
        ("Bestände: 5 €", "utf-8-sig", (), ""),
        ("Bestände: 5 €", "utf-16", (), ""),
        ("Bestände: 5 €", "utf-16-be", ("--encoding", "utf-16-be"), ""),
        ("Bestände: 5 €", "cp1252", (), "read as Windows-1252"),
        ("Bestände: 5 €", "cp1252", ("--encoding", "cp1252"), ""),
        ("Bestände \x81", "latin-1", (), "read as Latin-1"),
    ],
)
def test_a_script_may_be_in_another_encoding(queue_manager, tmp_path, text, encoding, option, note):
    script = tmp_path / "old.mqsc"
    script.write_bytes(f"DEFINE QLOCAL(OLD) DESCR('{text}')\n".encode(encoding))

    done = run("mqsc", queue_manager, str(script), *option)

    assert done.returncode == 0, done.stderr
    assert note in done.stderr
    assert bool(done.stderr) == bool(note)
    with penstock.embed("QM1") as qm:
        described = qm.mqsc("DISPLAY QLOCAL(OLD) DESCR")[0].attributes["DESCR"]
    assert described == text


def test_a_script_is_not_read_in_an_encoding_that_it_is_not(queue_manager, tmp_path):
    script = tmp_path / "old.mqsc"
    script.write_bytes("PING QMGR * ä".encode("latin-1"))
    assert run("mqsc", queue_manager, str(script), "--encoding", "utf-8").returncode == 20
    assert run("mqsc", queue_manager, str(script), "--encoding", "no-such").returncode == 20
    created = run("qmgr", "create", "QM2", "--mqsc", str(script))
    assert "Windows-1252" in created.stderr


def test_browse_shows_all_messages_with_those_that_a_flow_holds(queue_manager):
    with penstock.embed("QM1") as qm:
        qm.put_many("ORDERS", [b"first", b"second", b"third"])
        qm.batches.reserve(
            "orders/In", "ORDERS", after=0, epoch=qm.batches.new_epoch("orders/In"), max_rows=2
        )

    assert run("browse", "ORDERS").stdout == "third\n"
    shown = run("browse", "ORDERS", "--all")
    held = "[held by flow orders/In, batch 1]"
    assert shown.stdout.splitlines() == [f"{held} first", f"{held} second", "third"], shown.stderr
    rows = [json.loads(line) for line in run("browse", "ORDERS", "--all", "--json").stdout.splitlines()]
    assert [row["held_by"] for row in rows] == ["flow orders/In, batch 1"] * 2 + [None]
    assert run("browse", "ORDERS", "--all", "--count", "1").stdout == f"{held} first\n"
    assert run("browse", "ORDERS", "--all", "--selector", "a = 1").returncode == 2
    assert bodies("ORDERS") == [b"third"]


def test_create_gives_a_dead_letter_queue_unless_told_not_to():
    def dead_letter_queue(name):
        shown = run("mqsc", name, "--no-echo", "-c", "DISPLAY QMGR DEADQ").stdout
        return shown.partition("DEADQ(")[2].partition(")")[0].strip()

    run("qmgr", "create", "QM2")
    assert dead_letter_queue("QM2") == "SYSTEM.DEAD.LETTER.QUEUE"
    run("qmgr", "create", "QM3", "--no-dead-letter-queue")
    assert dead_letter_queue("QM3") == ""
    run("qmgr", "create", "QM4", "-u", "MINE")
    assert dead_letter_queue("QM4") == "MINE"


def test_create_with_a_port_defines_a_listener_that_starts_with_the_queue_manager():
    run("qmgr", "create", "QM2", "-p", "1499")
    shown = run("mqsc", "QM2", "--no-echo", "-c", "DISPLAY LISTENER(SYSTEM.LISTENER*) PORT CONTROL").stdout
    assert "LISTENER(SYSTEM.LISTENER.TCP.1)" in shown
    assert "CONTROL(QMGR)" in shown
    assert "PORT(1499)" in shown
