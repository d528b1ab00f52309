"""Who gets in by a channel: every kind of rule, with real sockets; a refusal is logged with its rule."""

from __future__ import annotations

import getpass
import os
from typing import TYPE_CHECKING

import pytest

import penstock
from tests.command_forks import run_command
from tests.patience import lasts
from tests.served import SCRIPT, Served

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.installed
RULES = """
ALTER AUTHINFO(SYSTEM.DEFAULT.AUTHINFO.IDPWOS) AUTHTYPE(IDPWOS) CHCKCLNT(OPTIONAL) FAILDLAY(0) ADOPTCTX(YES)
DEFINE CHANNEL(BY.ADDRESS) CHLTYPE(SVRCONN)
SET CHLAUTH(BY.ADDRESS) TYPE(ADDRESSMAP) ADDRESS('127.0.0.*') USERSRC(NOACCESS) DESCR('closed')
DEFINE CHANNEL(BY.USER) CHLTYPE(SVRCONN)
SET CHLAUTH(BY.USER) TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(NOACCESS)
SET CHLAUTH(BY.USER) TYPE(USERMAP) CLNTUSER('jane') USERSRC(MAP) MCAUSER('app')
DEFINE CHANNEL(WARNED) CHLTYPE(SVRCONN) MCAUSER('app')
SET CHLAUTH(WARNED) TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(NOACCESS) WARN(YES)
DEFINE CHANNEL(BLOCKED.USER) CHLTYPE(SVRCONN)
SET CHLAUTH(BLOCKED.USER) TYPE(BLOCKUSER) USERLIST('mallory')
DEFINE CHANNEL(PASSWORD) CHLTYPE(SVRCONN)
SET CHLAUTH(PASSWORD) TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(CHANNEL) CHCKCLNT(REQUIRED)
DEFINE CHANNEL(OPEN) CHLTYPE(SVRCONN)
SET AUTHREC OBJTYPE(QMGR) GROUP('clerks') AUTHADD(CONNECT)
SET AUTHREC PROFILE(APP.Q) OBJTYPE(QUEUE) GROUP('clerks') AUTHADD(PUT)
"""


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    home = tmp_path_factory.mktemp("guarded")
    secret = home.parent / "secret"
    secret.write_text("open sesame\n")
    for arguments in (["ann", "--group", "clerks"], ["boss", "--group", "mqm"]):
        words = ("user", "add", *arguments, "--password-file", str(secret))
        run_command(*words, env={**os.environ, "PENSTOCK_HOME": str(home)}).check_returncode()
    running = Served(home, script=SCRIPT + RULES)
    running.start()
    yield running
    running.stop()


def refused(served: Served, channel: str, *, logged: str, **options: str) -> None:
    """A client is told 2035 and no more; the error log has the rule."""
    with pytest.raises(penstock.MQError) as caught:
        penstock.connect(served.address(channel), share=False, **options)  # type: ignore[arg-type]
    assert caught.value.reason == 2035
    assert logged not in str(caught.value)
    assert logged in served.log()


def test_an_address_rule_closes_a_channel(guarded: Served) -> None:
    refused(guarded, "BY.ADDRESS", logged="TYPE(ADDRESSMAP)", user="app")


def test_a_user_rule_lets_one_user_in(guarded: Served) -> None:
    refused(guarded, "BY.USER", logged="BY.USER", user="john")
    with penstock.connect(guarded.address("BY.USER"), user="jane", share=False) as qm:
        qm.put("APP.Q", b"x")
        message = qm.get("APP.Q")
        assert message is not None
        assert message.user_id == "app"


def test_a_rule_that_warns_lets_in_and_logs(guarded: Served) -> None:
    penstock.connect(guarded.address("WARNED"), user="anybody", share=False).close()
    assert "WARN(YES)" in guarded.log()


def test_a_blocked_user_does_not_get_in(guarded: Served) -> None:
    refused(guarded, "BLOCKED.USER", logged="TYPE(BLOCKUSER)", user="mallory")


def test_administrators_do_not_come_in_by_their_word(guarded: Served) -> None:
    refused(guarded, "OPEN", logged="root", user="root")


def test_a_password_opens_a_channel_that_asks_for_one(guarded: Served) -> None:
    refused(guarded, "PASSWORD", logged="CHCKCLNT(REQUIRED)", user="ann")
    refused(guarded, "PASSWORD", logged="do not go together", user="ann", password="wrong")
    with penstock.connect(guarded.address("PASSWORD"), user="ann", password="open sesame", share=False) as qm:
        qm.put("APP.Q", b"by ann")
        with pytest.raises(penstock.NotAuthorized):
            qm.get("APP.Q")
    with guarded.local() as admin:
        message = admin.get("APP.Q")
        assert message is not None
        assert message.user_id == "ann"


def test_a_user_without_authority_cannot_connect(guarded: Served) -> None:
    with pytest.raises(penstock.NotAuthorized):
        penstock.connect(guarded.address("OPEN"), user="nobody-knows", share=False)


def test_an_administrator_is_blocked_by_default_even_with_his_password(guarded: Served) -> None:
    """BLOCKUSER(*MQADMIN) is the default rule for every channel."""
    refused(guarded, "OPEN", logged="*MQADMIN", user="boss", password="open sesame")


