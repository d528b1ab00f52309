"""What no disk can keep is refused at the door: nothing of it stays behind to spoil the next checkpoint."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import penstock

if TYPE_CHECKING:
    from collections.abc import Iterator

HALF = "\ud800"  # half of a surrogate pair: a str that is not UTF-8


@pytest.fixture
def qm() -> Iterator[penstock.QueueManager]:
    with penstock.embed("QM1", create=True) as qm:
        qm.mqsc("DEFINE QLOCAL(Q) DEFPSIST(YES)")
        yield qm
        qm.checkpoint()
    penstock.embed("QM1").close()


def test_half_a_pair_as_the_id_of_a_prepared_unit(qm: penstock.QueueManager) -> None:
    qm.begin()
    qm.put("Q", b"kept")
    with pytest.raises(penstock.MQError) as caught:
        qm.prepare(HALF)
    assert caught.value.reason == 2046
    qm.commit()
    assert qm.get("Q").body == b"kept"
    assert qm.prepared() == []


@pytest.mark.parametrize("name", [HALF, "", "x" * 129, 7, None])
def test_bad_names_of_flows(qm: penstock.QueueManager, name: Any) -> None:
    with pytest.raises(penstock.MQError) as caught:
        qm.batches.new_epoch(name)
    assert caught.value.reason == 8042
    assert qm.batches.listing() == []


@pytest.mark.parametrize("attempt", [HALF, "", None, (1, 2), 1 << 63, -1, 1.5, object()])
def test_bad_attempts(qm: penstock.QueueManager, attempt: Any) -> None:
    qm.put("Q", b"in")
    epoch = qm.batches.new_epoch("F")
    qm.batches.reserve("F", "Q", after=0, epoch=epoch)
    with pytest.raises(penstock.MQError) as caught:
        qm.batches.prepare_outputs("F", 1, 0, attempt, [("Q", b"out")], epoch=epoch)
    assert caught.value.reason == 8042


@pytest.mark.parametrize("slice", [0.5, "0", -1, 100_000])
def test_bad_slices(qm: penstock.QueueManager, slice: Any) -> None:
    qm.put("Q", b"in")
    epoch = qm.batches.new_epoch("F")
    qm.batches.reserve("F", "Q", after=0, epoch=epoch)
    with pytest.raises(penstock.MQError) as caught:
        qm.batches.prepare_outputs("F", 1, slice, 0, [], epoch=epoch)
    assert caught.value.reason == 8042


def test_half_a_pair_in_mqsc_is_a_syntax_error_with_its_place(qm: penstock.QueueManager) -> None:
    first, _, last = qm.mqsc(f"DEFINE QLOCAL(X) DESCR('a{HALF}')\nDEFINE QLOCAL(Y)")
    assert (first.id, first.column) == ("AMQ8405I", 26)
    assert last.id == "AMQ8006I"


def test_half_a_pair_as_a_body(qm: penstock.QueueManager) -> None:
    with pytest.raises(penstock.MQError) as caught:
        qm.put("Q", HALF)
    assert caught.value.reason == 2004
    assert qm.get("Q") is None


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_ids_of_any_kind_of_bytes(qm: penstock.QueueManager, kind: Any) -> None:
    key = b"k" * 24
    with qm.open("Q") as handle:
        qm.put("Q", b"1", correl_id=kind(key), msg_id=kind(key))
        assert qm.get("Q", correl_id=kind(key)).correl_id == key
        handle.put(b"2", correl_id=kind(key), msg_id=kind(key))
        assert handle.get(msg_id=kind(key)).msg_id == key


@pytest.mark.parametrize("key", ["text", 7, []])
def test_ids_that_are_no_bytes(qm: penstock.QueueManager, key: Any) -> None:
    with pytest.raises(penstock.MQError) as caught:
        qm.put("Q", b"1", correl_id=key)
    assert caught.value.reason == 2026
    with pytest.raises(penstock.MQError) as caught:
        qm.get("Q", correl_id=key)
    assert caught.value.reason == 2207


def test_an_empty_message_id_is_none_at_all(qm: penstock.QueueManager) -> None:
    assert qm.put("Q", b"", msg_id=b"").msg_id.startswith(b"AMQ ")


def test_names_that_are_no_text(qm: penstock.QueueManager) -> None:
    with pytest.raises(penstock.MQError) as caught:
        qm.put(None, b"")  # type: ignore[arg-type]
    assert caught.value.reason == 2085
