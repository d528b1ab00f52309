"""SEMANTICS 3: MQGMO_CONVERT goes along a chain of headers."""

from __future__ import annotations

from penstock import Get
from penstock.model import constants as mq
from penstock.model.headers import DeadLetterHeader
from penstock.model.pcf import Pcf, decode_pcf, encode_pcf
from penstock.model.pcf_parameters import Integer, String
from penstock.model.rfh2 import Rfh2, unpack_rfh2

TEXT = "Gr\u00fc\u00dfe"


def test_a_dead_letter_and_its_text(qm, queue) -> None:
    header = DeadLetterHeader(
        2053, "ORDERS", "QM1", 273, 500, "MQSTR", put_date="20260101", put_time="12000000"
    )
    body = header.pack(273, 500) + TEXT.encode("cp500")
    qm.put(queue, body, format=mq.MQFMT_DEAD_LETTER_HEADER, ccsid=500, encoding=273)

    with qm.open(queue) as handle:
        message = handle.get(options=Get.CONVERT)

    read = DeadLetterHeader.unpack(message.body)
    assert (message.warning, read.reason, read.queue, read.ccsid, read.encoding) == (
        0,
        2053,
        "ORDERS",
        1208,
        546,
    )
    assert message.body[172:] == TEXT.encode()


def test_a_rules_header_and_its_text(qm, queue) -> None:
    header = Rfh2(("<usr><n>1</n></usr>",), 273, 500, "MQSTR")
    body = header.pack(273, 500) + TEXT.encode("cp500")
    qm.put(queue, body, format=mq.MQFMT_RF_HEADER_2, ccsid=500, encoding=273)

    with qm.open(queue) as handle:
        message = handle.get(options=Get.CONVERT)

    read, length = unpack_rfh2(message.body)
    assert message.warning == 0
    assert read.folders[0].rstrip() == "<usr><n>1</n></usr>"
    assert message.body[length:] == TEXT.encode()


def test_a_command_message(qm, queue) -> None:
    pcf = Pcf(1, (Integer(1, 258), String(2016, "ORDERS")))
    qm.put(queue, encode_pcf(pcf, 273, 500), format=mq.MQFMT_PCF, ccsid=500, encoding=273)

    with qm.open(queue) as handle:
        message = handle.get(options=Get.CONVERT)

    read = decode_pcf(message.body)
    assert (message.warning, read.get(1), read.get(2016)) == (0, 258, "ORDERS")


def test_a_dead_letter_around_a_rules_header_around_text(qm, queue) -> None:
    inner = Rfh2(("<usr><n>1</n></usr>",), 273, 37, "MQSTR").pack(273, 500) + TEXT.encode("cp037")
    body = DeadLetterHeader(2053, "Q", "QM1", 273, 500, "MQHRF2").pack(273, 500) + inner
    qm.put(queue, body, format=mq.MQFMT_DEAD_LETTER_HEADER, ccsid=500, encoding=273)

    with qm.open(queue) as handle:
        message = handle.get(options=Get.CONVERT)

    assert message.warning == 0
    assert message.body.endswith(TEXT.encode())
