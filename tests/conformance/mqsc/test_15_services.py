"""Clause 15: SERVICE objects: programs that a running queue manager starts, watches and ends."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import pytest

import penstock
from tests.conformance.client.conftest import Running, make
from tests.patience import until

pytestmark = pytest.mark.installed

# writes its arguments, then waits; a file named STOP beside it, or SIGTERM, ends it
SERVER = """
import os, pathlib, signal, sys, time
here = pathlib.Path(__file__).parent
if "stubborn" in sys.argv:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
print(repr(sys.argv[1:]), flush=True)
print("started", file=sys.stderr, flush=True)
(here / "pids").open("a").write(f"{os.getpid()}\\n")
while not (here / "STOP").exists():
    time.sleep(0.02)
"""


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "server.py"
    path.write_text(SERVER)
    return path


@pytest.fixture
def running(penstock_home):
    make(penstock_home)
    running = Running(penstock_home)
    running.start()
    yield running
    running.stop()


@pytest.fixture
def admin(running):
    with penstock.connect("QM1") as admin:
        yield admin


def done(admin, text):
    for reply in admin.mqsc(text):
        assert not reply.failed, reply.text


def service(program, name="S", arguments="", rest=""):
    """Return the definition of a server service that runs the program."""
    return (
        f"DEFINE SERVICE({name}) SERVTYPE(SERVER) STARTCMD('{sys.executable}')"
        f" STARTARG('{program} {arguments}') STDOUT('{program.parent}/out')"
        f" STDERR('{program.parent}/problems') {rest} REPLACE"
    )


def status(admin, name="S"):
    found = [reply.attributes for reply in admin.mqsc(f"DISPLAY SVSTATUS({name}) ALL") if reply.attributes]
    return found[0] if found else None


def is_gone(pid):
    """Whether no process has this number, not even as a zombie."""
    return not Path(f"/proc/{pid}").exists()


def error_log(home):
    path = home / "QM1" / "errors" / "AMQERR01.LOG"
    return path.read_text() if path.exists() else ""


def pids(program):
    path = program.parent / "pids"
    return [int(line) for line in path.read_text().split()] if path.exists() else []


def test_a_server_is_started_watched_and_stopped_by_commands(admin, program):
    done(admin, service(program, rest="STOPCMD('/bin/kill') STOPARG('-TERM +MQ_SERVER_PID+') DESCR('mine')"))
    done(admin, "START SERVICE(S)")
    until(lambda: status(admin)["PID"] and pids(program))
    told = status(admin)
    assert (told["STATUS"], [told["PID"]], told["DESCR"]) == ("RUNNING", pids(program), "mine")
    assert (told["SERVTYPE"], told["STARTDA"]) == ("SERVER", time.strftime("%Y-%m-%d"))
    (brief,) = admin.mqsc("DISPLAY SVSTATUS(*)")
    assert list(brief.attributes) == ["SERVICE", "STATUS", "PID"]
    assert admin.mqsc("START SERVICE(S)")[0].reason == 3251
    done(admin, "START SERVICE(S) IGNSTATE(YES)\nSTOP SERVICE(S)")
    until(lambda: status(admin) is None)
    assert is_gone(told["PID"])
    assert admin.mqsc("STOP SERVICE(S)")[0].reason == 3253
    done(admin, "STOP SERVICE(S) IGNSTATE(YES)")
    assert len(pids(program)) == 1


def test_arguments_are_split_without_a_shell_and_inserts_replaced(admin, program, penstock_home):
    done(admin, service(program, arguments='"one two" $HOME ; +QMNAME+ x+MQ_Q_MGR_DATA_PATH+y +NO_SUCH+'))
    done(admin, "START SERVICE(S)")
    folder = penstock_home / "QM1"
    expected = repr(["one two", "$HOME", ";", "QM1", f"x{folder}y", "+NO_SUCH+"])
    out = program.parent / "out"
    until(lambda: out.exists() and out.read_text().endswith("\n"))
    assert out.read_text().strip() == expected
    until(lambda: (program.parent / "problems").read_text() == "started\n")


def test_the_death_of_a_server_is_noticed_and_leaves_no_zombie(admin, program, penstock_home):
    done(admin, service(program) + "\nSTART SERVICE(S)")
    until(lambda: pids(program))
    (pid,) = pids(program)
    os.kill(pid, signal.SIGKILL)
    until(lambda: status(admin) is None)
    assert is_gone(pid)
    assert f"The server 'S' has ended by signal 9. ProcessId({pid})." in error_log(penstock_home)
    done(admin, "START SERVICE(S)")
    until(lambda: len(pids(program)) == 2)


def test_a_script_sees_what_it_has_just_started(admin, program):
    replies = admin.mqsc(service(program) + "\nSTART SERVICE(S)\nDISPLAY SVSTATUS(S) ALL")
    told = replies[-1].attributes
    assert told["STATUS"] in ("STARTING", "RUNNING")
    assert (told["SERVICE"], told["SERVTYPE"]) == ("S", "SERVER")
    assert (told["PID"] == 0) is (told["STATUS"] == "STARTING")
    until(lambda: status(admin)["STATUS"] == "RUNNING")


def test_a_script_may_stop_what_it_has_just_started(admin, program):
    done(admin, service(program, rest="STOPCMD('/bin/kill') STOPARG('+MQ_SERVER_PID+')"))
    done(admin, "START SERVICE(S)\nSTOP SERVICE(S)")
    until(lambda: status(admin) is None)
    assert admin.mqsc("STOP SERVICE(S)")[0].reason == 3253


def test_what_is_missing_is_said_before_anything_runs(admin, program):
    done(admin, "DEFINE SERVICE(EMPTY)\n" + service(program, name="NO.STOP"))
    assert admin.mqsc("START SERVICE(EMPTY)")[0].reason == 3262
    assert admin.mqsc("START SERVICE(NO.SUCH)")[0].reason == 2085
    done(admin, "START SERVICE(NO.STOP)")
    until(lambda: pids(program))
    assert admin.mqsc("STOP SERVICE(NO.STOP)")[0].reason == 3263
    done(admin, "ALTER SERVICE(EMPTY) STARTCMD('/bin/true') STARTARG('\"open')")
    assert admin.mqsc("START SERVICE(EMPTY)")[0].reason == 4005
    assert status(admin, "EMPTY") is None


def test_a_program_that_cannot_be_run_is_in_the_error_log(admin, penstock_home):
    done(admin, "DEFINE SERVICE(S) SERVTYPE(SERVER) STARTCMD('/no/such/program')\nSTART SERVICE(S)")
    until(lambda: "AMQ5036E" in error_log(penstock_home))
    assert "No such file" in error_log(penstock_home)
    assert status(admin) is None


def test_commands_run_as_often_as_asked_and_have_no_status(admin, program, penstock_home):
    done(admin, service(program).replace("SERVTYPE(SERVER)", "SERVTYPE(COMMAND)"))
    done(admin, "START SERVICE(S)\nSTART SERVICE(S)")
    until(lambda: len(pids(program)) == 2)
    assert status(admin) is None
    (program.parent / "STOP").touch()
    until(lambda: all(map(is_gone, pids(program))))
    assert error_log(penstock_home).count("AMQ5030I") == 2


def test_services_start_and_end_with_the_queue_manager(running, admin, program):
    stop = f"STOPCMD('/bin/touch') STOPARG('{program.parent}/STOP')"
    done(admin, service(program, rest=f"CONTROL(QMGR) {stop}"))
    done(admin, service(program, name="PLAIN", rest="CONTROL(QMGR)"))
    done(admin, service(program, name="HAND", rest="CONTROL(MANUAL)"))
    assert status(admin, "*") is None
    admin.close()
    running.stop()
    assert not pids(program)

    running.start()
    until(lambda: len(pids(program)) == 2)
    with penstock.connect("QM1") as again:
        assert {each["PID"] for each in (status(again), status(again, "PLAIN"))} == set(pids(program))
        done(again, "START SERVICE(HAND)")
        until(lambda: len(pids(program)) == 3)
    running.stop()
    assert (program.parent / "STOP").exists()
    assert all(map(is_gone, pids(program)))


def test_a_server_that_does_not_end_is_made_to(running, admin, program, penstock_home):
    done(admin, service(program, arguments="stubborn") + "\nSTART SERVICE(S)")
    until(lambda: pids(program))
    admin.close()
    running.stop()
    assert is_gone(pids(program)[0])
    assert "has ended by signal 9" in error_log(penstock_home)


def test_startonly_goes_on_without_the_queue_manager(running, admin, program):
    done(admin, service(program, rest="CONTROL(STARTONLY)") + "\nSTART SERVICE(S)")
    until(lambda: pids(program))
    admin.close()
    running.stop()
    assert not is_gone(pids(program)[0])
    (program.parent / "STOP").touch()
    until(lambda: Path(f"/proc/{pids(program)[0]}").exists() is False or _is_zombie(pids(program)[0]))


def _is_zombie(pid):
    """Whether a process has ended and waits for whoever has adopted it."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


