"""The tree of errors: every failure has a number, a name, a meaning and an advice.

`error(reason, detail, **fields)` makes an error and picks the class by the number, so that programs can write
`except penstock.QueueFull` as well as `if e.reason == 2053`. The texts of the catalogue are in
`model.reasons`; nothing is logged here. Every room raises these and has no errors of its own. Invariant: an
error survives pickling with everything it carries.
"""

from __future__ import annotations

from typing import Any

from penstock.model import constants as mq
from penstock.model.reasons import Reason, reason

COMP_WARNING = 1
COMP_FAILED = 2

# Reasons of calls that were completed, wholly or in part. Some (2241, 2242) fail certain calls: these pass
# comp=2 to `error`.
WARNINGS = frozenset(
    (
        *(
            2002,
            2008,
            2022,
            2049,
            2068,
            2070,
            2079,
            2080,
            2104,
            *range(2110, 2123),
            2124,
            2136,
            2150,
            2190,
            2209,
        ),
        *(2241, 2242, 2243, 2244, 2272, 2311, 2344, 2408, 2458, 2466, 2467, 2492, 2550, 2552, 2578),
    )
)


class MQError(Exception):
    """A call failed or was only partly completed.

    `comp` is 1 for a warning and 2 for a failure; `reason` and `name` identify it; `meaning` and `action`
    explain it; `fields` has what was concerned (object, limit ...); `detail` is the text about this case.
    """

    def __init__(
        self, number: int, detail: str = "", fields: dict[str, Any] | None = None, comp: int = 0
    ) -> None:
        super().__init__(number, detail, fields, comp)
        entry = _entry(number)
        self.reason = number
        self.comp = comp or (COMP_WARNING if number in WARNINGS else COMP_FAILED)
        self.name = entry.name
        self.meaning = entry.meaning
        self.action = entry.action
        self.detail = detail
        self.fields: dict[str, Any] = fields or {}

    def __str__(self) -> str:
        return f"{self.reason} {self.name}: {self.detail or self.meaning}"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.reason}, {self.detail!r}, {self.fields!r})"


def error(reason: int, detail: str = "", *, comp: int = 0, **fields: Any) -> MQError:
    """Return the error for a reason code, of the class that belongs to it; the caller raises it.

    `comp` overrides the completion code that the reason usually has.

    >>> error(2085, "queue ORDERS is not defined", object="ORDERS")
    ObjectUnknown(2085, 'queue ORDERS is not defined', {'object': 'ORDERS'})
    """
    return class_of(reason)(reason, detail, fields, comp)


def class_of(reason: int) -> type[MQError]:
    """Return the class of the errors with this reason code."""
    return _CLASSES.get(reason, MQError)


class NoMessage(MQError):
    """There is no matching message."""


class ObjectUnknown(MQError):
    """A queue, queue manager, topic or other object is unknown."""


class ObjectExists(MQError):
    """An object of that name exists already."""


class ObjectInUse(MQError):
    """The object is open elsewhere, or it is not empty."""


class ObjectChanged(MQError):
    """The object was changed, deleted or damaged after it was opened."""


class NotAuthorized(MQError):
    """The user may not do this."""


class QueueFull(MQError):
    """The queue accepts no further message: its depth or its space is used up."""


class MessageTooBig(MQError):
    """The message or its properties are longer than the queue, queue manager or channel allows."""


class Inhibited(MQError):
    """Putting, getting, publishing or subscribing is disabled there."""


class NotOpen(MQError):
    """The handle was not opened for this, or is no longer valid."""


class OptionsError(MQError):
    """The options are unknown, contradict each other or do not suit the object."""


class DescriptorError(MQError):
    """A field of the message descriptor has an invalid value."""


class PropertyError(MQError):
    """A message property or a message handle cannot be used as requested."""


class SelectorError(MQError):
    """The message selector is invalid, or cannot be used here."""


