"""SEMANTICS 7, 13: a selector that is not one is 2459 and leaves nothing behind."""

from __future__ import annotations

import pytest

from penstock import Open

BAD = ["colour =", "= 'red'", "colour == 'red'", "(colour = 'red'", "colour LIKE 5", "'a' = 'b' AND"]


@pytest.mark.parametrize("text", BAD)
def test_get_refuses_it_and_takes_nothing(qm, queue, fails, text) -> None:
    qm.put(queue, b"stays", properties={"colour": "red"})

    with fails(2459):
        qm.get(queue, selector=text)

    assert qm.get(queue).body == b"stays"


@pytest.mark.parametrize("text", BAD)
def test_open_refuses_it_and_opens_nothing(qm, queue, fails, text) -> None:
    with fails(2459):
        qm.open(queue, Open.INPUT_EXCLUSIVE, selector=text)

    with qm.open(queue, Open.INPUT_EXCLUSIVE) as handle:
        assert handle.get(quiet=True) is None


def test_browse_refuses_it(qm, queue, fails) -> None:
    with fails(2459):
        next(qm.browse(queue, selector="colour ="), None)
