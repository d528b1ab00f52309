"""Alias queues: PUT and GET may be disabled on the alias or on its base (2051, 2016)."""

from __future__ import annotations

import pytest

from penstock.model import constants as mq


@pytest.fixture
def alias(queue, run):
    run("DEFINE QALIAS(A) TARGET(Q)")


@pytest.mark.parametrize("command", ["ALTER QALIAS(A) PUT(DISABLED)", "ALTER QLOCAL(Q) PUT(DISABLED)"])
def test_put_disabled_on_either(qm, alias, run, fails, command):
    with qm.open("A", mq.MQOO_OUTPUT) as handle:
        run(command)
        with fails(2051):
            handle.put(b"a")
    with fails(2051):
        qm.put("A", b"a")


@pytest.mark.parametrize("command", ["ALTER QALIAS(A) GET(DISABLED)", "ALTER QLOCAL(Q) GET(DISABLED)"])
def test_get_disabled_on_either(qm, alias, run, fails, command):
    qm.put("Q", b"a")
    with qm.open("A", mq.MQOO_INPUT_SHARED) as handle:
        run(command)
        with fails(2016):
            handle.get()
    with fails(2016):
        qm.get("A")


def test_the_base_is_not_touched_by_its_aliass_attributes(qm, alias, run):
    run("ALTER QALIAS(A) PUT(DISABLED) GET(DISABLED)")
    qm.put("Q", b"a")
    assert qm.get("Q").body == b"a"
