"""Connecting to what is not there, or with a name that cannot be: 2058."""

from __future__ import annotations

import pytest

import penstock


@pytest.mark.parametrize("name", ["NONE", "", "BAD NAME", "A" * 49, "../QM1"])
def test_an_unknown_queue_manager_is_2058(qm, fails, name):
    with fails(2058):
        penstock.embed(name)


def test_create_makes_it_once(qm, queue):
    qm.put(queue, b"a", persistent=True)
    qm.close()
    with penstock.embed("QM1", create=True) as again:
        assert again.get(queue).body == b"a"


def test_options_are_for_creating_only(qm, fails):
    with fails(2046):
        penstock.embed("QM1", primary_files=5)
