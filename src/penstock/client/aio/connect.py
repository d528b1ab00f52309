"""`penstock.aio.connect`: a queue manager in another process, for asyncio."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.client.address import check_arguments
from penstock.client.aio import dialling as aio_dialling
from penstock.client.aio.queue_manager import AsyncQueueManager
from penstock.client.connect import CALL_SECONDS, make_target, reconnection
from penstock.client.dialling import CONNECT_SECONDS, movable
from penstock.client.recovery import TIMEOUT_SECONDS, Policy

if TYPE_CHECKING:
    import os
    from collections.abc import Callable
    from typing import Never

    from penstock.client.aio.reconnecting import ReconnectingAsyncQueueManager
    from penstock.client.balancing import Balancing
    from penstock.face.awaiting import AsyncioQueueManager
    from penstock.model.errors import MQError

    def _satisfies(one: AsyncQueueManager, two: ReconnectingAsyncQueueManager) -> list[AsyncioQueueManager]:
        """Have the type checker prove that clients are what `face` says a queue manager is."""
        return [one, two]


async def connect(
    where: str,
    *,
    user: str | None = None,
    password: str | None = None,
    application: str | None = None,
    timeout: float = CALL_SECONDS,
    connect_timeout: float = CONNECT_SECONDS,
    reconnect: bool | str | None = None,
    reconnect_timeout: float = TIMEOUT_SECONDS,
    on_event: Callable[[MQError], None] | None = None,
    home: str | os.PathLike[str] | None = None,
    commands_only: bool = False,
    act_as: str = "",
    ccdt: str | os.PathLike[str] | None = None,
    balancing: Balancing | None = None,
    connection_tag: str = "",
    **unknown: Never,
) -> AsyncQueueManager:
    """Connect to a running queue manager, from any asyncio loop; arguments are those of `penstock.connect`.

    Each connection has a socket of its own, which its tasks share.
    """
    check_arguments(connect, unknown)
    target = make_target(
        where, user, password, application, connect_timeout, home, commands_only, act_as, ccdt
    )
    reconnect = reconnection(reconnect, target)
    if reconnect is False:
        return AsyncQueueManager(await aio_dialling.dial(target), target, timeout)
    from penstock.client.aio.reconnecting import ReconnectingAsyncQueueManager

    policy = Policy(reconnect, reconnect_timeout, on_event)
    target = target if policy.same_qmgr else movable(target, balancing, connection_tag)
    return ReconnectingAsyncQueueManager(await aio_dialling.dial(target), target, timeout, policy)
