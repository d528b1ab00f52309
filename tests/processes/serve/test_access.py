"""Users over real sockets: passwords, rules and authority records, while the queue manager runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import penstock
from penstock.host.users.passwords import hash_password
from penstock.host.users.users_file import NAME, User, changing_users
from tests.served import Served

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.installed
SCRIPT = """
DEFINE CHANNEL(PW.SVRCONN) CHLTYPE(SVRCONN) REPLACE
SET CHLAUTH(PW.SVRCONN) TYPE(ADDRESSMAP) ADDRESS('127.0.0.1') USERSRC(CHANNEL) CHCKCLNT(REQUIRED)
ALTER AUTHINFO(SYSTEM.DEFAULT.AUTHINFO.IDPWOS) AUTHTYPE(IDPWOS) FAILDLAY(0)
DEFINE QLOCAL(ORDERS)
DEFINE QLOCAL(SECRET)
SET AUTHREC OBJTYPE(QMGR) GROUP('apps') AUTHADD(CONNECT,DSP)
SET AUTHREC PROFILE(ORDERS) OBJTYPE(QUEUE) GROUP('apps') AUTHADD(PUT,GET)
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "served"
    with changing_users(home / NAME) as users:
        users["bob"] = User("bob", frozenset({"apps"}), hash_password("correct horse"))
        users["boss"] = User("boss", frozenset({"mqm"}), hash_password("correct horse"))
    return home


@pytest.fixture
def served(home: Path) -> Iterator[Served]:
    served = Served(home, script=SCRIPT)
    served.start()
    yield served
    served.stop()


def connect(served: Served, user: str, password: str | None = "correct horse"):
    address = f"mq://127.0.0.1:{served.port}/QM1?channel=PW.SVRCONN"
    return penstock.connect(address, user=user, password=password)


def test_a_user_with_a_password_does_what_he_may(served: Served) -> None:
    with connect(served, "bob") as qm:
        qm.put("ORDERS", b"3 apples")
        message = qm.get("ORDERS")
        assert message is not None
        assert message.body == b"3 apples"
        assert message.descriptor.user_id == "bob"
        for call in (lambda: qm.put("SECRET", b""), lambda: qm.get("SECRET"), qm.export):
            with pytest.raises(penstock.NotAuthorized):
                call()
        assert qm.mqsc("DELETE QLOCAL(ORDERS)")[0].id == "AMQ8135E"
        found = qm.explain_access("bob", object="SECRET", verb="put")
        assert found["allowed"] is False


@pytest.mark.parametrize(
    ("address", "cipher", "allowed"),
    [
        ("127.0.0.1", "", True),
        ("10.1.2.3", "", False),  # a client sends no password in clear: 8063
        ("10.1.2.3", "ANY_TLS12_OR_HIGHER", True),
    ],
)
def test_a_password_over_a_network_needs_tls(
    served: Served, address: str, cipher: str, allowed: bool
) -> None:
    with served.local() as qm:
        rule = "TYPE(ADDRESSMAP) ADDRESS('10.1.*') USERSRC(CHANNEL) CHCKCLNT(REQUIRED)"
        qm.mqsc(f"ALTER CHANNEL(PW.SVRCONN) CHLTYPE(SVRCONN) SSLCIPH('{cipher}')", check=True)
        qm.mqsc(f"SET CHLAUTH(PW.SVRCONN) {rule} ACTION(REPLACE)", check=True)
        found = qm.explain_access("bob", channel="PW.SVRCONN", address=address)
    assert found["allowed"] is allowed
    refused = [step for step in found["steps"] if not step["allowed"]]
    assert [step["step"] for step in refused] == ([] if allowed else ["TLS"])
    assert all("channel PW.SVRCONN has no SSLCIPH" in step["text"] for step in refused)


@pytest.mark.parametrize(
    ("user", "password"),
    [
        ("bob", "wrong horse"),
        ("bob", None),
        ("eve", "correct horse"),
        ("boss", "correct horse"),
        ("root", None),
    ],
)
def test_who_is_not_let_in(served: Served, user: str, password: str | None) -> None:
    with pytest.raises(penstock.MQError) as failure:
        connect(served, user, password)
    assert failure.value.reason == 2035


def test_a_new_password_counts_without_a_restart(served: Served, home: Path) -> None:
    connect(served, "bob").close()
    with changing_users(home / NAME) as users:
        users["bob"] = User("bob", frozenset({"apps"}), hash_password("battery staple"))
    with pytest.raises(penstock.MQError):
        connect(served, "bob")
    connect(served, "bob", "battery staple").close()
