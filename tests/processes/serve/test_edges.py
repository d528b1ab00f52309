"""Edges where a message could be lost, doubled or sent astray, or a connection die for another's mistake."""

from __future__ import annotations

import struct
import threading
from typing import TYPE_CHECKING

import pytest

import penstock
from penstock.protocol import hello
from penstock.protocol import numbers as protocol
from penstock.protocol._frames import Splitter
from tests.processes.serve.test_strangers import FACTS, frame, raw

if TYPE_CHECKING:
    from tests.served import Served

pytestmark = pytest.mark.installed


def test_syncpoint_if_persistent_takes_part_in_the_programs_unit(served: Served) -> None:
    option = penstock.Get.SYNCPOINT_IF_PERSISTENT
    with served.connect(share=False) as qm, qm.open("APP.Q") as handle:
        qm.put("APP.Q", b"once", persistent=True)
        assert handle.get(options=option) is not None
        qm.commit()
        assert handle.get(quiet=True) is None
        qm.put("APP.Q", b"again", persistent=True)
        assert handle.get(options=option, wait=60.0) is not None
        qm.backout()
        message = handle.get()
        assert message is not None
        assert message.backout_count == 1


def test_connecting_and_closing_at_once_disturbs_nobody(served: Served) -> None:
    failures: list[penstock.MQError] = []

    def work(number: int) -> None:
        try:
            for count in range(40):
                with served.connect(user="many") as qm:
                    mark = b"%04d%020d" % (number, count)
                    qm.put("APP.Q", mark, correl_id=mark)
                    assert qm.get("APP.Q", correl_id=mark) is not None
        except penstock.MQError as failure:
            failures.append(failure)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_a_call_that_could_not_be_made_leaves_the_connection_usable(served: Served) -> None:
    with served.connect(share=False) as qm:
        for _ in range(2):
            with pytest.raises(penstock.MQError):
                qm.request("APP.Q", b"x", "APP.REPLIES", wait=-5)
            with pytest.raises(penstock.MQError, match="2085"):
                qm.put("APP.\ud800", b"x")
            qm.put("APP.Q", b"right queue")
            message = qm.get("APP.Q")
            assert message is not None
            assert qm.get("APP.REPLIES") is None


def test_a_message_for_a_conversation_that_ends_is_answered_first(served: Served) -> None:
    """A put and the end of the waiting getter's conversation come in one read."""
    with raw(served) as sock, served.connect(share=False) as qm:
        splitter = Splitter(1 << 20)

        def answers(count: int) -> list[tuple[int, int]]:
            found: list[tuple[int, int]] = []
            while len(found) < count:
                found += [(each[0], each[2]) for each in splitter.feed(sock.recv(65536))]
            return found

        sock.sendall(frame(protocol.CONVERSE, hello.pack({**FACTS, "conversation": 2})))
        assert answers(1) == [(protocol.WELCOME, 0)]
        for conversation in (1, 2):
            sock.sendall(frame(protocol.NAME, struct.pack("<I", 0) + b"APP.Q", conversation))
        sock.sendall(frame(protocol.GET, struct.pack("<IiIi", 0, 20_000, 0, 0), 2, 7))
        qm.get("APP.Q", wait=0.2)
        put = frame(protocol.PUT, struct.pack("<IBBH", 0, 0, 0, 0) + b"body", 1, 8)
        sock.sendall(put + frame(protocol.END, b"", 2, 9))
        kinds = answers(3)
        assert (protocol.MESSAGE, 2) in kinds
        assert (protocol.DONE, 2) in kinds


def test_too_many_waits_are_refused_and_take_no_message(served: Served) -> None:
    import msgspec

    call = msgspec.msgpack.encode(["get", {"queue": "APP.Q", "selector": "a = 1", "wait": 30.0}])
    with raw(served) as sock, served.connect(share=False) as qm:
        for request in range(1, protocol.WAITS_MAX + 2):
            sock.sendall(frame(protocol.CALL, call, 1, request))
        kind, _, _, request, _, _ = Splitter(1 << 20).feed(sock.recv(65536))[0]
        assert (kind, request) == (protocol.FAILED, protocol.WAITS_MAX + 1)
        sock.sendall(
            b"".join(frame(protocol.CANCEL, b"", 1, each) for each in range(1, protocol.WAITS_MAX + 1))
            + frame(protocol.NAME, struct.pack("<I", 0) + b"APP.Q", 1)
            + frame(protocol.PUT, struct.pack("<IBBH", 0, 0, 0, 0) + b"behind them", 1, request + 1)
        )
        # Two connections have no order between them: the put's answer says that the waits are cancelled.
        splitter = Splitter(1 << 20)
        while not any(each[3] == request + 1 for each in splitter.feed(sock.recv(65536))):
            pass
        qm.put("APP.Q", b"kept", properties={"a": 1})
        assert {qm.get("APP.Q", wait=60.0).body for _ in range(2)} == {b"behind them", b"kept"}


def test_a_greeting_of_any_length_is_a_greeting(served: Served) -> None:
    for length in range(130):
        with served.connect(application="a" * length, share=False) as qm:
            assert qm.name == "QM1"


def test_many_puts_say_why_they_fail(served: Served) -> None:
    with served.local() as admin, served.connect(share=False) as qm:
        admin.mqsc("DEFINE QLOCAL(APP.SHUT) PUT(DISABLED) REPLACE")
        admin.mqsc("DEFINE QALIAS(APP.CAPPED) TARGET(APP.Q) REPLACE")
        with pytest.raises(penstock.Inhibited) as caught:
            qm.put_many("APP.SHUT", [b"a", b"b"])
        assert caught.value.reason == 2051
        with pytest.raises(penstock.NotAuthorized):
            qm.put_many("SECRET", [b"a"])
        qm.put_many("APP.CAPPED", [b"a", b"b"])
        assert len(qm.get_many("APP.Q", 5)) == 2


def test_a_message_longer_than_the_channel_takes_is_refused_and_the_connection_goes_on(
    served: Served,
) -> None:
    with served.connect(share=False) as qm:
        with pytest.raises(penstock.MQError) as caught:
            qm.put("APP.Q", bytes(qm.message_max + 1))
        assert caught.value.reason == 2010
        qm.put("APP.Q", b"x")
        assert qm.get("APP.Q") is not None


def test_names_without_end_are_refused(served: Served) -> None:
    with raw(served) as sock:
        sock.sendall(frame(protocol.NAME, struct.pack("<I", 0) + b"N" * 1000, 1))
        with pytest.raises((ConnectionError, AssertionError)):
            assert sock.recv(10)
