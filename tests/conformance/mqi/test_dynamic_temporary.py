"""Temporary dynamic queues (section 14): gone when their creator closes or disconnects."""

from __future__ import annotations

from penstock.model import constants as mq

MODEL = "SYSTEM.DEFAULT.MODEL.QUEUE"


def test_open_of_a_model_makes_a_queue_with_a_new_name(qm):
    with qm.open(MODEL, mq.MQOO_INPUT_EXCLUSIVE) as first, qm.open(MODEL, mq.MQOO_INPUT_EXCLUSIVE) as second:
        assert first.name.startswith("AMQ.")
        assert len(first.name) <= 48
        assert first.name != second.name


def test_it_vanishes_with_its_messages_at_the_creators_close(qm, fails):
    with qm.open(MODEL) as handle:
        name = handle.name
        qm.put(name, b"a")
        assert handle.get().body == b"a"
        qm.put(name, b"left")
    with fails(2085):
        qm.put(name, b"b")


def test_it_vanishes_at_the_creators_disconnect(qm, embed, fails):
    other = embed()
    name = other.open(MODEL).name
    qm.put(name, b"a")
    other.close()
    with fails(2085):
        qm.get(name)


def test_others_that_have_it_open_get_2052(qm, run, fails):
    run("DEFINE QMODEL(M) DEFTYPE(TEMPDYN) SHARE")
    creator = qm.open("M", mq.MQOO_INPUT_SHARED)
    other = qm.open(creator.name, mq.MQOO_INPUT_SHARED | mq.MQOO_OUTPUT | mq.MQOO_INQUIRE)
    creator.close()
    for verb in (lambda: other.put(b"a"), lambda: other.get(), lambda: other.inquire("CURDEPTH")):
        with fails(2052):
            verb()
    assert other.close() == 0


def test_the_close_of_another_handle_does_not_delete_it(qm):
    creator = qm.open(MODEL)
    qm.open(creator.name, mq.MQOO_OUTPUT).close()
    creator.put(b"a")
    assert creator.get().body == b"a"


def test_only_the_creator_may_delete_it(qm, fails):
    with qm.open(MODEL, mq.MQOO_INPUT_SHARED) as creator:
        other = qm.open(creator.name, mq.MQOO_OUTPUT)
        with fails(2045):
            other.close(mq.MQCO_DELETE)


def test_it_does_not_survive_a_restart(qm, embed, fails):
    name = qm.open(MODEL).name
    qm.close()
    again = embed()
    with fails(2085):
        again.put(name, b"a")