def test_a_blocked_address_is_hung_up_on(guarded: Served) -> None:
    with guarded.local() as admin:
        admin.mqsc("SET CHLAUTH('*') TYPE(BLOCKADDR) ADDRLIST('127.0.0.2')")
        import socket

        with socket.create_connection(
            ("127.0.0.1", guarded.port), 60, source_address=("127.0.0.2", 0)
        ) as sock:
            assert sock.recv(10) == b""
        guarded.connect(share=False).close()
        admin.mqsc("SET CHLAUTH('*') TYPE(BLOCKADDR) ADDRLIST('127.0.0.2') ACTION(REMOVE)")
    assert "TYPE(BLOCKADDR)" in guarded.log()


def test_runcheck_names_the_rule_that_a_connect_uses(guarded: Served) -> None:
    with guarded.local() as admin:
        replies = admin.mqsc("DISPLAY CHLAUTH(BY.USER) MATCH(RUNCHECK) CLNTUSER('jane') ADDRESS('127.0.0.1')")
    shown = [reply.attributes for reply in replies if reply.attributes]
    assert len(shown) == 1
    assert shown[0]["TYPE"] == "USERMAP"


def test_passwords_are_not_sent_in_clear_over_a_network() -> None:
    """A listener on another address than loopback would see it; nothing is sent before the client says no."""
    import socket

    try:
        address = socket.gethostbyname(socket.gethostname())
        server = socket.create_server((address, 0))
    except OSError:
        pytest.skip("this machine has no address but loopback")
    with server:
        if address.startswith("127."):
            pytest.skip("this machine has no address but loopback")
        port = server.getsockname()[1]
        with pytest.raises(penstock.MQError) as caught:
            penstock.connect(f"mq://{address}:{port}/QM1", user="u", password="p")
        assert (caught.value.reason, caught.value.name) == (8063, "PSRC_TLS_REQUIRED")
        assert isinstance(caught.value, penstock.MQConnectionError)


AUTHINFO = "ALTER AUTHINFO(SYSTEM.DEFAULT.AUTHINFO.IDPWOS) AUTHTYPE(IDPWOS) "


@pytest.fixture
def asked(guarded: Served) -> Iterator[Callable[[str], None]]:
    """Change what CONNAUTH asks for, for one test."""

    def alter(attributes: str) -> None:
        with guarded.local() as qm:
            assert not any(reply.failed for reply in qm.mqsc(AUTHINFO + attributes))

    yield alter
    alter("FAILDLAY(0) ADOPTCTX(YES) CHCKLOCL(OPTIONAL)")


def as_ann(guarded: Served, password: str = "open sesame") -> penstock.ClientQueueManager:
    return penstock.connect(guarded.name, home=guarded.home, user="ann", password=password)


def test_a_local_program_becomes_the_user_that_it_proves_to_be(
    guarded: Served, asked: Callable[[str], None]
) -> None:
    with as_ann(guarded) as qm:
        assert qm.link.terms.text("user") == "ann"
    asked("ADOPTCTX(NO)")
    with as_ann(guarded) as qm:
        assert qm.link.terms.text("user") == getpass.getuser()


def test_a_local_program_with_a_wrong_password_waits_for_its_refusal(
    guarded: Served, asked: Callable[[str], None]
) -> None:
    asked("FAILDLAY(1)")
    with lasts(1.0), pytest.raises(penstock.MQError, match="2035"):
        as_ann(guarded, "guessed")

    assert "user ann and the password do not go together" in guarded.log()


LDAP = "DEFINE AUTHINFO(LDAP) AUTHTYPE(IDPWLDAP) CONNAME('ldap.example.com') SHORTUSR('uid') FAILDLAY(0) "


def test_ldap_with_chcklocl_optional_lets_local_programs_in(own: Served) -> None:
    with own.local() as qm:
        qm.mqsc(LDAP + "CHCKCLNT(OPTIONAL) CHCKLOCL(OPTIONAL)\nALTER QMGR CONNAUTH(LDAP)")

    with own.local() as qm:
        qm.put("SECRET", b"x")
    own.connect(share=False).close()
    with pytest.raises(penstock.MQError, match="2035"):
        penstock.connect(own.name, home=own.home, user="ann", password="any")
    assert "IDPWOS" in own.log()


@pytest.mark.parametrize("connauth", ["LDAP", "MISSING"])
def test_the_owner_of_the_folder_can_always_run_commands(own: Served, connauth: str) -> None:
    with own.local() as qm:
        qm.mqsc(LDAP + f"CHCKLOCL(REQUIRED)\nALTER QMGR CONNAUTH({connauth})")
    with pytest.raises(penstock.MQError, match="2035"):
        own.local()

    explained = own.command("explain-access", "--user", getpass.getuser(), "--json")
    assert (explained.returncode, "nobody can give a password" in explained.stdout) == (1, True)
    by_client = own.command("explain-access", "-u", "app", "-c", "APP.SVRCONN", "-a", "127.0.0.1", "--json")
    assert (by_client.returncode, "nobody can give a password" in by_client.stdout) == (1, True)
    refused = own.command("put", "SECRET", "x")
    assert (refused.returncode, "2035" in refused.stderr) == (1, True)
    assert own.command("mqsc", "QM1", "-c", "DISPLAY QMGR CONNAUTH").returncode == 0
    assert own.command("qmgr", "status", "QM1").returncode == 0

    assert own.command("qmgr", "stop", "QM1").returncode == 0


def test_the_owner_with_a_wrong_password_is_refused(own: Served) -> None:
    with pytest.raises(penstock.MQError, match="2035"):
        penstock.connect(own.name, home=own.home, user="ann", password="wrong", commands_only=True)
