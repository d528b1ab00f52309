"""A client that has not proved who it is learns nothing from a refusal: each is 2035 after the same steps.

The server is told to treat loopback as a network (RevealReasons=NEVER) and writes down its steps.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import penstock
from penstock.host.folders.ini import parse_settings
from penstock.host.users.passwords import hash_password
from penstock.host.users.users_file import NAME, User, changing_users
from penstock.serve.entry.peer import Peer
from penstock.serve.entry.refusals import are_revealed_to, pause_before
from tests.patience import until
from tests.served import SCRIPT, Served

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.installed
RULES = """
ALTER AUTHINFO(SYSTEM.DEFAULT.AUTHINFO.IDPWOS) AUTHTYPE(IDPWOS) CHCKCLNT(REQDADM) FAILDLAY(7) ADOPTCTX(YES)
DEFINE CHANNEL(CLOSED) CHLTYPE(SVRCONN)
SET CHLAUTH(CLOSED) TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(NOACCESS)
DEFINE CHANNEL(OPEN) CHLTYPE(SVRCONN)
DEFINE CHANNEL(WITH.TLS) CHLTYPE(SVRCONN) SSLCIPH(ANY_TLS12_OR_HIGHER)
DEFINE CHANNEL(STOPPED) CHLTYPE(SVRCONN)
DEFINE CHANNEL(FULL) CHLTYPE(SVRCONN) MAXINST(0)
SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('ann') AUTHADD(CONNECT,DSP)
SET AUTHREC PROFILE(APP.Q) OBJTYPE(QUEUE) PRINCIPAL('ann') AUTHADD(PUT)
"""
PASSWORD = "open sesame"


class Guarded(Served):
    """A queue manager that tells strangers nothing, and us what it does."""

    def __init__(self, home: Path) -> None:
        self.steps_file = home / "steps"
        with changing_users(home / NAME) as users:
            users["ann"] = User("ann", frozenset(), hash_password(PASSWORD))
            users["boss"] = User("boss", frozenset({"mqm"}), hash_password(PASSWORD))
        super().__init__(home, script=SCRIPT + RULES)
        ini = self.folder / "qm.ini"
        ini.write_text(ini.read_text().replace("RevealReasons=LOOPBACK", "RevealReasons=NEVER"))
        os.environ["STEPS"] = str(self.steps_file)
        self.program = (sys.executable, "-m", "tests.processes.serve.recording_server")

    def steps(self) -> list[str]:
        """Return what the server did since the last time."""
        found = self.steps_file.read_text().splitlines() if self.steps_file.exists() else []
        self.steps_file.unlink(missing_ok=True)
        return found

    def refusal(self, channel: str, qmgr: str = "QM1", **options: str) -> tuple[Any, ...]:
        """Return all that a client sees of its refusal, and what the server did before it."""
        self.steps()
        address = self.address(channel).replace("/QM1?", f"/{qmgr}?")
        with pytest.raises(penstock.MQError) as caught:
            penstock.connect(address, share=False, **options)  # type: ignore[arg-type]
        failure = caught.value
        return failure.reason, failure.detail, failure.fields, tuple(self.steps())


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    served = Guarded(tmp_path_factory.mktemp("guarded"))
    served.start()
    with served.local() as admin:
        admin.mqsc("STOP CHANNEL(STOPPED)")
        until(lambda: any(reply.attributes for reply in admin.mqsc("DISPLAY CHSTATUS(STOPPED)")))
    yield served
    served.stop()


def test_refusals_without_a_password_are_all_alike(guarded: Guarded) -> None:
    refusals = {
        "no such channel": guarded.refusal("NO.SUCH"),
        "another queue manager": guarded.refusal("OPEN", "QM9"),
        "a channel with TLS": guarded.refusal("WITH.TLS"),
        "a stopped channel": guarded.refusal("STOPPED"),
        "a closed channel": guarded.refusal("CLOSED"),
        "a name without authority": guarded.refusal("OPEN", user="nobody-knows"),
        "an administrator's name": guarded.refusal("OPEN", user="boss"),
        "the system's administrator": guarded.refusal("OPEN", user="root"),
        "no name": guarded.refusal("OPEN"),
    }
    assert set(map(str, refusals.values())) == {str(guarded.refusal("NO.SUCH"))}
    reason, detail, fields, steps = refusals["no such channel"]
    assert (reason, fields, steps) == (2035, {}, ("pause 7",))
    assert "NO.SUCH" not in detail


def test_refusals_with_a_password_are_all_alike(guarded: Guarded) -> None:
    """The password is checked whatever else is wrong, and a right one shows no more than a wrong one."""
    wrong = {"password": "no idea"}
    right = {"user": "boss", "password": PASSWORD}
    refusals = {
        "wrong password": guarded.refusal("OPEN", user="ann", **wrong),
        "unknown user": guarded.refusal("OPEN", user="nobody-knows", **wrong),
        "an administrator's wrong password": guarded.refusal("OPEN", user="boss", **wrong),
        "an administrator's right password": guarded.refusal("OPEN", **right),
        "an administrator's right password again": guarded.refusal("OPEN", **right),
        "a right password at a closed channel": guarded.refusal("CLOSED", user="ann", password=PASSWORD),
        "no such channel": guarded.refusal("NO.SUCH", user="ann", **wrong),
        "no such channel, an administrator": guarded.refusal("NO.SUCH", **right),
        "another queue manager": guarded.refusal("OPEN", "QM9", user="ann", **wrong),
        "a channel with TLS": guarded.refusal("WITH.TLS", user="ann", **wrong),
        "a stopped channel": guarded.refusal("STOPPED", user="ann", **wrong),
    }
    assert set(map(str, refusals.values())) == {str(refusals["wrong password"])}
    reason, _, fields, steps = refusals["wrong password"]
    assert (reason, fields, steps) == (2035, {}, ("check", "pause 7"))


def test_the_error_log_has_the_true_cause(guarded: Guarded) -> None:
    guarded.refusal("NO.SUCH")
    guarded.refusal("OPEN", "QM9")
    guarded.refusal("WITH.TLS")
    guarded.refusal("OPEN", user="boss", password=PASSWORD)
    log = guarded.log()
    for cause in (
        "channel NO.SUCH is not a server-connection channel",
        "this is queue manager QM1, not QM9",
        "channel WITH.TLS asks for TLS",
        "user boss is blocked by CHLAUTH(*)",
    ):
        assert cause in log


@pytest.mark.parametrize(
    ("channel", "qmgr", "reason"),
    [
        ("NO.SUCH", "QM1", 2540),
        ("OPEN", "QM9", 2058),
        ("WITH.TLS", "QM1", 2393),
        ("STOPPED", "QM1", 2537),
        ("FULL", "QM1", 2537),
    ],
)
def test_a_client_that_has_proved_who_it_is_learns_what_is_wrong(
    guarded: Guarded, channel: str, qmgr: str, reason: int
) -> None:
    assert guarded.refusal(channel, qmgr, user="ann", password=PASSWORD)[0] == reason


def test_a_client_that_a_rule_names_learns_what_it_would_see_anyway(guarded: Guarded) -> None:
    assert guarded.refusal("APP.SVRCONN", "QM9")[0] == 2058


def test_whoever_is_refused_takes_nobodys_place(guarded: Guarded) -> None:
    guarded.refusal("OPEN", user="nobody-knows")
    with guarded.local() as admin:
        assert not any(reply.attributes for reply in admin.mqsc("DISPLAY CHSTATUS(OPEN)"))


def test_an_authority_refusal_names_neither_object_nor_authority(guarded: Guarded) -> None:
    address = guarded.address("OPEN")
    with penstock.connect(address, user="ann", password=PASSWORD, share=False) as qm:
        calls = (
            lambda: qm.put("SECRET", b""),
            lambda: qm.get("APP.Q"),
            lambda: qm.open("SECRET", penstock.Open.OUTPUT),
            qm.export,
            qm.checkpoint,
        )
        for call in calls:
            with pytest.raises(penstock.NotAuthorized) as caught:
                call()
            assert "error log" in caught.value.detail
            assert caught.value.fields == {}
        (reply,) = qm.mqsc("DELETE QLOCAL(SECRET)")
        assert (reply.id, reply.text) == ("AMQ8135E", "Not authorized.")
    log = guarded.log()
    for cause in ("lacks PUT for QUEUE SECRET", "lacks GET for QUEUE APP.Q", "lacks DLT for QUEUE SECRET"):
        assert log.count(cause) == 1


def test_a_fault_of_the_server_is_not_shown_to_strangers(guarded: Guarded) -> None:
    users = guarded.home / NAME
    whole = users.read_bytes()
    users.write_bytes(b"rubbish")
    try:
        refusal = guarded.refusal("OPEN", user="ann", password=PASSWORD)
    finally:
        users.write_bytes(whole)
    assert refusal[0] == 2035
    assert str(guarded.home) not in str(refusal)
    assert "8017" in guarded.log()


def test_a_refusal_leaves_a_whole_number_of_delays_after_the_hello() -> None:
    for work in (0.0, 0.01, 0.26, 0.999):
        assert work + pause_before(5.0, 5.0 + work, 1.0) == pytest.approx(1.0)
    assert 1.4 + pause_before(5.0, 6.4, 1.0) == pytest.approx(2.0)


@pytest.mark.parametrize(
    ("setting", "told"),
    [
        ("LOOPBACK", {"127.0.0.1", "127.9.9.9", "::1"}),
        ("ALWAYS", {"127.0.0.1", "127.9.9.9", "::1", "10.0.0.1", "2001:db8::1"}),
        ("NEVER", set()),
    ],
)
def test_who_is_told_the_reason(setting: str, told: set[str]) -> None:
    addresses = ("127.0.0.1", "127.9.9.9", "::1", "10.0.0.1", "2001:db8::1")
    assert {each for each in addresses if are_revealed_to(Peer(each, 1), setting)} == told
    assert are_revealed_to(Peer(local_user=5), setting)
    assert parse_settings(f"Channels:\n RevealReasons={setting}\n").channels.reveal_reasons == setting
