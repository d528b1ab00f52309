"""MQCLOSE: a handle that was closed is no handle any more (2019)."""

from __future__ import annotations


def test_every_verb_on_a_closed_handle_is_2019(qm, queue, fails):
    handle = qm.open(queue)
    handle.close()
    for verb in (
        lambda: handle.put(b"a"),
        lambda: handle.get(),
        lambda: handle.inquire("CURDEPTH"),
        lambda: handle.set(PUT="ENABLED"),
        lambda: handle.close(),
    ):
        with fails(2019):
            verb()


def test_the_end_of_a_with_block_closes(qm, queue, fails):
    with qm.open(queue) as handle:
        pass
    with fails(2019):
        handle.get()


def test_closing_inside_the_block_is_no_error(qm, queue):
    with qm.open(queue) as handle:
        assert handle.close() == 0
