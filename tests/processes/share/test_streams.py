"""Streams of shared queues: copies of what is put, at whichever member, in the same unit."""

from __future__ import annotations

import pytest

from penstock.model.errors import MQError
from tests.patience import until
from tests.shared_groups import Members


def with_stream(pair: Members, quality: str = "BESTEF") -> None:
    one, two = pair.here["QM1"], pair.here["QM2"]
    one.mqsc("DEFINE CFSTRUCT(APPL1) RECOVER(YES) OFFLOAD(DB2)", check=True)
    one.mqsc("DEFINE QLOCAL(COPIES) QSGDISP(SHARED) CFSTRUCT(APPL1) MAXDEPTH(2)", check=True)
    words = f"QSGDISP(SHARED) CFSTRUCT(APPL1) STREAMQ(COPIES) STRMQOS({quality})"
    one.mqsc(f"DEFINE QLOCAL(SOURCE) {words}", check=True)
    until(lambda: "SOURCE" in two.engine.queues)


@pytest.mark.parametrize("persistent", [False, True])
def test_a_put_to_a_shared_queue_has_a_copy_in_the_same_unit(pair: Members, persistent: bool) -> None:
    with_stream(pair)
    one, two = pair.here["QM1"], pair.here["QM2"]
    two.put("SOURCE", b"alone", persistent=persistent)
    assert (one.get("SOURCE").body, one.get("COPIES").body) == (b"alone", b"alone")
    with two.unit_of_work() as unit:
        two.put("SOURCE", b"undone", persistent=persistent)
        unit.backout()
    assert (one.get("SOURCE"), one.get("COPIES")) == (None, None)


def test_a_stream_that_must_have_its_copy_forbids_the_put_when_full(pair: Members) -> None:
    with_stream(pair, "MUSTDUP")
    two = pair.here["QM2"]
    for _ in range(2):
        two.put("SOURCE", b"room")
    with pytest.raises(MQError, match="2053"):
        two.put("SOURCE", b"no room")
    assert [two.get("SOURCE").body for _ in range(2)] == [b"room", b"room"]
    assert two.get("SOURCE") is None


def test_the_rules_of_streams_are_those_of_private_queues(pair: Members) -> None:
    with_stream(pair)
    one = pair.here["QM1"]
    chain = one.mqsc("ALTER QLOCAL(COPIES) STREAMQ(SOURCE)")[0]
    assert not chain.ok
    private = one.mqsc("DEFINE QLOCAL(PRIVATE) STREAMQ(COPIES)", check=True)[0]
    assert private.ok
    one.put("PRIVATE", b"both", persistent=True)
    assert (one.get("PRIVATE").body, one.get("COPIES").body) == (b"both", b"both")
