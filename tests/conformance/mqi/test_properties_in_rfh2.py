"""Properties that arrive inside an MQRFH2 body (section 7): seen by selectors, body left alone."""

from __future__ import annotations

import pytest

from penstock.model import constants as mq
from penstock.model.rfh2 import Rfh2


@pytest.fixture
def body(qm, queue):
    qm.put(queue, b"payload", properties={"colour": "red", "size": 5}, format="MQSTR")
    with qm.open(queue, mq.MQOO_INPUT_SHARED) as handle:
        return handle.get(options=mq.MQGMO_PROPERTIES_FORCE_MQRFH2).body


def test_selectors_see_them(qm, queue, body):
    qm.put(queue, body, format=mq.MQFMT_RF_HEADER_2)
    assert qm.get(queue, selector="size > 5") is None
    assert qm.get(queue, selector="colour = 'red' AND size = 5") is not None


def test_the_body_stays_as_it_was(qm, queue, body):
    qm.put(queue, body, format=mq.MQFMT_RF_HEADER_2)
    message = qm.get(queue)
    assert (message.body, message.format) == (body, mq.MQFMT_RF_HEADER_2)


def test_given_properties_win(qm, queue, body):
    qm.put(queue, body, format=mq.MQFMT_RF_HEADER_2, properties={"colour": "blue"})
    assert qm.get(queue, selector="colour = 'blue' AND size = 5") is not None


@pytest.mark.parametrize("damaged", [b"", b"RFH ", b"RFH " + bytes(40), b"x" * 200])
def test_decision_a_damaged_header_is_only_a_body(qm, queue, damaged):
    qm.put(queue, damaged, format=mq.MQFMT_RF_HEADER_2)
    message = qm.get(queue)
    assert (message.body, not message.properties) == (damaged, True)


def test_decision_headers_over_128_kb_are_data_alone(qm, queue):
    """To read them would keep others waiting; the body arrives as it was put."""
    large = Rfh2((f"<usr><colour>red</colour><text>{'x' * (128 << 10)}</text></usr>",)).pack()
    small = Rfh2(("<usr><colour>red</colour></usr>",)).pack()
    for body in (large, small):
        qm.put(queue, body, format="MQHRF2")
    assert qm.get(queue, selector="colour = 'red'").body == small
    assert qm.get(queue).body == large