class UnitOfWorkError(MQError):
    """The unit of work cannot begin, continue or end as requested."""


class BackedOut(UnitOfWorkError):
    """The unit of work was backed out instead of committed."""


class MQConnectionError(MQError):
    """There is no connection, it is not allowed, or it is ending."""


class ConnectionBroken(MQConnectionError):
    """The connection to the queue manager is lost."""


class NotAvailable(MQConnectionError):
    """The queue manager, channel or host is unknown or not running."""


class Quiescing(MQConnectionError):
    """The queue manager or the connection is about to stop."""


class SubscriptionError(MQError):
    """The topic or the subscription cannot be used as requested."""


class FormatError(MQError):
    """Data is not in its declared format, or cannot be converted."""


class CommandError(MQError):
    """An administration command is invalid or could not be carried out."""


class LimitReached(MQError):
    """A limit on handles, connections, memory or other resources is reached."""


class StoreError(MQError):
    """Our own files: locked, damaged, unreadable, full, or of another version."""


class EsqlError(MQError):
    """An ESQL program cannot be deployed, or failed while it ran; `fields` has its SQL state and line."""


class FlowError(MQError):
    """A message flow cannot be built or run."""


class MessageFailed(FlowError):
    """A message failed in a flow: reason and detail are the cause's.

    `fields["nodes"]` has label and type of the nodes that it passed on its way out, innermost first.
    """


