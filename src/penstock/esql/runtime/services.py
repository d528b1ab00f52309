"""The services that functions use: clock, zone, random numbers, UUIDs, waiting, the last SQL state.

A protocol: the context of an invocation satisfies it, and so does a small test double.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import random
    from collections.abc import Callable
    from datetime import datetime, tzinfo
    from uuid import UUID

    from penstock.esql.runtime.deployment import Deployment


class Outside(Protocol):
    """The part of a context that functions use."""

    sqlcode: int
    sqlstate: str
    sqlnativeerror: int
    sqlerrortext: str

    @property
    def now(self) -> datetime:
        """The time of this invocation, in UTC."""

    @property
    def zone(self) -> tzinfo | None:
        """The zone of local times; None is the process's own."""

    @property
    def random(self) -> random.Random:
        """The source of RAND."""

    @property
    def uuid(self) -> Callable[[], UUID]:
        """A function that makes a UUID."""

    @property
    def deployment(self) -> Deployment:
        """Data that the threads of a flow share, such as message models by name."""

    @property
    def sleep(self) -> Callable[[float], None]:
        """A function that waits for a number of seconds."""
