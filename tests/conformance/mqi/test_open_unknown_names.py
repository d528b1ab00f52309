"""MQOPEN, names (sections 2, 13 and 14): 2085 for what is not there or cannot be a name."""

from __future__ import annotations

import pytest

import penstock
from penstock.model import constants as mq


@pytest.mark.parametrize("name", ["NO.SUCH.QUEUE", "", "BAD NAME", "BAD*", "Ü", "A" * 49, "q"])
def test_a_name_that_no_queue_has_is_unknown(qm, queue, fails, name):
    with fails(2085):
        qm.open(name, mq.MQOO_OUTPUT)


def test_names_are_case_sensitive(qm, run, fails):
    run("DEFINE QLOCAL('lower')")
    qm.open("lower", mq.MQOO_OUTPUT).close()
    with fails(2085):
        qm.open("LOWER", mq.MQOO_OUTPUT)


def test_trailing_blanks_do_not_count(qm, queue):
    with qm.open("Q".ljust(48), mq.MQOO_OUTPUT) as handle:
        assert handle.resolved == ("Q", "QM1")


def test_the_error_names_the_object(qm):
    with pytest.raises(penstock.ObjectUnknown) as caught:
        qm.put("MISSING", b"a")
    assert caught.value.name == "MQRC_UNKNOWN_OBJECT_NAME"
    assert caught.value.fields["object"] == "MISSING"


def test_get_from_an_unknown_queue_is_unknown_too(qm, fails):
    with fails(2085):
        qm.get("MISSING")
