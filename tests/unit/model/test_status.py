"""Status: rows have MQSC's names, figures plain ones, and both survive the way to a client."""

from __future__ import annotations

import msgspec

from penstock.model import status
from penstock.model.status import ListenerStatus, LogFigures, QueueStatus, Status


def test_a_row_is_shown_by_the_names_of_mqsc_in_the_order_of_its_fields() -> None:
    row = status.values(QueueStatus(queue="Q", curdepth=3))

    assert list(row)[:3] == ["QUEUE", "TYPE", "CURDEPTH"]
    assert row["CURDEPTH"] == 3
    assert list(status.blank(QueueStatus)) == list(row)


def test_figures_keep_the_keys_of_json() -> None:
    found = status.values(Status(name="QM1", log=LogFigures(syncs=2), listeners=[ListenerStatus(port=1414)]))

    assert (found["name"], found["log"]["syncs"], found["channels"]) == ("QM1", 2, None)
    assert found["listeners"][0]["PORT"] == 1414


def test_status_travels_and_an_older_reader_ignores_what_it_does_not_know() -> None:
    told = Status(name="QM1", listeners=[ListenerStatus(listener="L")])
    packed = msgspec.msgpack.decode(msgspec.msgpack.encode(told))

    assert msgspec.convert(packed, Status) == told
    assert msgspec.convert({**packed, "new": 1}, Status) == told
    assert msgspec.convert({"name": "QM1"}, Status) == Status(name="QM1")
