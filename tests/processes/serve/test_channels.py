"""Listeners and channels as MQSC shows and steers them, while clients use them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import penstock
from tests.patience import until
from tests.ports import free_port

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.served import Served

pytestmark = pytest.mark.installed


def rows(qm: penstock.ClientQueueManager, command: str) -> list[dict[str, Any]]:
    return [dict(reply.attributes) for reply in qm.mqsc(command) if reply.attributes]


def test_chstatus_shows_live_figures(served: Served) -> None:
    with served.local() as admin, served.connect(application="figures", share=False) as qm:
        for _ in range(3):
            qm.put("APP.Q", b"x" * 100)
            qm.get("APP.Q")
        shown = [
            each for each in rows(admin, "DISPLAY CHSTATUS(APP.SVRCONN) ALL") if each["RAPPLTAG"] == "figures"
        ]
    assert len(shown) == 1
    status = shown[0]
    assert (status["STATUS"], status["MCAUSER"], status["CONNAME"]) == ("RUNNING", "app", "127.0.0.1")
    assert int(status["MSGS"]) == 6
    assert int(status["BYTSRCVD"]) > 300
    assert int(status["CURSHCNV"]) == 1
    assert status["MAXSHCNV"] == 10


def test_display_conn_names_channel_and_address(served: Served) -> None:
    with served.local() as admin, served.connect(application="conn-test", share=False):
        shown = rows(admin, "DISPLAY CONN(*) TYPE(CONN) ALL")
    by_name = {each["APPLTAG"]: each for each in shown}
    assert by_name["conn-test"]["CHANNEL"] == "APP.SVRCONN"
    assert by_name["conn-test"]["CONNAME"].startswith("127.0.0.1(")
    assert by_name["conn-test"]["USERID"] == "app"


def test_connections_share_a_socket_as_far_as_sharecnv_goes(served: Served) -> None:
    with served.local() as admin:
        admin.mqsc("ALTER CHANNEL(APP.SVRCONN) CHLTYPE(SVRCONN) SHARECNV(3)")
        opened = [served.connect(user="sharing") for _ in range(7)]
        for qm in opened:
            qm.put("APP.Q", b"x")
        assert len({id(qm.link) for qm in opened}) == 3
        counts = sorted(int(each["CURSHCNV"]) for each in rows(admin, "DISPLAY CHSTATUS(APP.SVRCONN) ALL"))
        for qm in opened:
            assert qm.get("APP.Q") is not None
            qm.close()
        admin.mqsc("ALTER CHANNEL(APP.SVRCONN) CHLTYPE(SVRCONN) SHARECNV(10)")
    assert counts[-3:] == [1, 3, 3]


@pytest.mark.parametrize("limit", ["MAXINST", "MAXINSTC"])
def test_a_channel_runs_as_often_as_it_may(served: Served, limit: str) -> None:
    with served.local() as admin:
        admin.mqsc(f"DEFINE CHANNEL({limit}) CHLTYPE(SVRCONN) {limit}(2) REPLACE")
        admin.mqsc(f"SET CHLAUTH({limit}) TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(MAP) MCAUSER('app')")
        opened = [penstock.connect(served.address(limit), share=False) for _ in range(2)]
        with pytest.raises(penstock.MQError) as caught:
            penstock.connect(served.address(limit), share=False)
        assert caught.value.reason == 2537
        opened[0].close()
        until(lambda: len(rows(admin, f"DISPLAY CHSTATUS({limit})")) == 1)
        penstock.connect(served.address(limit), share=False).close()
        opened[1].close()
    assert limit in served.log()


def test_a_stopped_channel_takes_nobody_until_it_is_started(served: Served) -> None:
    with served.local() as admin:
        admin.mqsc("DEFINE CHANNEL(STOPPED) CHLTYPE(SVRCONN) REPLACE")
        admin.mqsc("SET CHLAUTH(STOPPED) TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(MAP) MCAUSER('app')")
        qm = penstock.connect(served.address("STOPPED"), share=False)
        admin.mqsc("STOP CHANNEL(STOPPED)")
        until(lambda: _fails(lambda: qm.put("APP.Q", b"")))
        with pytest.raises(penstock.MQError) as caught:
            penstock.connect(served.address("STOPPED"), share=False)
        assert caught.value.reason == 2537
        qm.close()
        until(lambda: [each["STATUS"] for each in rows(admin, "DISPLAY CHSTATUS(STOPPED)")] == ["STOPPED"])
        admin.mqsc("START CHANNEL(STOPPED)")
        until(lambda: not _fails(lambda: penstock.connect(served.address("STOPPED"), share=False).close()))


def test_a_shared_socket_of_a_stopped_channel_takes_no_further_connection(served: Served) -> None:
    address = served.address("SHARED")
    with served.local() as admin:
        admin.mqsc("DEFINE CHANNEL(SHARED) CHLTYPE(SVRCONN) SHARECNV(10) REPLACE")
        admin.mqsc("SET CHLAUTH(SHARED) TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(MAP) MCAUSER('app')")
        first, second = penstock.connect(address), penstock.connect(address)
        with first.unit_of_work():
            first.put("APP.Q", b"begun")
            admin.mqsc("STOP CHANNEL(SHARED)")
            until(lambda: _fails(lambda: penstock.connect(address)))
            with pytest.raises(penstock.MQError) as caught:
                penstock.connect(address)
            assert caught.value.reason == 2537
            with pytest.raises(penstock.MQError, match="channel SHARED is stopped"):
                second.get("APP.Q")
            second.close()
            admin.mqsc("START CHANNEL(SHARED)")
            until(lambda: not _fails(lambda: penstock.connect(address).close()))
            first.put("APP.Q", b"finished")
        with penstock.connect(address) as third:
            assert [message.body for message in third.get_many("APP.Q", 5)] == [b"begun", b"finished"]
        first.close()


def test_stop_conn_ends_a_connection_and_knows_which_there_are(served: Served) -> None:
    with served.local() as admin, served.connect(application="to stop", share=False) as qm:
        (row,) = rows(admin, "DISPLAY CONN(*) WHERE(APPLTAG EQ 'to stop')")
        assert not admin.mqsc(f"STOP CONN({row['CONN'].lower()})")[0].failed
        until(lambda: _fails(lambda: qm.put("APP.Q", b"")))
        (reply,) = admin.mqsc("STOP CONN(00000000FFFFFFFF)")
        assert (reply.failed, reply.reason) == (True, 3174)


def test_listeners_start_and_stop(served: Served) -> None:
    with served.local() as admin:
        port = free_port()
        admin.mqsc(f"DEFINE LISTENER(L2) TRPTYPE(TCP) PORT({port}) IPADDR('127.0.0.1') REPLACE")
        admin.mqsc("START LISTENER(L2)")
        until(lambda: bool(rows(admin, "DISPLAY LSSTATUS(L2)")))
        address = f"mq://127.0.0.1:{port}/QM1?channel=APP.SVRCONN"
        qm = penstock.connect(address, share=False)
        admin.mqsc("STOP LISTENER(L2)")
        until(lambda: _fails(lambda: penstock.connect(address, share=False).close()))
        qm.put("APP.Q", b"still here")
        assert qm.get("APP.Q") is not None
        qm.close()


def test_unknown_channels_and_queue_managers_are_named(served: Served) -> None:
    for address, reason in (
        (served.address("NO.SUCH"), 2540),
        (served.address().replace("/QM1", "/QM9"), 2058),
        ("mq://127.0.0.1:1/QM1", 2538),
        ("mq://user:secret@127.0.0.1/QM1", 2538),
        ("QM9", 2058),
    ):
        with pytest.raises(penstock.MQError) as caught:
            penstock.connect(address)
        assert caught.value.reason == reason, address
        assert "secret" not in str(caught.value)


def test_a_queue_manager_that_does_not_run_says_so(own: Served) -> None:
    own.stop()
    with pytest.raises(penstock.MQError) as caught:
        own.local()
    assert caught.value.reason == 2059


def test_stopping_ends_clients_and_leaves_everything_clean(own: Served) -> None:
    with own.connect() as qm:
        qm.put("APP.Q", b"kept", persistent=True)
        with own.local() as admin:
            admin.stop("immediate")
        until(lambda: _fails(lambda: qm.put("APP.REPLIES", b"")))
    assert own.process is not None
    assert own.process.wait(60) == 0
    with penstock.embed("QM1", home=own.home) as embedded:
        message = embedded.get("APP.Q")
    assert message is not None
    assert message.body == b"kept"


def _fails(call: Callable[[], Any]) -> bool:
    try:
        call()
    except penstock.MQError:
        return True
    return False


def test_every_row_of_chstatus_has_every_field(served: Served) -> None:
    with served.local() as admin, served.connect(application="fields", share=False):
        admin.mqsc("DEFINE CHANNEL(UNUSED) CHLTYPE(SVRCONN) REPLACE\nSTOP CHANNEL(UNUSED)")
        until(lambda: bool(rows(admin, "DISPLAY CHSTATUS(UNUSED)")))
        shown = rows(admin, "DISPLAY CHSTATUS(*) ALL")
        short = rows(admin, "DISPLAY CHSTATUS(*)")
        (stopped,) = rows(admin, "DISPLAY CHSTATUS(UNUSED) MSGS")
        admin.mqsc("START CHANNEL(UNUSED)")

    assert len({tuple(each) for each in shown}) == 1
    assert {tuple(each) for each in short} == {("CHANNEL", "CHLTYPE", "CONNAME", "STATUS", "SUBSTATE")}
    assert (stopped["STATUS"], stopped["MSGS"]) == ("STOPPED", 0)


def test_display_conn_shows_what_is_open(served: Served) -> None:
    with served.local() as admin, served.connect(application="opener", share=False) as qm:
        qm.open("APP.Q", penstock.Open.INPUT_SHARED | penstock.Open.INQUIRE)
        qm.begin()
        qm.put("APP.Q", b"x", persistent=True)
        (conn,) = rows(admin, "DISPLAY CONN(*) ALL WHERE(APPLTAG EQ 'opener')")
        (opened,) = rows(admin, f"DISPLAY CONN({conn['CONN']}) TYPE(HANDLE) ALL")
        both = rows(admin, f"DISPLAY CONN({conn['CONN']}) TYPE(ALL)")
        (found,) = rows(admin, "DISPLAY CONN(*) TYPE(HANDLE) WHERE(OBJNAME EQ APP.Q)")
        (status,) = rows(admin, "DISPLAY QSTATUS(APP.Q) TYPE(HANDLE) CHANNEL CONNAME")
        qm.backout()

    assert conn["UOWSTATE"] == "ACTIVE"
    assert (opened["OBJNAME"], opened["OBJTYPE"], opened["HSTATE"]) == ("APP.Q", "QUEUE", "ACTIVE")
    assert opened["OPENOPTS"] == "INPUT_SHARED|INQUIRE"
    assert [each["TYPE"] for each in both] == ["CONN", "HANDLE"]
    assert found["CONN"] == conn["CONN"]
    assert status["CHANNEL"] == "APP.SVRCONN"
    assert status["CONNAME"] == conn["CONNAME"]


def test_a_listener_is_started_and_stopped_once(served: Served) -> None:
    with served.local() as admin:
        admin.mqsc("DEFINE LISTENER(TWICE) TRPTYPE(TCP) PORT(1) REPLACE")
        again = admin.mqsc("START LISTENER(SYSTEM.DEFAULT.LISTENER.TCP)")
        never = admin.mqsc("STOP LISTENER(TWICE)")

    assert [reply.reason for reply in (*again, *never)] == [3249, 3250]


def test_a_listener_is_stopped_by_the_script_that_started_it(served: Served) -> None:
    script = "START LISTENER(BRIEF)\nSTOP LISTENER(BRIEF)\nSTOP LISTENER(BRIEF)\nSTART LISTENER(BRIEF)"
    with served.local() as admin:
        admin.mqsc(f"DEFINE LISTENER(BRIEF) TRPTYPE(TCP) PORT({free_port()}) REPLACE")
        replies = admin.mqsc(script + "\nSTART LISTENER(BRIEF)")
        assert [reply.reason for reply in replies] == [0, 0, 3250, 0, 3249]
        until(lambda: bool(rows(admin, "DISPLAY LSSTATUS(BRIEF)")))
        assert not admin.mqsc("START LISTENER(BRIEF) IGNSTATE(YES)")[0].failed
        assert not admin.mqsc("STOP LISTENER(BRIEF)")[0].failed
        until(lambda: not rows(admin, "DISPLAY LSSTATUS(BRIEF)"))


def test_a_listener_whose_definition_is_gone_can_be_stopped(served: Served) -> None:
    def running() -> list[str]:
        return [each["LISTENER"] for each in rows(admin, "DISPLAY LSSTATUS(*)")]

    with served.local() as admin:
        admin.mqsc("DEFINE LISTENER(GOING) TRPTYPE(TCP) PORT(0) REPLACE\nSTART LISTENER(GOING)")
        until(lambda: "GOING" in running())
        admin.mqsc("DELETE LISTENER(GOING)")
        assert not admin.mqsc("STOP LISTENER(GOING)")[0].failed
        until(lambda: "GOING" not in running())
        assert admin.mqsc("STOP LISTENER(GOING)")[0].reason == 2085


@pytest.mark.parametrize("port", ["x", "99999", "'-1'"])
def test_a_listener_is_not_started_at_what_is_no_port(served: Served, port: str) -> None:
    with served.local() as admin:
        admin.mqsc("DEFINE LISTENER(PORTLESS) TRPTYPE(TCP) REPLACE")
        (reply,) = admin.mqsc(f"START LISTENER(PORTLESS) PORT({port})")
        assert (reply.failed, reply.reason) == (True, 3167)
