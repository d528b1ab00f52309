"""Strangers who guess passwords in crowds: whoever knows his gets in before they are all answered."""

from __future__ import annotations

import contextlib
import signal
import socket
from typing import TYPE_CHECKING

import pytest

import penstock
from penstock.host.users.passwords import hash_password
from penstock.host.users.users_file import NAME, User, changing_users
from penstock.protocol import hello
from penstock.protocol import numbers as protocol
from tests.patience import until
from tests.processes.serve.test_strangers import frame
from tests.served import SCRIPT, Served

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.installed
RULES = """
ALTER AUTHINFO(SYSTEM.DEFAULT.AUTHINFO.IDPWOS) AUTHTYPE(IDPWOS) CHCKCLNT(REQUIRED) FAILDLAY(0) ADOPTCTX(YES)
DEFINE CHANNEL(OPEN) CHLTYPE(SVRCONN)
SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('ann') AUTHADD(CONNECT)
"""
STRANGERS = 200
WRONG = "do not go together"
CROWDED = "too many passwords of its address"


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[Served]:
    with changing_users(tmp_path / NAME) as users:
        users["ann"] = User("ann", frozenset(), hash_password("open sesame"))
    served = Served(tmp_path, script=SCRIPT + RULES)
    served.start()
    yield served
    served.stop()


@contextlib.contextmanager
def strangers(served: Served, address: str) -> Iterator[None]:
    """A crowd that comes with wrong passwords and stays for the answer."""
    facts = {"qmgr": "QM1", "channel": "OPEN", "user": "ann", "application": "guess", "process": 1}
    with contextlib.ExitStack() as stack:
        for number in range(STRANGERS):
            sock = socket.create_connection(("127.0.0.1", served.port), 60, source_address=(address, 0))
            stack.enter_context(sock)
            sock.sendall(frame(protocol.HELLO, hello.pack({**facts, "password": f"guess {number}"})))
        until(lambda: WRONG in served.log())
        yield


def log_in(served: Served) -> None:
    address = served.address("OPEN")
    penstock.connect(address, user="ann", password="open sesame", share=False).close()


@pytest.mark.parametrize("known", [True, False], ids=["who was in before", "who comes from elsewhere"])
def test_a_real_login_does_not_wait_for_the_strangers(guarded: Served, known: bool) -> None:
    """It comes from the strangers' own address if it was right before, else from another one."""
    if known:
        log_in(guarded)
    with strangers(guarded, "127.0.0.1" if known else "127.0.0.2"):
        log_in(guarded)
        answered = guarded.log().count(WRONG)
        assert answered < STRANGERS // 2


def test_those_who_would_wait_too_long_are_refused_at_once(guarded: Served) -> None:
    with strangers(guarded, "127.0.0.2"), strangers(guarded, "127.0.0.2"):
        until(lambda: CROWDED in guarded.log())


def test_a_stop_ends_though_strangers_were_on_their_way_in(guarded: Served) -> None:
    """A link that was made the moment its connection was ended must not stay: the stop would wait for it."""
    with strangers(guarded, "127.0.0.2"), strangers(guarded, "127.0.0.2"):
        pass
    assert guarded.process is not None
    guarded.process.send_signal(signal.SIGTERM)
    assert guarded.process.wait(60) == 0
