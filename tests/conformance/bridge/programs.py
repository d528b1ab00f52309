"""Programs that the tests of the bridge serve queues with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from penstock.bridge import Context, program


@dataclass
class Order:
    item: str
    count: int = 1


@dataclass
class Price:
    total: float


PRICES = {"apple": 0.5, "pear": 0.75}
CALLS: list[Any] = []


@program(retries=2, retry_delay=0.0)
def price(order: Order) -> Price:
    CALLS.append(order)
    return Price(PRICES[order.item] * order.count)


def upper(body: bytes) -> bytes:
    return body.upper()


def silent(body: str) -> None:
    CALLS.append(body)


@program(retries=2, retry_delay=0.0)
def flaky(body: str) -> str:
    CALLS.append(body)
    if len(CALLS) < 3:
        raise RuntimeError("not yet")
    return "at last"


def broken(body: bytes) -> bytes:
    raise RuntimeError("never")


def counting(body: str, context: Context) -> str:
    """A conversation: adds numbers until it is told to end."""
    total = (context.state or 0) + int(body or 0)
    context.state = None if body == "0" else total
    return str(total)


def auditing(body: bytes, context: Context) -> bytes:
    context.put("AUDIT", context.user + ":" + body.decode())
    context.on_commit(lambda: CALLS.append("commit"))
    context.on_backout(lambda: CALLS.append("backout"))
    if body == b"fail":
        raise RuntimeError("after the put")
    return b"seen"
