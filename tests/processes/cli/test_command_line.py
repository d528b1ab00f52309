"""What all commands share: how the queue manager is named, who one is, --running, help, completion, JSON."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import typer.main

import penstock
from penstock.host.folders.folder_lock import holder_of, state_of
from tests.command_forks import run_command
from tests.patience import until

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.installed
PROGRAM = (str(Path(sys.executable).parent / "penstock"),)


def run(*words: str, code: int | None = 0, **variables: str) -> subprocess.CompletedProcess[str]:
    done = run_command(*words, env={**os.environ, **variables})
    assert code is None or done.returncode == code, done.stdout + done.stderr
    return done


@pytest.fixture
def home(penstock_home: Path) -> Path:
    """QM1 with queues Q and APP.ORDERS and topic object NEWS; QM2 is empty."""
    with penstock.embed("QM1", create=True) as qm:
        qm.mqsc("DEFINE QLOCAL(Q)\nDEFINE QLOCAL(APP.ORDERS)\nDEFINE TOPIC(NEWS) TOPICSTR('news/today')")
    return penstock_home


@pytest.fixture
def second(home: Path) -> None:
    penstock.embed("QM2", create=True).close()


@pytest.fixture
def served(home: Path) -> Iterator[int]:
    """QM1 runs in a process of its own."""
    run("qmgr", "start", "QM1", "--background")
    holder = holder_of(home / "QM1" / "lock")
    assert holder is not None
    yield holder.pid
    run("qmgr", "stop", "QM1", "--immediate", code=None)


def killed(home: Path, process: int) -> None:
    os.kill(process, signal.SIGKILL)
    until(lambda: holder_of(home / "QM1" / "lock") is None)


# -- a queue manager that does not run -------------------------------------------------------------


COMMANDS = [
    ("put", "Q", "x"),
    ("publish", "news/today", "x"),
    ("browse", "Q"),
    ("get", "Q"),
    ("queue", "list"),
    ("topic", "show", "news/today"),
    ("dlq", "list", "--queue", "Q"),
    ("unit", "list"),
    ("flow", "reservations", "list"),
    ("subscribe", "news/#", "--wait", "0"),
    ("mqsc", "-c", "DISPLAY QMGR"),
    ("explain-access", "-u", "somebody"),
    ("trigger-monitor", "--dry-run"),
]


def test_after_a_crash_commands_say_that_they_open_it_and_running_refuses(home: Path, served: int) -> None:
    """A probe that puts a message must be able to see that the server is down."""
    killed(home, served)

    for words in COMMANDS:
        refused = run(*words, "--running", code=20 if words[0] == "mqsc" else 1)
        assert "2059 MQRC_Q_MGR_NOT_AVAILABLE" in refused.stderr, words
        assert "Ended unexpectedly" in refused.stderr
    assert state_of(home / "QM1" / "lock")[0] == "Ended unexpectedly"
    assert run("put", "Q", "x", code=1, PENSTOCK_RUNNING="1").stdout == ""
    assert run("--running", "put", "Q", "x", code=1).stdout == ""

    said = run("put", "Q", "x")
    assert "QM1 does not run (Ended unexpectedly): this command opens it itself" in said.stderr
    assert said.stdout.startswith("Put 1 message")
    for words in COMMANDS:
        assert "does not run (Ended)" in run(*words, code=None).stderr, words


def test_one_that_was_never_served_is_opened_without_a_word(home: Path) -> None:
    assert run("put", "Q", "x").stderr == ""
    assert "2059" in run("put", "Q", "x", "--running", code=1).stderr


def test_a_flow_run_does_not_start_a_queue_manager_with_running(home: Path, tmp_path: Path) -> None:
    refused = run("flow", "run", "copy", "-p", str(tmp_path), "--running", code=1)
    assert "2059" in refused.stderr


# -- one way to name the queue manager ---------------------------------------------------------------


def test_position_option_and_variable_name_it_everywhere(second: None, home: Path, tmp_path: Path) -> None:
    script = tmp_path / "script.mqsc"
    script.write_text("DISPLAY QMGR QMNAME\n")
    for words, variables in (
        (("mqsc", "QM1", str(script)), {}),
        (("mqsc", "-m", "QM1", str(script)), {}),
        (("mqsc", str(script), "--qmgr", "QM1"), {}),
        (("mqsc", str(script)), {"PENSTOCK_QMGR": "QM1"}),
        (("mqsc", "QM1", "-c", "DISPLAY QMGR QMNAME"), {"PENSTOCK_QMGR": "QM2"}),
    ):
        assert "QMNAME(QM1)" in run(*words, **variables).stdout, words
    for words, variables in (
        (("qmgr", "status", "QM1"), {}),
        (("qmgr", "status", "-m", "QM1"), {}),
        (("qmgr", "status"), {"PENSTOCK_QMGR": "QM1"}),
        (("qmgr", "status", "QM1"), {"PENSTOCK_QMGR": "QM2"}),
    ):
        assert "QM1" in run(*words, code=1, **variables).stdout, words
    run("qmgr", "backup", "-m", "QM1", str(tmp_path / "one"))
    run("qmgr", "backup", str(tmp_path / "two"), PENSTOCK_QMGR="QM1")
    run("qmgr", "backup", "QM1", str(tmp_path / "three"))
    assert (tmp_path / "one" / "qm.ini").exists()
    assert (tmp_path / "two" / "qm.ini").exists()
    assert (tmp_path / "three" / "qm.ini").exists()


def test_two_names_and_no_name_are_usage_errors(second: None) -> None:
    assert "two queue managers" in run("qmgr", "status", "QM1", "-m", "QM2", code=2).stderr
    assert "QM1, QM2" in run("qmgr", "status", code=2).stderr
    assert "QM1, QM2" in run("mqsc", "-c", "DISPLAY QMGR", code=2).stderr


def test_creating_and_deleting_take_only_what_the_command_line_names(home: Path) -> None:
    assert run("qmgr", "delete", "--yes", code=2, PENSTOCK_QMGR="QM1").stdout == ""
    assert run("qmgr", "create", code=2, PENSTOCK_QMGR="QM3").stdout == ""
    run("qmgr", "create", "-m", "QM3")
    run("qmgr", "delete", "-m", "QM3", "--yes")
    assert sorted(each["name"] for each in json.loads(run("qmgr", "list", "--json").stdout)) == ["QM1"]


def test_start_and_stop_by_option(home: Path) -> None:
    run("qmgr", "start", "-m", "QM1", "--background")
    assert run("put", "Q", "x", "--running").stderr == ""
    run("qmgr", "stop", PENSTOCK_QMGR="QM1")


# -- who one is ------------------------------------------------------------------------------------


def test_user_and_password_file_stand_before_or_behind_the_command(home: Path, tmp_path: Path) -> None:
    password = tmp_path / "password"
    password.write_text("open sesame\n")
    run("user", "add", "ann", "--password-file", str(password))
    with penstock.embed("QM1") as qm:
        qm.mqsc(
            """DEFINE CHANNEL(C) CHLTYPE(SVRCONN)
            SET CHLAUTH(C) TYPE(ADDRESSMAP) ADDRESS('127.0.0.1') USERSRC(CHANNEL) CHCKCLNT(REQUIRED)
            SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('ann') AUTHADD(CONNECT)
            SET AUTHREC PROFILE(Q) OBJTYPE(QUEUE) PRINCIPAL('ann') AUTHADD(PUT)"""
        )
    run("qmgr", "start", "QM1", "--background", "--port", "0")
    try:
        port = json.loads(run("qmgr", "status", "QM1", "--json").stdout)["listeners"][0]["PORT"]
        there = ("put", "Q", "x", "-m", f"mq://127.0.0.1:{port}/QM1?channel=C")
        who = ("--user", "ann", "--password-file", str(password))
        run(*who, *there)
        run(*there, *who)
        run(*there, PENSTOCK_USER="ann", PENSTOCK_PASSWORD_FILE=str(password))
        run(*there, *who, PENSTOCK_USER="nobody")
        assert "2035" in run(*there, code=1).stderr
    finally:
        run("qmgr", "stop", "QM1", "--immediate")


def test_user_counts_on_the_local_socket_or_is_said_to_have_no_effect(home: Path, tmp_path: Path) -> None:
    password, wrong = tmp_path / "password", tmp_path / "wrong"
    password.write_text("open sesame\n")
    wrong.write_text("guessed\n")
    run("user", "add", "ann", "--password-file", str(password))
    with penstock.embed("QM1") as qm:
        qm.mqsc(
            """SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('ann') AUTHADD(CONNECT)
            SET AUTHREC PROFILE(Q) OBJTYPE(QUEUE) PRINCIPAL('ann') AUTHADD(PUT)
            ALTER AUTHINFO(SYSTEM.DEFAULT.AUTHINFO.IDPWOS) AUTHTYPE(IDPWOS) FAILDLAY(0)"""
        )
    ann = ("--user", "ann", "--password-file", str(password))
    assert "--user ann has no effect: this command opens QM1 itself" in run("put", "Q", "x", *ann).stderr
    run("qmgr", "start", "QM1", "--background")
    try:
        assert run("put", "Q", "x", *ann).stderr == ""
        assert (
            "2035" in run("put", "APP.ORDERS", "x", *ann, code=1).stderr
        )  # ann's authority, not the owner's
        assert "2035" in run("put", "Q", "x", "--user", "ann", "--password-file", str(wrong), code=1).stderr
        run("mqsc", "-c", "ALTER AUTHINFO(SYSTEM.DEFAULT.AUTHINFO.IDPWOS) AUTHTYPE(IDPWOS) CHCKLOCL(NONE)")
        told = run("put", "APP.ORDERS", "x", *ann).stderr
        assert "--user ann has no effect: the local socket of QM1 knows this program as" in told
    finally:
        run("qmgr", "stop", "QM1", "--immediate")


def test_explain_access_keeps_its_own_user(home: Path) -> None:
    found = json.loads(run("explain-access", "--user", "nobody", "--json", code=1).stdout)
    assert found["user"] == "nobody"


# -- help and JSON ---------------------------------------------------------------------------------


def all_commands() -> dict[str, object]:
    from penstock.cli.main import application

    found: dict[str, object] = {}
    waiting = [("", typer.main.get_command(application()))]
    while waiting:
        name, command = waiting.pop()
        inner = getattr(command, "commands", None)
        if inner:
            waiting += [(f"{name} {word}".strip(), each) for word, each in inner.items()]
        else:
            found[name] = command
    return found


PRINT_NO_FACTS = {"convert", "demo", "bridge run", "lab driver"}  # a message, a show, two that serve others


def test_every_command_that_prints_facts_has_json() -> None:
    without = {
        name
        for name, command in all_commands().items()
        if "--json" not in {word for parameter in command.params for word in parameter.opts}  # type: ignore[attr-defined]
    }
    assert without == PRINT_NO_FACTS


def test_mqsc_runs_every_command_that_it_is_given(home: Path) -> None:
    run("mqsc", "QM1", "--quiet", "-c", "DEFINE QLOCAL(FIRST)", "-c", "DEFINE QLOCAL(SECOND)")
    with penstock.embed("QM1") as qm:
        assert {each.queue for each in qm.queues()} >= {"FIRST", "SECOND"}


def test_the_console_tells_programs_its_address_and_port(home: Path) -> None:
    with subprocess.Popen(
        [*PROGRAM, "console", "--json"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as console:
        assert console.stdin is not None
        assert console.stdout is not None
        first = json.loads(console.stdout.readline())
        console.stdin.write("\n")
        console.stdin.flush()
        second = json.loads(console.stdout.readline())
        console.terminate()
    assert first["address"].startswith(f"http://127.0.0.1:{first['port']}/?key=")
    assert second["port"] == first["port"]
    assert second["address"] != first["address"]
    assert console.returncode == 0


def test_every_command_with_a_queue_manager_has_the_options_of_a_connection() -> None:
    for name, command in all_commands().items():
        words = {word for parameter in command.params for word in parameter.opts}  # type: ignore[attr-defined]
        local = name in ("qmgr create", "qmgr delete", "qmgr recover", "qmgr start")
        if "--qmgr" in words and not local:
            assert {"-m", "--user", "--password-file", "--running"} <= words, name


@pytest.mark.parametrize("words", [(), ("qmgr",), ("flow",), ("flow", "reservations"), ("dlq",)])
def test_no_sentence_of_the_help_is_cut_off(words: tuple[str, ...]) -> None:
    shown = run(*words, "--help").stdout
    assert "..." not in shown.replace("[ARGS]...", "")


def test_help_groups_the_commands() -> None:
    shown = run("--help").stdout
    places = [
        shown.index(f"{heading}:") for heading in ("Queue managers", "Messages", "Message flows", "Help")
    ]
    assert places == sorted(places)
    for name in all_commands():
        assert f"\n  {name.split()[0]} " in shown


def test_version_in_json() -> None:
    assert json.loads(run("version", "--json").stdout) == {"version": penstock.__version__}


# -- TAB -------------------------------------------------------------------------------------------


def offered(*words: str) -> list[str]:
    """Return what bash would offer behind some words."""
    done = run(
        _PENSTOCK_COMPLETE="complete_bash",
        COMP_WORDS=" ".join(("penstock", *words)),
        COMP_CWORD=str(len(words)),
    )
    assert done.stderr == ""
    assert "" not in done.stdout.splitlines() or done.stdout == "\n"
    return done.stdout.split()


@pytest.mark.parametrize("runs", [False, True])
def test_tab_offers_names(home: Path, request: pytest.FixtureRequest, runs: bool) -> None:
    if runs:
        request.getfixturevalue("served")
    assert offered("get", "") == ["APP.ORDERS", "Q"]
    assert offered("browse", "APP") == ["APP.ORDERS"]
    assert "SYSTEM.DEAD.LETTER.QUEUE" in offered("get", "SYSTEM.DEAD")
    assert offered("get", "-m", "") == ["QM1"]
    assert offered("qmgr", "stop", "") == ["QM1"]
    assert "news/today" in offered("publish", "news/")
    assert "news/today" in offered("publish", "")
    assert offered("queue", "list", "A") == ["APP.ORDERS"]
    assert offered("dlq", "move", "AP") == ["APP.ORDERS"]


def test_tab_offers_flows(home: Path, tmp_path: Path) -> None:
    flows = tmp_path / "project" / "flows"
    flows.mkdir(parents=True)
    (flows / "copy.py").write_text(
        "from penstock.flow import Flow, nodes\n"
        'flow = Flow("copying")\n'
        'start = flow.add(nodes.MQInput("IN"))\n'
        'start.out >> flow.add(nodes.MQOutput("OUT")).in_\n'
    )
    assert offered("flow", "run", "-p", str(tmp_path / "project"), "") == ["copying"]
    assert offered("flow", "trace", "-p", str(tmp_path / "project"), "co") == ["copying"]

    run("deploy", str(tmp_path / "project"))
    for command in ("failures", "follow", "start", "stop"):
        assert offered("flow", command, "") == ["copying"]


def test_tab_offers_nothing_where_something_is_wrong(home: Path) -> None:
    assert offered("get", "-m", "NOBODY", "") == []
    assert offered("get", "-m", "mq://127.0.0.1:1/QM1", "") == []
    assert offered("flow", "run", "") == []


def test_python_m_penstock_is_the_command() -> None:
    told = subprocess.run([sys.executable, "-m", "penstock", "--version"], capture_output=True, text=True)

    assert told.returncode == 0, told.stderr
    assert told.stdout.strip() == penstock.__version__


# -- a reader that has ended -----------------------------------------------------------------------


def test_a_reader_that_has_ended_is_no_failure_to_tell(home: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    try:
        done = subprocess.run(
            [*PROGRAM, "mqsc", "QM1", "-c", "DISPLAY QUEUE(*) ALL"],
            stdout=write,
            stderr=subprocess.PIPE,
            text=True,
            timeout=120,
            check=False,
        )
    finally:
        os.close(write)
    assert (done.returncode, done.stderr) == (128 + 13, "")
