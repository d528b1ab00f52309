"""Trace-route messages: PCF that asks every queue manager on its way to record what is done with it.

The TraceRoute group says what is wanted and counts activities; Activity groups behind it are those that were
accumulated. The PCF is the whole body (format MQADMIN), or embedded in front of other data (MQHEPCF). A body
that is none of these, or is too long to be looked at, is an ordinary message.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from penstock.model import constants as mq
from penstock.model.embedded_pcf import MQEPH, Embedded, pack_embedded, unpack_embedded
from penstock.model.errors import MQError
from penstock.model.pcf import CFH_LENGTH, Pcf, decode_pcf, encode_pcf
from penstock.model.pcf_parameters import Group, Integer
from penstock.model.structure import byte_order

if TYPE_CHECKING:
    from typing import Self

    from penstock.model.message import Descriptor
    from penstock.model.pcf_parameters import Parameter

BODY_BYTES_MAX = 1 << 20  # of a message that is looked at
VERSION = 3  # of MQCFH
ACCUMULATING = (mq.MQROUTE_ACCUMULATE_IN_MSG, mq.MQROUTE_ACCUMULATE_AND_REPLY)


@dataclass(frozen=True, slots=True)
class TraceRoute:
    """The TraceRoute group."""

    detail: int = mq.MQROUTE_DETAIL_MEDIUM
    recorded: int = 0  # activities
    unrecorded: int = 0
    discontinuities: int = 0
    activities_max: int = mq.MQROUTE_UNLIMITED_ACTIVITIES
    accumulate: int = mq.MQROUTE_ACCUMULATE_NONE
    forward: int = mq.MQROUTE_FORWARD_IF_SUPPORTED
    deliver: int = mq.MQROUTE_DELIVER_NO
    others: tuple[Parameter, ...] = ()  # that programs have added

    @property
    def group(self) -> Group:
        """The group as PCF."""
        values = (Integer(id, getattr(self, name)) for name, id in FIELDS.items())
        return Group(mq.MQGACF_TRACE_ROUTE, (*values, *self.others))

    @classmethod
    def of_group(cls, group: Group) -> Self:
        """Read the group; what it does not have is as in a new one."""
        names = {id: name for name, id in FIELDS.items()}
        known = {each.id: each.value for each in group.parameters if isinstance(each, Integer)}
        others = tuple(each for each in group.parameters if each.id not in names)
        return cls(**{names[id]: value for id, value in known.items() if id in names}, others=others)


FIELDS = {
    "detail": mq.MQIACF_ROUTE_DETAIL,
    "recorded": mq.MQIACF_RECORDED_ACTIVITIES,
    "unrecorded": mq.MQIACF_UNRECORDED_ACTIVITIES,
    "discontinuities": mq.MQIACF_DISCONTINUITY_COUNT,
    "activities_max": mq.MQIACF_MAX_ACTIVITIES,
    "accumulate": mq.MQIACF_ROUTE_ACCUMULATION,
    "forward": mq.MQIACF_ROUTE_FORWARDING,
    "deliver": mq.MQIACF_ROUTE_DELIVERY,
}


class TraceRouteMessage(NamedTuple):
    """The content of a trace-route message."""

    route: TraceRoute
    others: tuple[Parameter, ...] = ()  # parameters behind the TraceRoute group: activities
    behind: Embedded | None = None  # the data behind embedded PCF

    @property
    def pcf(self) -> Pcf:
        """The message as PCF."""
        parameters = (self.route.group, *self.others)
        return Pcf(mq.MQCMD_TRACE_ROUTE, parameters, type=mq.MQCFT_TRACE_ROUTE, version=VERSION)

    def body(self, descriptor: Descriptor) -> bytes:
        """Return the body of a message with this descriptor."""
        encoding, ccsid = descriptor.encoding, descriptor.ccsid
        if self.behind is None:
            return encode_pcf(self.pcf, encoding, ccsid)
        return pack_embedded(self.behind._replace(pcf=self.pcf), encoding, ccsid)

    def counted(self, is_recorded: bool, activity: Group | None = None) -> TraceRouteMessage:
        """Return it with one activity more, which is added to the message if it is given."""
        route = self.route
        if is_recorded:
            route = replace(route, recorded=route.recorded + 1)
        else:
            route = replace(route, unrecorded=route.unrecorded + 1)
        return self._replace(
            route=route, others=self.others if activity is None else (*self.others, activity)
        )


def read_trace_route(body: bytes | None, descriptor: Descriptor) -> TraceRouteMessage | None:
    """Return the content of a trace-route message; None for every other message."""
    if body is None or not CFH_LENGTH < len(body) <= BODY_BYTES_MAX:
        return None
    embedded = descriptor.format == mq.MQFMT_EMBEDDED_PCF
    if (not embedded and descriptor.format != mq.MQFMT_ADMIN) or descriptor.msg_type == mq.MQMT_REPLY:
        return None  # a trace-route reply has the same content
    try:
        if not _begins_so(body, MQEPH.length if embedded else 0, descriptor.encoding):
            return None
        if embedded:
            behind = unpack_embedded(body, descriptor.encoding, descriptor.ccsid)
            return _of_pcf(behind.pcf, behind)
        return _of_pcf(decode_pcf(body, descriptor.encoding, descriptor.ccsid), None)
    except (MQError, struct.error):
        return None


def _begins_so(body: bytes, place: int, encoding: int) -> bool:
    """Return whether an MQCFH of a trace-route message is at a place; most others are done with here."""
    kind, _, _, command = struct.unpack_from(byte_order(encoding) + "4i", body, place)
    return (kind, command) == (mq.MQCFT_TRACE_ROUTE, mq.MQCMD_TRACE_ROUTE)


def _of_pcf(pcf: Pcf, behind: Embedded | None) -> TraceRouteMessage | None:
    group = next((each for each in pcf.parameters if each.id == mq.MQGACF_TRACE_ROUTE), None)
    if not isinstance(group, Group):
        return None
    others = tuple(each for each in pcf.parameters if each is not group)
    return TraceRouteMessage(TraceRoute.of_group(group), others, behind)
