"""The terms of a message channel: what each end offers, and what holds for both.

Both ends call `agreed` with the same two offers and get the same terms, so the answer to a greeting need not
repeat them. Attributes that only the sending end uses (BATCHLIM, BATCHINT) are not negotiated.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from penstock.channel import compression
from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from collections.abc import Mapping

WINDOW_DEFAULT = 4
WINDOW_MAX = 16


@dataclass(frozen=True, slots=True)
class Terms:
    """Offered by an end, or agreed by both."""

    batch_size: int = 50  # BATCHSZ, and not above MAXUMSGS
    message_max: int = 4194304  # MAXMSGL
    wrap: int = 999_999_999  # SEQWRAP
    fast: bool = True  # NPMSPEED(FAST)
    heartbeat: int = 300  # HBINT, seconds; 0 for none
    window: int = WINDOW_DEFAULT  # batches that may be in doubt at once; 1 is strict
    compression: int = 0  # COMPMSG: the bits of `compression` that an end knows
    alike: bool = True  # messages may refer to the one before; an end that does not say so wants them whole

    def facts(self) -> dict[str, Any]:
        """Return the terms for a greeting."""
        return asdict(self)


def offered(attributes: Mapping[str, Any], uncommitted_max: int, window: int = WINDOW_DEFAULT) -> Terms:
    """Return what a channel definition offers; `uncommitted_max` is MAXUMSGS of its queue manager."""
    return Terms(
        min(int(attributes["BATCHSZ"]), uncommitted_max),
        int(attributes["MAXMSGL"]),
        int(attributes["SEQWRAP"]),
        attributes["NPMSPEED"] == "FAST",
        int(attributes["HBINT"]),
        max(1, min(window, WINDOW_MAX)),
        sum({bit for name in attributes["COMPMSG"] for bit in compression.BITS.get(name, ())}),
    )


def read(facts: Mapping[str, Any]) -> Terms:
    """Return the terms in a greeting; 8073 if they are invalid."""
    values: dict[str, Any] = {}
    for name, default in asdict(Terms()).items():
        value: Any = facts.get(name, False if name == "alike" else None)
        if type(value) is not type(default) or int(value) < 0:
            raise error(mq.PSRC_CHANNEL_FRAME, f"the greeting has {value!r:.40} as {name}")
        values[name] = value
    if not 0 < values["window"] <= WINDOW_MAX or not values["batch_size"] or not values["wrap"]:
        raise error(mq.PSRC_CHANNEL_FRAME, "the greeting offers a window, batch size or wrap that cannot be")
    return Terms(**values)


def agreed(one: Terms, other: Terms) -> Terms:
    """Return what holds for both ends; 8072 when SEQWRAP differs, which cannot be negotiated."""
    if one.wrap != other.wrap:
        detail = f"SEQWRAP is {one.wrap} at one end and {other.wrap} at the other"
        raise error(mq.PSRC_CHANNEL_REFUSED, detail)
    return Terms(
        min(one.batch_size, other.batch_size),
        min(one.message_max, other.message_max) or max(one.message_max, other.message_max),
        one.wrap,
        one.fast and other.fast,
        max(one.heartbeat, other.heartbeat),
        min(one.window, other.window),
        one.compression & other.compression,
        one.alike and other.alike,
    )
