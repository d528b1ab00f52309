"""Trace-route messages and embedded PCF, as bytes and back."""

from __future__ import annotations

import struct

import pytest

from penstock.model import constants as mq
from penstock.model.embedded_pcf import Embedded, pack_embedded, unpack_embedded
from penstock.model.errors import MQError
from penstock.model.message import Descriptor
from penstock.model.pcf import Pcf
from penstock.model.pcf_parameters import Group, Integer, String
from penstock.model.trace_route import BODY_BYTES_MAX, TraceRoute, TraceRouteMessage, read_trace_route

ADMIN = Descriptor(format=mq.MQFMT_ADMIN)
EMBEDDED = Descriptor(format=mq.MQFMT_EMBEDDED_PCF)
ROUTE = TraceRoute(
    recorded=3, activities_max=9, accumulate=mq.MQROUTE_ACCUMULATE_IN_MSG, others=(String(7, "own"),)
)
ACTIVITY = Group(mq.MQGACF_ACTIVITY, (Integer(mq.MQIA_APPL_TYPE, 7),))


@pytest.mark.parametrize("encoding", [mq.MQENC_NATIVE, 273])
def test_a_message_is_read_as_it_was_written(encoding: int) -> None:
    described = ADMIN.replace(encoding=encoding)
    message = TraceRouteMessage(ROUTE, (ACTIVITY,))
    assert read_trace_route(message.body(described), described) == message


def test_the_pcf_header_is_that_of_a_trace_route_message() -> None:
    head = struct.unpack_from("<9i", TraceRouteMessage(ROUTE).body(ADMIN))
    assert head == (10, 36, 3, 75, 1, 1, 0, 0, 1)  # MQCFT_TRACE_ROUTE, version 3, MQCMD_TRACE_ROUTE


def test_data_behind_embedded_pcf_stays_when_activities_are_added() -> None:
    message = TraceRouteMessage(ROUTE, (), Embedded(Pcf(0), b"order", 273, 500, "MQSTR"))
    read = read_trace_route(message.body(EMBEDDED), EMBEDDED)
    assert read is not None
    again = unpack_embedded(read.counted(True, ACTIVITY).body(EMBEDDED), EMBEDDED.encoding, EMBEDDED.ccsid)
    assert again[1:] == (b"order", 273, 500, "MQSTR")
    assert again.pcf.parameters[1] == ACTIVITY


def test_activities_are_counted_as_recorded_or_not() -> None:
    message = TraceRouteMessage(TraceRoute())
    assert message.counted(True).route == TraceRoute(recorded=1)
    assert message.counted(False).route == TraceRoute(unrecorded=1)


@pytest.mark.parametrize(
    ("body", "described"),
    [
        (None, ADMIN),
        (b"", ADMIN),
        (b"\0" * 40, ADMIN),
        (TraceRouteMessage(ROUTE).body(ADMIN)[:-1], ADMIN),
        (TraceRouteMessage(ROUTE).body(ADMIN), ADMIN.replace(format="MQSTR")),
        (TraceRouteMessage(ROUTE).body(ADMIN), ADMIN.replace(msg_type=mq.MQMT_REPLY)),
        (TraceRouteMessage(ROUTE).body(ADMIN), ADMIN.replace(encoding=0)),
        (TraceRouteMessage(ROUTE).body(ADMIN), EMBEDDED),
        (TraceRouteMessage(ROUTE).body(ADMIN) + bytes(BODY_BYTES_MAX), ADMIN),
        (pack_embedded(Embedded(Pcf(1)), 546, 1208), EMBEDDED),
        (struct.pack("<9i", 10, 36, 3, 75, 1, 1, 0, 0, 0) + b"x", ADMIN),
    ],
)
def test_everything_else_is_an_ordinary_message(body: bytes | None, described: Descriptor) -> None:
    assert read_trace_route(body, described) is None


def test_a_wrong_length_of_the_embedding_header_is_an_error() -> None:
    body = bytearray(pack_embedded(Embedded(Pcf(1)), 546, 1208))
    body[8:12] = struct.pack("<i", len(body) + 1)
    with pytest.raises(MQError) as caught:
        unpack_embedded(bytes(body), 546, 1208)
    assert caught.value.reason == mq.MQRC_EPH_ERROR