@pytest.mark.parametrize(
    "command",
    [
        "DEFINE SERVICE(NEW)",
        "ALTER SERVICE(S) DESCR('x')",
        "DELETE SERVICE(S)",
        "START SERVICE(S)",
        "STOP SERVICE(S)",
    ],
)
def test_only_administrators_run_programs(qm, penstock_home, command):
    from tests.conformance.access.authority_steps import add_users, grant, let_in

    qm.mqsc("DEFINE SERVICE(S)")
    add_users(penstock_home, bob="")
    let_in(qm, "PRINCIPAL('bob')")
    grant(
        qm,
        "PROFILE(S) OBJTYPE(SERVICE) PRINCIPAL('bob') AUTHADD(ALLADM)",
        "PROFILE('@class') OBJTYPE(SERVICE) PRINCIPAL('bob') AUTHADD(CRT)",
    )
    with penstock.embed("QM1", user="bob") as bob:
        (reply,) = bob.mqsc(command)
        assert (reply.reason, "only an administrator" in reply.text) == (2035, True)
        assert not bob.mqsc("DISPLAY SERVICE(S)")[0].failed


def test_an_embedded_queue_manager_says_that_services_do_not_run(qm):
    qm.mqsc("DEFINE SERVICE(S) STARTCMD('/bin/true') CONTROL(QMGR)")
    (reply,) = qm.mqsc("START SERVICE(S)")
    assert (reply.id, reply.reason) == ("AMQ8146E", 2059)
    assert "`penstock qmgr start`" in reply.text
    assert qm.mqsc("DISPLAY SVSTATUS(*)")[0].id == "AMQ8147E"
