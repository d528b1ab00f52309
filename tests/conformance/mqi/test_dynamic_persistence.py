"""Persistent messages are not for temporary dynamic queues (2048)."""

from __future__ import annotations


def test_a_persistent_put_is_refused(qm, fails):
    with qm.open("SYSTEM.DEFAULT.MODEL.QUEUE") as handle:
        with fails(2048):
            handle.put(b"a", persistent=True)
        handle.put(b"b", persistent=False)
        assert handle.get().body == b"b"


def test_persistent_as_the_model_says_is_refused_too(qm, run, fails):
    run("DEFINE QMODEL(M) DEFTYPE(TEMPDYN) DEFPSIST(YES)")
    with qm.open("M") as handle, fails(2048):
        handle.put(b"a")


def test_a_permanent_dynamic_queue_takes_them(qm, run):
    run("DEFINE QMODEL(M) DEFTYPE(PERMDYN)")
    with qm.open("M") as handle:
        handle.put(b"a", persistent=True)
        assert handle.get().persistent