_GROUPS: tuple[tuple[type[MQError], tuple[int, ...]], ...] = (
    (CommandError, (*range(3001, 3500), *range(4001, 4100), 2300, 2321, 2322, 2324)),
    (StoreError, (2101, 2208, *range(8001, 8063), *range(8064, 8100))),
    (EsqlError, tuple(range(8201, 8300))),
    (
        NoMessage,
        (
            mq.MQRC_NO_MSG_AVAILABLE,
            mq.MQRC_NO_MSG_UNDER_CURSOR,
            mq.MQRC_NO_MSG_LOCKED,
            mq.MQRC_INVALID_MSG_UNDER_CURSOR,
        ),
    ),
    (ObjectUnknown, (2082, 2085, 2086, 2087, 2184, 2196, 2197, 2288, 2292, 2294, 3312, 4006, 4032, 4033)),
    (
        ObjectExists,
        (
            mq.MQRC_OBJECT_ALREADY_EXISTS,
            mq.MQRC_Q_ALREADY_EXISTS,
            mq.MQRC_SUB_ALREADY_EXISTS,
            mq.MQRCCF_TOPICSTR_ALREADY_EXISTS,
            mq.MQRCCF_SUB_ALREADY_EXISTS,
            mq.MQRCCF_CHLAUTH_ALREADY_EXISTS,
            mq.MQRCCF_OBJECT_ALREADY_EXISTS,
            mq.MQRCCF_CHANNEL_ALREADY_EXISTS,
        ),
    ),
    (ObjectInUse, (2042, 2055, 2201, 2429, 3155, 3160, 3210, 4004, 4031)),
    (ObjectChanged, (mq.MQRC_OBJECT_CHANGED, mq.MQRC_Q_DELETED, mq.MQRC_ALIAS_TARGTYPE_CHANGED)),
    (
        NotAuthorized,
        (
            mq.MQRC_NOT_AUTHORIZED,
            mq.MQRC_SECURITY_ERROR,
            mq.MQRC_CONNECTION_NOT_AUTHORIZED,
            mq.MQRC_NOT_PRIVILEGED,
            mq.MQRCCF_NOT_AUTHORIZED,
        ),
    ),
    (QueueFull, (2053, 2056, 2192)),
    (
        MessageTooBig,
        (
            mq.MQRC_DATA_LENGTH_ERROR,
            mq.MQRC_MSG_TOO_BIG_FOR_Q,
            mq.MQRC_MSG_TOO_BIG_FOR_Q_MGR,
            mq.MQRC_MSG_TOO_BIG_FOR_CHANNEL,
            mq.MQRC_PROPERTIES_TOO_BIG,
        ),
    ),
    (
        Inhibited,
        (
            mq.MQRC_GET_INHIBITED,
            mq.MQRC_PUT_INHIBITED,
            mq.MQRC_CLUSTER_PUT_INHIBITED,
            mq.MQRC_SUB_INHIBITED,
            mq.MQRC_PUBSUB_INHIBITED,
        ),
    ),
    (NotOpen, (2019, *range(2036, 2041), *range(2093, 2098), 2517, 6125)),
    (
        OptionsError,
        (2043, 2044, 2045, 2046, 2057, 2061, 2090, 2173, 2186, 2247, 2256, 2257, 2259, 2274, 2535),
    ),
    (
        DescriptorError,
        (
            2013,
            2014,
            2026,
            2027,
            2029,
            2047,
            2048,
            2049,
            2050,
            2098,
            2185,
            2206,
            2207,
            *range(2248, 2254),
            2258,
        ),
    ),
    (
        PropertyError,
        (*range(2460, 2474), 2442, 2481, 2482, 2489, 2490, 2491, 2492, 2498, 2499, 2501, 2513, 2586, 2587),
    ),
    (
        SelectorError,
        (
            mq.MQRC_SELECTOR_SYNTAX_ERROR,
            mq.MQRC_SELECTOR_ALWAYS_FALSE,
            mq.MQRC_SELECTOR_INVALID_FOR_TYPE,
            mq.MQRC_SELECTION_STRING_ERROR,
            mq.MQRC_SELECTOR_NOT_ALTERABLE,
            mq.MQRC_SELECTION_NOT_AVAILABLE,
        ),
    ),
    (UnitOfWorkError, (2024, 2072, 2122, 2123, 2124, 2128, 2232, 2245, 2255, *range(2351, 2356), 2372, 2569)),
    (BackedOut, (2003,)),
    (MQConnectionError, (2002, 2018, 2103, 2139, 2219, 2271, 2273, 2278, 2547, 2594, 2595, 6124, 8063)),
    (
        ConnectionBroken,
        (
            mq.MQRC_CONNECTION_BROKEN,
            mq.MQRC_CHANNEL_STOPPED_BY_USER,
            mq.MQRC_RECONNECT_QMID_MISMATCH,
            mq.MQRC_RECONNECT_FAILED,
            mq.MQRC_CALL_INTERRUPTED,
            mq.MQRC_RECONNECT_TIMED_OUT,
        ),
    ),
    (NotAvailable, (2058, 2059, 2223, 2537, 2538, 2539, 2540, 2543, 2568, 2577)),
    (Quiescing, (2161, 2162, 2202, 2203, 2528)),
    (
        SubscriptionError,
        (
            2424,
            2425,
            2428,
            2431,
            *range(2434, 2442),
            2502,
            2509,
            2510,
            2512,
            *range(2514, 2516),
            2522,
            2523,
            2525,
            2526,
            2533,
            2550,
            2562,
        ),
    ),
    (
        FormatError,
        (
            *range(2110, 2121),
            *range(2141, 2144),
            2149,
            2190,
            2235,
            2236,
            2237,
            2238,
            2239,
            2243,
            2244,
            2260,
            2265,
            2272,
            *range(2334, 2342),
            2395,
            *range(2414, 2417),
            2421,
            2422,
            2527,
            2554,
            *range(8101, 8105),
            8130,
            8150,
            8151,
        ),
    ),
    (FlowError, (*range(8301, 8400),)),
    (LimitReached, (2017, 2025, 2071, 2102, *range(8110, 8115))),
)
_CLASSES = {number: kind for kind, numbers in _GROUPS for number in numbers}


def _entry(number: int) -> Reason:
    try:
        return reason(number)
    except LookupError:
        return Reason(
            number, f"MQRC_{number}", "This reason code is not in the catalogue.", "Report it as a fault."
        )
