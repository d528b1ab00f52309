"""MQSET: GET, PUT and the trigger attributes of an open queue."""

from __future__ import annotations

import pytest

from penstock.model import constants as mq


def test_put_and_get_can_be_disabled(qm, queue, fails):
    with qm.open(queue, mq.MQOO_SET) as handle:
        handle.set(PUT="DISABLED", GET="DISABLED")
    with fails(2051):
        qm.put(queue, b"a")
    with fails(2016):
        qm.get(queue)


def test_triggering_can_be_set(qm, queue):
    with qm.open(queue, mq.MQOO_SET | mq.MQOO_INQUIRE) as handle:
        handle.set(TRIGGER=True, TRIGTYPE="DEPTH", TRIGDPTH=5, TRIGMPRI=3, TRIGDATA="x")
        found = handle.inquire("TRIGGER", "TRIGTYPE", "TRIGDPTH", "TRIGMPRI", "TRIGDATA")
    assert list(found.values()) == ["YES", "DEPTH", 5, 3, "x"]


def test_numbers_of_mq_mean_the_same(qm, queue, fails):
    with qm.open(queue, mq.MQOO_SET | mq.MQOO_INQUIRE) as handle:
        handle.set({mq.MQIA_INHIBIT_PUT: mq.MQQA_PUT_INHIBITED, mq.MQCA_TRIGGER_DATA: "x"})
        assert handle.inquire("PUT", "TRIGDATA") == {"PUT": "DISABLED", "TRIGDATA": "x"}
        with fails(2067):
            handle.set({mq.MQIA_MAX_Q_DEPTH: 1})


@pytest.mark.parametrize("name", ["MAXDEPTH", "DESCR", "NOSUCH", "CURDEPTH"])
def test_other_attributes_cannot_be_set(qm, queue, fails, name):
    with qm.open(queue, mq.MQOO_SET) as handle, fails(2067):
        handle.set(**{name: 1})


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"PUT": 7}, 2020),
        ({"GET": "MAYBE"}, 2020),
        ({"TRIGGER": "PERHAPS"}, 2075),
        ({"TRIGDPTH": 0}, 2076),
        ({"TRIGMPRI": 10}, 2077),
        ({"TRIGTYPE": "SOMETIMES"}, 2078),
    ],
)
def test_values_that_cannot_be_are_refused(qm, queue, fails, values, reason):
    with qm.open(queue, mq.MQOO_SET) as handle, fails(reason):
        handle.set(**values)


def test_all_or_none(qm, queue, fails):
    with qm.open(queue, mq.MQOO_SET | mq.MQOO_INQUIRE) as handle:
        with fails(2067):
            handle.set(PUT="DISABLED", MAXDEPTH=1)
        assert handle.inquire("PUT") == {"PUT": "ENABLED"}


def test_an_alias_is_set_itself(qm, queue, run, fails):
    run("DEFINE QALIAS(A) TARGET(Q)")
    with qm.open("A", mq.MQOO_SET) as handle:
        handle.set(PUT="DISABLED")
    with fails(2051):
        qm.put("A", b"a")
    qm.put(queue, b"a")
    assert qm.get(queue).body == b"a"


def test_it_survives_a_restart(qm, embed, queue, fails):
    with qm.open(queue, mq.MQOO_SET) as handle:
        handle.set(PUT="DISABLED")
    qm.close()
    with fails(2051):
        embed().put(queue, b"a")
